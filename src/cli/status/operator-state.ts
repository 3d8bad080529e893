import type { ApiConnection } from '../../api/connection.ts';
import { resourcePath } from '../../api/kinds.ts';
import type { KubeVirt } from '../../api/kubevirt.ts';
import type { KubernetesObject } from '../../api/objects.ts';
import { ApiError } from '../../errors.ts';
import { OPERATOR_POD_LABEL } from '../cluster/release.ts';
import type { Scene } from '../cluster/scene.ts';

/** A Deployment of the operator. */
export interface OperatorDeployment {
  name: string;
  wanted: number;
  ready: number;
}

/** The webhook that keeps a KubeVirt object from being deleted while its operator is away (spec/deployment.md §8). */
const VALIDATOR = 'virt-operator-validator';

/** The operator's Deployments in its namespace; none where it runs in another way, as in the sandbox. */
export function findOperator(deployments: readonly KubernetesObject[]): OperatorDeployment[] {
  return deployments
    .filter(({ spec }) => isOperatorTemplate(spec?.['template']))
    .map(({ metadata, spec = {}, status = {} }) => ({
      name: metadata.name ?? '',
      wanted: Number(spec['replicas'] ?? 1),
      ready: Number(status['readyReplicas'] ?? 0),
    }));
}

function isOperatorTemplate(template: unknown): boolean {
  const { metadata } = (template ?? {}) as { metadata?: { labels?: Record<string, string> } };
  return metadata?.labels?.[OPERATOR_POD_LABEL.key] === OPERATOR_POD_LABEL.value;
}

/**
 * What keeps the KubeVirt object from being deleted; undefined when nothing does, or when it cannot be told. Asks the API server with a dry run, which
 * calls the admission webhooks and deletes nothing (spec/field-reports.md B45).
 */
export async function findDeletionBlock(
  connection: ApiConnection,
  { metadata }: KubeVirt,
  signal: AbortSignal,
): Promise<{ isUnanswered: boolean; reason: string } | undefined> {
  const path = resourcePath('KubeVirt', metadata.namespace, metadata.name);
  try {
    await connection.request({ method: 'DELETE', path, query: { dryRun: 'All' }, signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status >= 500 && error.message.includes('webhook')) return { isUnanswered: true, reason: error.message };
    return error.message.includes('admission webhook') ? { isUnanswered: false, reason: error.message } : undefined;
  }
}

/** Whether an admission webhook of the operator is in place. */
export function hasValidator({ table }: Pick<Scene, 'table'>): boolean {
  return table.get('ValidatingWebhookConfiguration', VALIDATOR) !== undefined;
}

/** How to get an installation removed whose operator does not answer. */
export function describeRepair(namespace: string, operator: readonly OperatorDeployment[]): string {
  const [first] = operator;
  const restart =
    first === undefined
      ? 'start the operator again'
      : `let the operator run again: kubectl --namespace ${namespace} scale deployment/${first.name} --replicas=2`;
  return `${restart}; only if it is to stay away: kubectl delete validatingwebhookconfiguration ${VALIDATOR}, and take the finalizers off the KubeVirt object`;
}
