import { STRATEGY_VERSION_ANNOTATION } from '../api/names.ts';
import type { KubeVirtStatus } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { runSteps, type RunOptions, type RunReport } from '../apply/execute.ts';
import { PassAborted, errorText, isStale } from '../errors.ts';
import { findEmptyDefinitions } from '../observe/empty-definitions.ts';
import { findPodTrouble } from '../observe/job-pod.ts';
import { decideCertificateWakeUp } from '../plan/certificates.ts';
import { isEverythingReady } from '../plan/components.ts';
import { findRemnant, planCompleteness } from '../plan/completeness.ts';
import {
  markCreated,
  markFailed,
  markHeld,
  markReady,
  markUpdating,
  settleConditionTimes,
} from '../plan/conditions.ts';
import { findInvalidProductFields } from '../plan/metadata.ts';
import type { Undertaking } from '../plan/phase.ts';
import { findUnestablished } from '../plan/definitions.ts';
import { decideSteps } from '../plan/steps.ts';
import { findLostVersions } from '../plan/stored-versions.ts';
import { decideSynchronizationAddresses } from '../plan/synchronization-addresses.ts';
import { writeFinalizers, writeStatus } from '../status/write.ts';
import type { InstallStrategy, TargetDeployment } from '../strategy/types.ts';
import { adoptGenerations } from './adopt-generations.ts';
import { namePatches, withFailures } from './customize-failures.ts';
import { withFinalizer } from './finalizer.ts';
import type { Outcome } from './outcome.ts';
import { earlier, lookAfterStop, lookAgain } from './next-look.ts';
import { countWrites, type PassState } from './pass.ts';
import { done, failed, joinFailures, reportOf } from './pass-outcome.ts';
import { findNewProblems, withProblems } from './problems.ts';
import { createProgressReporter, type ProgressReporter } from './progress-report.ts';
import { draftInstallation, goArchitecture, isNews, isUpdating } from './status-draft.ts';
import type { LoadedStrategy } from './strategy-loader.ts';
import { findMonitoringGap, findUnmatchedPatches } from './warnings.ts';

/** A component that starts quickly is awaited within the pass; whatever takes longer comes back as an event. */
const PATIENCE_MS = 3000;
/** A dump Job is done within seconds; an older one is looked at, and told in the status. */
const SUSPECT_MS = 10_000;

type ReadyStrategy = Extract<LoadedStrategy, { type: 'ready' }>;
type PendingStrategy = Extract<LoadedStrategy, { type: 'pending' }>;

/** What one pass has come to. */
interface Result {
  /** Before the times of its conditions are settled. */
  status: KubeVirtStatus;
  outcome: () => Outcome;
}

/** What a pass is to reach. */
interface Aim {
  target: TargetDeployment;
  /** The status that it begins with. */
  draft: KubeVirtStatus;
  undertaking: Undertaking;
}

/**
 * Installs, updates or repairs (spec/reconcile.md §3): phase, conditions and finalizer are stored before the first object is created; then the strategy, what
 * old ones have left, and the steps. The status is written once at the end, also after a failure.
 */
export async function syncInstallation(
  pass: PassState,
  target: TargetDeployment,
  undertaking: Undertaking,
): Promise<Outcome> {
  const { statusClient, now } = pass;
  const stored = pass.kubeVirt.status ?? {};
  const { generation } = pass.kubeVirt.metadata;
  const draft = withProblems(draftInstallation(pass.kubeVirt, target, goArchitecture(process.arch)), pass.kubeVirt, {
    outdated: pass.parts.outdatedCertificates?.(),
    isWithoutRedis: pass.work.isWithoutRedis,
  });
  for (const event of findNewProblems(pass.kubeVirt, stored, draft)) pass.parts.events.record(event);
  pass.kubeVirt = await writeFinalizers(statusClient, pass.kubeVirt, withFinalizer);
  if (isNews(stored, draft)) {
    pass.kubeVirt = await writeStatus(statusClient, pass.kubeVirt, settleConditionTimes(draft, stored, now));
  }
  // Somebody has edited it since the target was decided: what follows would be said of a generation that it was not done for.
  if (pass.kubeVirt.metadata.generation !== generation) return beginAnew(pass);
  const { status, outcome } = await reach(pass, { target, draft, undertaking });
  const settled = settleConditionTimes(status, pass.kubeVirt.status ?? {}, now);
  pass.kubeVirt = await writeStatus(statusClient, pass.kubeVirt, settled);
  return outcome();
}

/** The event of the edit brings the next pass in any case. */
function beginAnew(pass: PassState): Outcome {
  return { type: 'later', wrote: countWrites(pass), at: pass.now, reason: 'the object was edited when the pass began' };
}

/** Everything between the two writes of the status. Rejects only when the pass is ended from outside. */
async function reach(pass: PassState, aim: Aim): Promise<Result> {
  const { target, draft } = aim;
  try {
    const { client, observed, now, kubeVirt, parts } = pass;
    const loaded = await parts.strategies.load({ kubeVirt, target, observed, client, now });
    for (const problem of loaded.type === 'ready' ? loaded.problems : []) pass.log.warn(problem);
    await deleteJobs(pass, loaded.obsoleteJobs);
    if (loaded.type === 'pending') {
      pass.log.info(`waiting for ${loaded.awaited}`);
      return { status: await markPending(pass, draft, loaded), outcome: () => pending(pass, loaded) };
    }
    await deleteOldStrategies(pass, target);
    return await apply(pass, aim, loaded);
  } catch (error) {
    if (pass.work.signal.aborted) throw new PassAborted('the pass was ended', { cause: error });
    return failure(pass, draft, error);
  }
}

async function apply(pass: PassState, { target, draft, undertaking }: Aim, loaded: ReadyStrategy): Promise<Result> {
  const { work, kubeVirt } = pass;
  tellWarnings(pass, undertaking, loaded);
  if (undertaking !== 'steady') {
    for (const field of findInvalidProductFields(kubeVirt.spec))
      pass.log.error(`${field} is no label value; it is ignored`);
  }
  const progress = createProgressReporter(pass);
  const report = await runInstallation(pass, { target, loaded, undertaking, progress });
  pass.report = report;
  const reached = { ...draft, generations: [...adoptGenerations(report)] };
  try {
    const result = judge(pass, target, { report, draft: reached });
    progress.finish(report, result.status.phase ?? 'Deploying');
    // Nothing waits for it, and packing it takes time that the first steps should have.
    await loaded.writeConfigMap();
    return result;
  } catch (error) {
    work.signal.throwIfAborted();
    return failure(pass, reached, error, report);
  }
}

/** What the administrator asks for and will not get. Parts of monitoring may come and go at any time, a patch only changes with the object. */
function tellWarnings({ kubeVirt, observed, parts }: PassState, undertaking: Undertaking, loaded: ReadyStrategy): void {
  const facts = { kubeVirt, strategy: loaded.strategy, features: observed.features, monitoring: loaded.monitoring };
  const patches = undertaking === 'steady' ? [] : findUnmatchedPatches(facts);
  for (const event of [...patches, ...findMonitoringGap(facts)]) parts.events.record(event);
}

/** What a run of steps means for the status. */
function judge(
  pass: PassState,
  target: TargetDeployment,
  { report, draft }: { report: RunReport; draft: KubeVirtStatus },
): Result {
  if (report.failures.length > 0) {
    const failures = namePatches(report.failures, pass.kubeVirt.spec.customizeComponents);
    return failure(pass, draft, joinFailures(failures), report);
  }
  const wakeUp = decideCertificateWakeUp(report.context);
  const outcome = (next = wakeUp) => done(pass, { wakeUp: next, report: reportOf(report) });
  const { rolloutHold } = report.context;
  const until = rolloutHold?.until;
  const waiting = (awaited: string) => () => outcome(earlier(wakeUp, lookAgain(awaited, pass.now, until)));
  const { stopped } = report;
  if (stopped !== undefined) {
    const { step, awaited } = stopped;
    pass.log.info({ step }, `waiting for ${awaited}`);
    const holder = rolloutHold === undefined ? findRemnant(report.context) : awaited;
    const status = withHolder(markStopped(draft, target, report), holder);
    return { status, outcome: () => outcome(earlier(wakeUp, lookAfterStop(stopped, pass.now, until))) };
  }
  const created = markCreated(
    withAddresses(markStopped(draft, target, report), decideSynchronizationAddresses(report.context)),
  );
  if (!isEverythingReady(report.context)) {
    return { status: withHolder(created, findRemnant(report.context)), outcome: waiting('all components to be ready') };
  }
  tellReady(pass, target);
  const unserved = findUnestablished(report.context);
  return {
    status: markReady(created, target, pass.kubeVirt.metadata.generation ?? 0),
    outcome: unserved === undefined ? outcome : waiting(`CustomResourceDefinition ${unserved} to be established`),
  };
}

function withHolder(status: KubeVirtStatus, holder: string | undefined): KubeVirtStatus {
  return holder === undefined ? status : markHeld(status, holder);
}

/** A pass that ends at a gate says whether anything is missing: an update whose objects are all there is available again after a failure. */
function markStopped(draft: KubeVirtStatus, target: TargetDeployment, { context }: RunReport): KubeVirtStatus {
  if (!isUpdating(draft, target)) return draft;
  return markUpdating(draft, target, { isWhole: planCompleteness(context).stop === undefined });
}

/** The status with the field, or without it. */
function withAddresses(status: KubeVirtStatus, synchronizationAddresses: string[] | undefined): KubeVirtStatus {
  if (synchronizationAddresses !== undefined) return { ...status, synchronizationAddresses };
  return Object.fromEntries(Object.entries(status).filter(([field]) => field !== 'synchronizationAddresses'));
}

async function runInstallation(
  pass: PassState,
  given: Pick<Aim, 'target' | 'undertaking'> & { loaded: ReadyStrategy; progress: ProgressReporter },
): Promise<RunReport> {
  const { target, loaded, progress } = given;
  const { kubeVirt, observed, now, parts, client, log, work } = pass;
  const { schedulableNodes, features } = observed;
  const { operatorNamespace, store } = parts;
  const { strategy, failures } = loaded;
  const leftAlone = failures.map(({ object }) => object);
  const emptyDefinitions = await findEmptied(pass, strategy);
  const environment = { operatorNamespace, features, schedulableNodes, now };
  const context = { kubeVirt, target, strategy, leftAlone, emptyDefinitions, ...environment };
  return runSteps(withFailures(decideSteps(context), failures), {
    context,
    generations: kubeVirt.status?.generations ?? [],
    store,
    client,
    signal: work.signal,
    log,
    ...holdRollouts(pass, given.undertaking),
    ...(parts.trace === undefined ? {} : { trace: parts.trace }),
    patienceMs: parts.patienceMs ?? PATIENCE_MS,
    isOutdated: () => {
      const { name = '', namespace, generation } = kubeVirt.metadata;
      return store.get('KubeVirt', name, namespace)?.metadata.generation !== generation;
    },
    onEvent: (event) => {
      parts.events.record(event);
    },
    onStep: (step) => {
      progress.onStep(step);
      parts.onStep?.(step);
    },
    onWrite: ({ step, verb, kind, name, namespace }) => {
      log.debug({ step, kind, name, namespace }, verb);
    },
  });
}

/** An edit of the object waits for migrations; repairs wait for none. */
function holdRollouts(
  { parts: { migrationHold }, kubeVirt, now, work: { signal } }: PassState,
  undertaking: Undertaking,
): Pick<RunOptions, 'findRolloutHold'> {
  if (migrationHold === undefined || undertaking === 'steady' || undertaking === 'install') return {};
  const { uid = '', generation = 0 } = kubeVirt.metadata;
  return { findRolloutHold: () => migrationHold.find({ edit: `${uid}/${generation}`, now, signal }) };
}

/** Of the CRDs that are to lose a version, those without an object; asks nothing where none is to lose one. */
function findEmptied({ parts, work, log }: PassState, strategy: InstallStrategy): Promise<string[]> {
  const losing = strategy
    .ofKind('CustomResourceDefinition')
    .map((definition) => findLostVersions(definition, parts.store))
    .flatMap((loss) => (loss?.isStorage === true ? [{ definition: loss.live, version: loss.storage }] : []));
  return findEmptyDefinitions(losing, parts.connection, work.signal, log);
}

function failure(pass: PassState, draft: KubeVirtStatus, thrown: unknown, report?: RunReport): Result {
  const error = thrown instanceof Error ? thrown : new Error('a pass failed without an error', { cause: thrown });
  pass.log.error({ reason: errorText(error) }, 'the installation could not go on');
  return {
    status: markFailed(draft, errorText(error)),
    outcome: () => failed(pass, error, report && reportOf(report)),
  };
}

/** What has failed so far, or the Job that takes long; in both cases why its pod does not start. */
async function markPending(pass: PassState, draft: KubeVirtStatus, pending: PendingStrategy): Promise<KubeVirtStatus> {
  const { job, failure, awaited } = pending;
  const { parts, work, log, now } = pass;
  const ageMs = job === undefined ? 0 : now.getTime() - Date.parse(job.metadata.creationTimestamp ?? '');
  const isLong = job !== undefined && ageMs >= SUSPECT_MS;
  const trouble = isLong
    ? await findPodTrouble({ job, connection: parts.connection, signal: work.signal, log })
    : undefined;
  const described = (text: string) => (trouble === undefined ? text : `${text}: ${trouble}`);
  if (failure !== undefined) return markFailed(draft, described(failure));
  return isLong ? markHeld(draft, described(awaited)) : draft;
}

/** A Job that ends brings an event; one whose pod does not start has to be looked at. */
function pending(pass: PassState, { until, awaited }: PendingStrategy): Outcome {
  if (until === undefined) return done(pass, { wakeUp: lookAgain(awaited, pass.now) });
  return { type: 'later', wrote: countWrites(pass), at: until, reason: awaited };
}

function tellReady({ log, kubeVirt }: PassState, target: TargetDeployment): void {
  const isFirst = kubeVirt.status?.observedDeploymentID !== target.id;
  if (isFirst)
    log.info(
      { version: target.kubeVirtVersion, registry: target.registry },
      'KubeVirt is deployed: all components are ready',
    );
}

/** ConfigMaps of other versions (spec/strategy.md §3.1). */
async function deleteOldStrategies({ client, observed }: PassState, target: TargetDeployment): Promise<void> {
  const outdated = observed.strategyConfigMaps.filter(({ metadata }) => {
    const version = metadata.annotations?.[STRATEGY_VERSION_ANNOTATION];
    return version !== undefined && version !== target.kubeVirtVersion && metadata.deletionTimestamp === undefined;
  });
  await Promise.all(
    outdated.map((configMap) => deleteIfThere(() => client.delete(targetOf('ConfigMap', configMap), uidOf(configMap)))),
  );
}

/** Jobs that have ended and are of no use any more (spec/strategy.md §3.1). */
async function deleteJobs({ client }: PassState, jobs: readonly KubernetesObject[]): Promise<void> {
  await Promise.all(
    jobs.map((job) =>
      deleteIfThere(() => client.delete(targetOf('Job', job), { ...uidOf(job), propagationPolicy: 'Foreground' })),
    ),
  );
}

async function deleteIfThere(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    // Gone, or another object of that name: either way the one that was meant is not there any more.
    if (!isStale(error)) throw error;
  }
}

function targetOf(kind: 'ConfigMap' | 'Job', { metadata }: KubernetesObject) {
  return { kind, name: metadata.name ?? '', namespace: metadata.namespace };
}

function uidOf({ metadata }: KubernetesObject) {
  return { uid: metadata.uid };
}
