import type { Router } from 'express';
import type { ApiConnection } from '../../src/api/connection.ts';
import { resourcePath } from '../../src/api/kinds.ts';
import { asKubeVirt, type KubeVirt } from '../../src/api/kubevirt.ts';
import type { Log } from '../../src/log.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { createGate } from '../gate.ts';
import { createReviewRouter, type ObserveReview, type AdmissionRequest } from '../review.ts';
import type { Verdict } from '../verdict.ts';

/** Path at which the webhook configuration `virt-operator-validator` expects this function (spec/webhooks.md §1). */
export const VALIDATE_DELETE_PATH = '/kubevirt-validate-delete';

/** What validate-delete needs. */
export interface ValidateDeleteOptions {
  api: ApiConnection;
  log: Log;
  observe?: ObserveReview;
  trace?: Trace;
}

/** Workloads that hold up a removal, in the order in which they are looked for (spec/webhooks.md §5). */
const WORKLOADS = [
  { plural: 'virtualmachineinstances', title: 'Virtual Machine Instances' },
  { plural: 'virtualmachines', title: 'Virtual Machines' },
  { plural: 'virtualmachineinstancereplicasets', title: 'Virtual Machine Instance Replica Sets' },
] as const;

const ALLOWED: Verdict = { kind: 'allowed' };

/** True when neither the strategy nor the phase of the object asks for a look at workloads. */
function isFreeToGo(kubeVirt: KubeVirt): boolean {
  const strategy = kubeVirt.spec.uninstallStrategy ?? '';
  return strategy === '' || strategy === 'RemoveWorkloads' || kubeVirt.status?.phase !== 'Deployed';
}

/**
 * The objects about to be deleted: the one in the review, which API servers that we know always put there, else what the API server has; without a name,
 * which means a whole collection, all of the namespace.
 */
async function readTargets(request: AdmissionRequest, api: ApiConnection, signal: AbortSignal): Promise<KubeVirt[]> {
  if (request.oldObject) return [asKubeVirt(request.oldObject)];
  const path = resourcePath('KubeVirt', request.namespace || undefined, request.name || undefined);
  const answer = await api.request({ method: 'GET', path, signal, lane: 'reserved' });
  return 'items' in answer ? (answer.items as object[]).map(asKubeVirt) : [asKubeVirt(answer)];
}

async function findWorkloads(api: ApiConnection, signal: AbortSignal): Promise<string | undefined> {
  for (const { plural, title } of WORKLOADS) {
    const list = await api.request({
      method: 'GET',
      path: `/apis/kubevirt.io/v1/${plural}`,
      query: { limit: 1 },
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      signal,
      lane: 'reserved',
    });
    if (Array.isArray(list.items) && list.items.length > 0) return title;
  }
  return undefined;
}

/** What keeps the objects from being deleted; undefined when nothing does. */
async function findObstacle(request: AdmissionRequest, api: ApiConnection, signal: AbortSignal) {
  const targets = await readTargets(request, api, signal);
  return targets.every(isFreeToGo) ? undefined : findWorkloads(api, signal);
}

/** Decisions for which the API server is asked at a time, and that wait; anybody who reaches the port can make us ask. */
const LOOKS = { running: 8, waiting: 32, what: 'removals are being checked' };

/**
 * validate-delete: refuses to delete a deployed KubeVirt whose uninstall strategy protects workloads while there are any (spec/webhooks.md §5).
 * Asks the API server only when the object in the review calls for it.
 */
export function createValidateDelete(options: ValidateDeleteOptions): Router {
  const { api, log } = options;
  const gate = createGate(LOOKS);
  return createReviewRouter({
    path: VALIDATE_DELETE_PATH,
    name: 'validate-delete',
    admit: async (request, signal) => {
      const { oldObject } = request;
      if (oldObject && isFreeToGo(asKubeVirt(oldObject))) return ALLOWED;
      const found = await gate(() => findObstacle(request, api, signal), signal);
      if (found === undefined) return ALLOWED;
      return {
        kind: 'refused',
        message: `Rejecting the uninstall request: there are still ${found}. Delete them first, or set spec.uninstallStrategy to RemoveWorkloads.`,
      };
    },
    log,
    observe: options.observe,
    trace: options.trace,
  });
}
