import { SCHEDULABLE_LABEL } from '../api/names.ts';
import type { KubeVirtStatus } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { createClient, type ApiClient } from '../apply/client.ts';
import { runSteps, type RunOptions, type RunReport } from '../apply/execute.ts';
import { errorText, PassAborted } from '../errors.ts';
import { markDeleted, markDeleting, markDeletionFailed, markHeld, settleConditionTimes } from '../plan/conditions.ts';
import { isCleanUpToBeWatched, listUnemptied, TEARDOWN_STEPS } from '../plan/teardown.ts';
import { writeFinalizers, writeStatus } from '../status/write.ts';
import { buildInstallStrategy } from '../strategy/install-strategy.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { withoutFinalizer } from './finalizer.ts';
import type { Outcome } from './outcome.ts';
import type { PassState } from './pass.ts';
import { done, failed, joinFailures, reportOf } from './pass-outcome.ts';
import { createRemovalReporter } from './progress-report.ts';

/** A removal that nobody holds is over before; each change of what it waits for would cost a write of the status. */
const LONG_MS = 30_000;

/**
 * Removes the installation of an object that is being deleted (spec/reconcile.md §4): everything that is managed, whatever strategy it came from; the
 * finalizer goes when nothing is left. What has to be waited for comes back as an event.
 */
export async function syncDeletion(pass: PassState, target: TargetDeployment): Promise<Outcome> {
  const { log } = pass;
  const { phase } = pass.kubeVirt.status ?? {};
  if (phase !== 'Deleting') {
    log.info('the installation is being removed');
    await store(pass, markDeleting(pass.kubeVirt.status ?? {}));
  }
  try {
    pass.report = await runRemoval(pass, target);
  } catch (error) {
    if (pass.work.signal.aborted) throw new PassAborted('the pass was ended', { cause: error });
    return tellFailure(pass, error instanceof Error ? error : new Error('a removal failed', { cause: error }));
  }
  const { report } = pass;
  if (report.failures.length > 0) return tellFailure(pass, joinFailures(report.failures), report);
  // Only now does the condition of a failure go: before, it would come and go with every retry.
  const deleting = markDeleting(pass.kubeVirt.status ?? {});
  if (report.stopped !== undefined) return wait(pass, deleting, { ...report, stopped: report.stopped });
  pass.parts.strategies.forget();
  await store(pass, markDeleted(deleting));
  await writeFinalizers(pass.statusClient, pass.kubeVirt, withoutFinalizer);
  log.info('KubeVirt is removed');
  return done(pass, { report: reportOf(report) });
}

/** Events bring the next pass. What is awaited for long is told in the status, with the CRDs of which objects are left. */
async function wait(
  pass: PassState,
  deleting: KubeVirtStatus,
  report: RunReport & Required<Pick<RunReport, 'stopped'>>,
): Promise<Outcome> {
  const { step, awaited } = report.stopped;
  pass.log.info({ step }, `waiting for ${awaited}`);
  const begun = Date.parse(pass.kubeVirt.metadata.deletionTimestamp ?? '');
  const isLong = pass.now.getTime() >= begun + LONG_MS;
  const holders = [awaited, ...listUnemptied(report.context)].join(', ');
  await store(pass, isLong ? markHeld(deleting, holders) : deleting);
  const at = isLong ? pass.now.getTime() + LONG_MS : begun + LONG_MS;
  const isLookedAt = isLong ? isCleanUpToBeWatched(report.context) : !Number.isNaN(begun);
  const wakeUp = { at: new Date(at), reason: `still waiting for ${awaited}` };
  return done(pass, { report: reportOf(report), ...(isLookedAt ? { wakeUp } : {}) });
}

async function tellFailure(pass: PassState, error: Error, report?: RunReport): Promise<Outcome> {
  pass.log.error({ reason: errorText(error) }, 'the removal could not go on');
  await store(pass, markDeletionFailed(pass.kubeVirt.status ?? {}, errorText(error)));
  return failed(pass, error, report && reportOf(report));
}

async function store(pass: PassState, status: KubeVirtStatus): Promise<void> {
  const { kubeVirt, statusClient, now } = pass;
  pass.kubeVirt = await writeStatus(statusClient, kubeVirt, settleConditionTimes(status, kubeVirt.status ?? {}, now));
}

async function runRemoval(pass: PassState, target: TargetDeployment): Promise<RunReport> {
  const { kubeVirt, observed, now, parts, client, log, work } = pass;
  const { schedulableNodes, features } = observed;
  const { operatorNamespace } = parts;
  // A removal follows what is there, not what a strategy says.
  const strategy = buildInstallStrategy([]);
  const tellStep = createRemovalReporter(pass);
  return runSteps(TEARDOWN_STEPS, {
    context: { kubeVirt, target, strategy, operatorNamespace, features, schedulableNodes, now },
    generations: [],
    store: await withLiveNodes(pass),
    client,
    signal: work.signal,
    log,
    ...(parts.trace === undefined ? {} : { trace: parts.trace }),
    onStep: (step) => {
      tellStep(step);
      parts.onStep?.(step);
    },
  });
}

/**
 * The caches only count nodes; their labels are read live (spec/reconcile.md §4, point 22). Where they cannot be read, only the step that asks for them fails.
 */
async function withLiveNodes({ parts, work }: PassState): Promise<RunOptions['store']> {
  const { store, connection } = parts;
  const reader = createClient(connection, { signal: work.signal });
  const nodes = await readNodes(reader);
  return {
    get: (kind, name, namespace) => store.get(kind, name, namespace),
    list: (kind) => (kind === 'Node' ? nodes() : store.list(kind)),
    onChange: (listener) => store.onChange(listener),
  };
}

async function readNodes(reader: ApiClient): Promise<() => KubernetesObject[]> {
  try {
    const nodes = await reader.list('Node', { labelSelector: SCHEDULABLE_LABEL });
    return () => nodes;
  } catch (cause) {
    return () => {
      throw new Error('the labels of nodes cannot be read', { cause });
    };
  }
}
