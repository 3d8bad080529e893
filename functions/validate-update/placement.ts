import type { ApiConnection } from '../../src/api/connection.ts';
import { resourcePath, apiVersionOf } from '../../src/api/kinds.ts';
import type { NodePlacement } from '../../src/api/kubevirt.ts';
import { ApiError } from '../../src/errors.ts';
import { createGate } from '../gate.ts';

/** Name of the object that is created by dry run alone (spec/webhooks.md §4.3). */
const NAME = 'placement-validation-webhook';
const LABELS = { 'kubevirt.io/choose-me': '' };
/** Longest error text that is passed on to a caller who need not be authenticated. */
const MAX_TEXT = 1024;
/** Dry runs at the same time; more wait. */
const MAX_RUNNING = 2;
/** Dry runs that wait; more are turned away. */
const MAX_WAITING = 32;

/** Asks the API server whether it takes a placement; resolves to its objection, or to undefined. */
export type CheckPlacement = (
  kind: 'Deployment' | 'DaemonSet',
  placement: NodePlacement,
  signal: AbortSignal,
) => Promise<string | undefined>;

const buildProbe = (
  kind: 'Deployment' | 'DaemonSet',
  namespace: string,
  { nodeSelector, affinity, tolerations }: NodePlacement,
) => ({
  apiVersion: apiVersionOf(kind),
  kind,
  metadata: { name: NAME, namespace },
  spec: {
    ...(kind === 'Deployment' ? { replicas: 1 } : {}),
    selector: { matchLabels: LABELS },
    template: {
      metadata: { generateName: 'placement-verification-pod', labels: LABELS },
      spec: {
        containers: [{ name: 'placement-verification-pod', image: 'test.only:latest' }],
        // Named one by one, so that nothing else of the review gets into a request that is made with the operator's rights.
        ...(nodeSelector === undefined ? {} : { nodeSelector }),
        ...(affinity === undefined ? {} : { affinity }),
        ...(tolerations === undefined ? {} : { tolerations }),
      },
    },
  },
});

/**
 * The placement check of validate-update: a dry-run create of a Deployment or DaemonSet. Whoever reaches the port can trigger it, so it is bounded: only in
 * the operator's namespace, one fixed name, two at a time, a short queue, error text cut.
 */
export function createPlacementCheck(options: { api: ApiConnection; operatorNamespace: string }): CheckPlacement {
  const { api, operatorNamespace } = options;
  const gate = createGate({ running: MAX_RUNNING, waiting: MAX_WAITING, what: 'placements are being checked' });
  return (kind, placement, signal) =>
    gate(async () => {
      try {
        const body = buildProbe(kind, operatorNamespace, placement);
        const path = resourcePath(kind, operatorNamespace);
        await api.request({ method: 'POST', path, query: { dryRun: 'All' }, body, signal, lane: 'reserved' });
        return undefined;
      } catch (error) {
        if (error instanceof ApiError && error.reason !== 'AlreadyExists') return error.message.slice(0, MAX_TEXT);
        if (error instanceof ApiError) return undefined;
        throw error;
      }
    }, signal);
}
