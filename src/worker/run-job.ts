import type { Cause } from '../api/causes.ts';
import type { ResourceVersions } from '../api/store.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AwaitedDelete, Taken } from '../queue/causes.ts';
import type { PassRecord } from '../queue/pass-log.ts';
import type { ActiveJob, PassQueue, Term, WakeUps } from '../queue/types.ts';
import { orGiveUp, wait, whenAborted } from '../queue/wait.ts';
import { hasProgressed, outcomeOfError, type Outcome } from './outcome.ts';
import { settle } from './settle.ts';
import { decideSpacing, nextSpacing, type Spacing } from './spacing.ts';

/** What one pass is told beside its key. */
export interface PassWork {
  /** Why it runs; never empty. */
  causes: readonly Cause[];
  /** The pass decides nothing before its caches have reached these. */
  versions: ResourceVersions;
  /** The pass decides nothing before these are gone from its caches. */
  deletes: readonly AwaitedDelete[];
  /** Id of the pass, for logs and progress. */
  pass: string;
  fence: number;
  /** The pass runs under the Lease, because Redis cannot be used (design decision 3). */
  isWithoutRedis?: true;
  /** Looks at the clock, and aborts `signal` when leadership is over: to be asked right before each call (spec/field-reports.md L01). */
  isHeld?: () => boolean;
  /** Aborts when the pass has to end at once; it then rejects or returns what it has reached. */
  signal: AbortSignal;
}

/** Reconciles one key. What it throws counts as a failure that may be retried. */
export type Pass = (key: string, work: PassWork) => Promise<Outcome>;

/** What running a job needs. */
export interface JobContext {
  queue: PassQueue;
  wakeUps: WakeUps;
  history: { append(record: PassRecord): Promise<void> };
  pass: Pass;
  log: Log;
  /** Name of this worker, for people. */
  name: string;
  /** How the last passes went, per key. */
  spacing: Map<string, Spacing>;
  /** How long a pass may take to settle after its signal aborted, in milliseconds. */
  settleMs: number;
  /** Called when a pass took longer than that. */
  onStuck: (key: string) => void;
}

/** Milliseconds that Redis may take to answer after leadership has ended. */
const REDIS_GRACE_MS = 1000;

/**
 * Runs one job: keeps the distance to the last pass, takes the causes, runs the pass if there is a reason for one, and settles the job.
 * Rejects when Redis does not take the result; the job then counts as left behind and its key comes again.
 */
export async function runJob(job: ActiveJob, term: Term, context: JobContext): Promise<void> {
  const bounded = <T>(call: Promise<T>): Promise<T> => orGiveUp(call, term.signal, REDIS_GRACE_MS);
  await wait(decideSpacing(context.spacing.get(job.key), performance.now()), term.signal);
  if (term.signal.aborted) {
    await bounded(job.putBack());
    return;
  }
  const taken = await bounded(context.queue.takeCauses(job.key));
  if (taken.causes.length === 0) {
    await bounded(job.complete({ outcome: 'skipped', reason: 'nothing but our own writes' }));
    return;
  }
  const startedAt = Date.now();
  const outcome = await runPass(job, taken, term, context);
  const settled = outcome === undefined ? handBack(job, taken, context) : settle(job, outcome, context.wakeUps);
  await Promise.all([
    bounded(settled),
    context.history.append(buildRecord({ job, taken, outcome, startedAt, worker: context.name })),
  ]);
}

/** Runs the pass; nothing when it was aborted, or when another leader may be at work and its outcome counts no more. */
async function runPass(job: ActiveJob, taken: Taken, term: Term, context: JobContext): Promise<Outcome | undefined> {
  const work: PassWork = {
    ...taken,
    pass: job.id,
    fence: term.fence,
    signal: term.signal,
    isHeld: () => term.isHeld(),
  };
  const settled = new AbortController();
  void watchStuck(job.key, work.signal, settled.signal, context);
  const startedAt = performance.now();
  let outcome: Outcome;
  try {
    outcome = await context.pass(job.key, work);
  } catch (error) {
    if (term.signal.aborted) return undefined;
    context.log.error({ key: job.key, pass: job.id, error }, 'a pass failed before it could tell why in the status');
    outcome = outcomeOfError(error);
  } finally {
    settled.abort();
  }
  if (!term.isHeld()) return undefined;
  const times = { startedAt, endedAt: performance.now(), wrote: hasProgressed(outcome) };
  context.spacing.set(job.key, nextSpacing(context.spacing.get(job.key), times));
  return outcome;
}

/** Says so when the pass goes on for too long after its signal aborted. */
async function watchStuck(key: string, signal: AbortSignal, settled: AbortSignal, context: JobContext): Promise<void> {
  await whenAborted(signal, settled);
  await wait(context.settleMs, settled);
  if (!settled.aborted) context.onStuck(key);
}

/** The pass was ended from outside: its causes go back, and with them the key gets another turn. */
async function handBack(job: ActiveJob, taken: Taken, { queue, log }: JobContext): Promise<void> {
  log.info({ key: job.key, pass: job.id }, 'the pass was ended from outside; the next leader goes on');
  await queue.add(job.key, taken.causes);
  await job.complete({ outcome: 'aborted' });
}

/** A finished pass as the history keeps it. */
function buildRecord(run: {
  job: ActiveJob;
  taken: Taken;
  outcome: Outcome | undefined;
  startedAt: number;
  worker: string;
}): PassRecord {
  const { job, taken, outcome, startedAt, worker } = run;
  const reason = outcome === undefined ? undefined : reasonOf(outcome);
  return {
    ...outcome?.report,
    id: job.id,
    key: job.key,
    causes: taken.causes,
    causesTotal: taken.causes.length,
    startedAt,
    durationMs: Date.now() - startedAt,
    outcome: outcome?.type ?? 'aborted',
    ...(reason !== undefined && { reason }),
    writes: outcome?.wrote ?? 0,
    worker,
  };
}

function reasonOf(outcome: Outcome): string | undefined {
  switch (outcome.type) {
    case 'done':
      return outcome.wakeUp?.reason;
    case 'later':
      return outcome.reason;
    case 'retry':
    case 'never':
      return errorText(outcome.error);
  }
}
