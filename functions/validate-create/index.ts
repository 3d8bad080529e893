import type { Router } from 'express';
import type { ApiConnection } from '../../src/api/connection.ts';
import { resourcePath } from '../../src/api/kinds.ts';
import type { Log } from '../../src/log.ts';
import { createReviewRouter, type Verdict, type Violation } from '../review.ts';

/** Path at which the webhook configuration `virt-operator-validator` expects this function (spec/webhooks.md §1). */
export const VALIDATE_CREATE_PATH = '/kubevirt-validate-create';

/** What validate-create needs. */
export interface ValidateCreateOptions {
  api: ApiConnection;
  log: Log;
  /** Problems of an object against the KubeVirt schema, as sentences. */
  findSchemaProblems: (object: object) => string[];
  /** Semantic checks of a new object (spec/field-reports.md B46); absent: none, as upstream. */
  findViolations?: (object: object) => Violation[];
}

/** validate-create: the schema, then that there is no KubeVirt yet in any namespace (spec/webhooks.md §3). */
export function createValidateCreate(options: ValidateCreateOptions): Router {
  const { api, log, findSchemaProblems, findViolations } = options;
  return createReviewRouter(
    VALIDATE_CREATE_PATH,
    async (request, signal): Promise<Verdict> => {
      const object = request.object ?? {};
      const problems = findSchemaProblems(object);
      if (problems.length > 0) return { kind: 'schema', problems };
      const existing = await api.request({
        method: 'GET',
        path: resourcePath('KubeVirt'),
        query: { limit: 1 },
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        signal,
        lane: 'reserved',
      });
      if (Array.isArray(existing.items) && existing.items.length > 0) {
        return { kind: 'refused', message: 'KubeVirt is already created: a cluster has at most one KubeVirt object.' };
      }
      const violations = findViolations?.(object) ?? [];
      return violations.length > 0 ? { kind: 'violations', violations } : { kind: 'allowed' };
    },
    log,
  );
}
