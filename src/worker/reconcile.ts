import { LATEST_API_VERSION_ANNOTATION, STORAGE_API_VERSION_ANNOTATION } from '../api/names.ts';
import { gather } from '../observe/gather.ts';
import { markBlocked, settleConditionTimes } from '../plan/conditions.ts';
import { decideSituation } from '../plan/phase.ts';
import { writeAnnotations, writeFinalizers, writeStatus } from '../status/write.ts';
import { decideTarget } from '../strategy/target.ts';
import { COMPILED_RELEASE } from '../exchange/strategy-source.ts';
import { withoutFinalizer } from './finalizer.ts';
import { syncInstallation } from './install.ts';
import type { Outcome } from './outcome.ts';
import { closePass, openPass, type PassState, type ReconcileParts } from './pass.ts';
import { done } from './pass-outcome.ts';
import { syncDeletion } from './remove.ts';
import type { Pass, PassWork } from './run-job.ts';
import { tellSituation } from './situation.ts';

/**
 * The pass of the operator (spec/reconcile.md §2): waits until the caches have seen what the causes and our own writes have raised, looks, names the
 * situation, and does what it asks for. What goes wrong is told in the object's status, in the log and in the outcome.
 */
export function createReconcile(parts: ReconcileParts): Pass {
  return async (key, work) => {
    await reachCaches(parts, work);
    const observed = gather(key, parts.store);
    const { kubeVirt } = observed;
    if (kubeVirt === undefined) {
      parts.log.info({ key, pass: work.pass }, 'there is no such KubeVirt object any more');
      void parts.situations.remove(key);
      void parts.progress.clear(key);
      return { type: 'done', wrote: 0 };
    }
    const pass = openPass(parts, { key, work, observed, kubeVirt });
    try {
      return await reconcile(pass);
    } finally {
      await closePass(pass);
      if (!work.signal.aborted) tellSituation(pass);
    }
  };
}

/** Design decision 4: nothing is decided on a cache that has not seen our own writes, or what the gateway has seen. */
async function reachCaches({ store }: ReconcileParts, { versions, deletes, signal }: PassWork): Promise<void> {
  await store.whenSynced(signal);
  await Promise.all([store.reach(versions, signal), ...deletes.map(({ kind, uid }) => store.gone(kind, uid, signal))]);
}

/** Both annotations come before anything else, as upstream writes them (spec/reconcile.md §2, step 2). */
const API_VERSIONS = { [LATEST_API_VERSION_ANNOTATION]: 'v1', [STORAGE_API_VERSION_ANNOTATION]: 'v1' };

async function reconcile(pass: PassState): Promise<Outcome> {
  const { statusClient, parts, observed } = pass;
  pass.kubeVirt = await writeAnnotations(statusClient, pass.kubeVirt, API_VERSIONS);
  const target = decideTarget(pass.kubeVirt, parts.release);
  const { operatorNamespace } = parts;
  const { kubeVirt } = pass;
  const { others } = observed;
  const operatorVersion = COMPILED_RELEASE;
  const situation = decideSituation({ kubeVirt, others, operatorNamespace, target, operatorVersion });
  switch (situation.type) {
    case 'deploy':
      return syncInstallation(pass, target, situation.undertaking);
    case 'delete':
      return syncDeletion(pass, target);
    case 'blocked':
      await writeBlocked(pass, situation.cause);
      return done(pass);
    case 'release':
      pass.log.info(situation.cause);
      await writeFinalizers(statusClient, kubeVirt, withoutFinalizer);
      return done(pass);
    case 'absent':
      return done(pass);
  }
}

/** Says why nothing is done for this object (design decision 13). */
async function writeBlocked({ statusClient, kubeVirt, now, log }: PassState, cause: string): Promise<void> {
  log.error({ reason: cause }, 'this KubeVirt object is ignored');
  const { status = {} } = kubeVirt;
  await writeStatus(statusClient, kubeVirt, settleConditionTimes(markBlocked(status, cause), status, now));
}
