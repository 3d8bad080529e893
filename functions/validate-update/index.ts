import { isDeepStrictEqual } from 'node:util';
import type { Router } from 'express';
import { asKubeVirt } from '../../src/api/kubevirt.ts';
import type { Log } from '../../src/log.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { createReviewRouter, type ObserveReview, type AdmissionRequest } from '../review.ts';
import type { Verdict } from '../verdict.ts';
import type { CheckPlacement } from './placement.ts';
import type { Update } from './rules.ts';
import { findViolations } from './violations.ts';
import { findWarnings } from './warnings.ts';

/** Path at which the webhook configuration `virt-operator-validator` expects this function (spec/webhooks.md §1). */
export const VALIDATE_UPDATE_PATH = '/kubevirt-validate-update';

/** What validate-update needs. */
export interface ValidateUpdateOptions {
  checkPlacement: CheckPlacement;
  /** Problems of an object against the KubeVirt schema, as sentences. */
  findSchemaProblems: (object: object) => string[];
  log: Log;
  observe?: ObserveReview;
  trace?: Trace;
}

const EXPECTED = 'expect resource to be kubevirts.kubevirt.io in version v1 or v1alpha3';

/** The update in a review, or what is wrong with the review. */
function parseUpdate(request: AdmissionRequest): Update | string {
  const { group, version, resource } = request.resource;
  if (group !== 'kubevirt.io' || resource !== 'kubevirts' || !['v1', 'v1alpha3'].includes(version)) return EXPECTED;
  if (request.operation !== 'UPDATE' || !request.object || !request.oldObject)
    return 'expect an UPDATE with the old and the new object';
  return { old: asKubeVirt(request.oldObject), new: asKubeVirt(request.object) };
}

/** The new object as far as the update can be at fault: its status is not in the hands of whoever changes the spec, and it is the longer part. */
function withoutSameStatus({ object, oldObject }: AdmissionRequest): object {
  const { status, ...rest } = object ?? {};
  return status === undefined || isDeepStrictEqual(oldObject?.status, status) ? rest : { ...rest, status };
}

/**
 * validate-update: schema, then all rules of spec/webhooks.md §4.3 in order, every violation collected. A spec that did not change passes: it cannot be
 * mended by refusing a change of labels or finalizers, our own among them.
 */
export function createValidateUpdate(options: ValidateUpdateOptions): Router {
  const { checkPlacement, findSchemaProblems, log } = options;
  const admit = async (request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> => {
    const update = parseUpdate(request);
    if (typeof update === 'string') return { kind: 'refused', message: update };
    if (isDeepStrictEqual(update.old.spec, update.new.spec)) return { kind: 'allowed', warnings: findWarnings(update) };
    const problems = findSchemaProblems(withoutSameStatus(request));
    if (problems.length > 0) return { kind: 'schema', problems };
    const violations = await findViolations(update, checkPlacement, signal);
    const warnings = findWarnings(update);
    return violations.length > 0 ? { kind: 'violations', violations, warnings } : { kind: 'allowed', warnings };
  };
  return createReviewRouter({
    path: VALIDATE_UPDATE_PATH,
    name: 'validate-update',
    admit,
    log,
    observe: options.observe,
    trace: options.trace,
  });
}
