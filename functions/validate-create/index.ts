import type { Router } from 'express';
import type { ApiConnection } from '../../src/api/connection.ts';
import { resourcePath } from '../../src/api/kinds.ts';
import { asKubeVirt, type KubeVirt } from '../../src/api/kubevirt.ts';
import type { Log } from '../../src/log.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { createGate } from '../gate.ts';
import { createReviewRouter, type ObserveReview } from '../review.ts';
import type { Verdict, Violation } from '../verdict.ts';
import type { CheckPlacement } from '../validate-update/placement.ts';
import { findViolations } from '../validate-update/violations.ts';
import { findWarnings } from '../validate-update/warnings.ts';

/** Path at which the webhook configuration `virt-operator-validator` expects this function (spec/webhooks.md §1). */
export const VALIDATE_CREATE_PATH = '/kubevirt-validate-create';

/** What validate-create needs. */
export interface ValidateCreateOptions {
  api: ApiConnection;
  log: Log;
  /** Problems of an object against the KubeVirt schema, as sentences. */
  findSchemaProblems: (object: object) => string[];
  /** Semantic checks of a new object (spec/field-reports.md B46); absent: none, as upstream. */
  check?: CheckNew;
  observe?: ObserveReview;
  trace?: Trace;
}

/** What is wrong, and what is worth a warning, about a new object that fits the schema. */
export type CheckNew = (
  kubeVirt: KubeVirt,
  signal: AbortSignal,
) => Promise<{ violations: Violation[]; warnings: string[] }>;

/** Every check of validate-update, for an object that has no predecessor: whatever it sets is a change. */
export function createCheckNew(checkPlacement: CheckPlacement): CheckNew {
  return async (kubeVirt, signal) => {
    const update = { old: asKubeVirt({}), new: kubeVirt };
    return { violations: await findViolations(update, checkPlacement, signal), warnings: findWarnings(update) };
  };
}

async function isAnyThere(api: ApiConnection, signal: AbortSignal): Promise<boolean> {
  const list = await api.request({
    method: 'GET',
    path: resourcePath('KubeVirt'),
    query: { limit: 1 },
    accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    signal,
    lane: 'reserved',
  });
  return Array.isArray(list.items) && list.items.length > 0;
}

/** Decisions for which the API server is asked at a time, and that wait; anybody who reaches the port can make us ask. */
const LOOKS = { running: 8, waiting: 32, what: 'creations are being checked' };

/** validate-create: the schema, then that there is no KubeVirt yet in any namespace (spec/webhooks.md §3), then the semantic checks if they are wanted. */
export function createValidateCreate(options: ValidateCreateOptions): Router {
  const { api, log, findSchemaProblems, check } = options;
  const gate = createGate(LOOKS);
  return createReviewRouter({
    path: VALIDATE_CREATE_PATH,
    name: 'validate-create',
    admit: async (request, signal): Promise<Verdict> => {
      const object = request.object ?? {};
      const problems = findSchemaProblems(object);
      if (problems.length > 0) return { kind: 'schema', problems };
      if (await gate(() => isAnyThere(api, signal), signal)) {
        return { kind: 'refused', message: 'KubeVirt is already created: a cluster has at most one KubeVirt object.' };
      }
      if (check === undefined) return { kind: 'allowed' };
      const { violations, warnings } = await check(asKubeVirt(object), signal);
      return violations.length > 0 ? { kind: 'violations', violations, warnings } : { kind: 'allowed', warnings };
    },
    log,
    observe: options.observe,
    trace: options.trace,
  });
}
