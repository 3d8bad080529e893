import { randomUUID } from 'node:crypto';
import { Worker, type Job, type Queue } from 'bullmq';
import type { Cause } from '../api/causes.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { parseJobData, type JobData } from './job-data.ts';
import { RECONCILE_QUEUE } from './keys.ts';
import { failStranded } from './stranded-jobs.ts';
import type { ActiveJob } from './types.ts';
import { orGiveUp, wait } from './wait.ts';

/** How long a newer build's job is put off by an older one. A new leader does not wait for it: it looks at every job once when it begins. */
const NEWER_JOB_DELAY_MS = 60_000;
/** Seconds of blocking for a job, after which a leader looks for stranded jobs. */
const BLOCK_SECONDS = 5;
/** Pause after a failed call to Redis. */
const ERROR_PAUSE_MS = 500;
/** How long a call to Redis may go on after leadership has ended; a job that arrives later is put back. */
const GRACE_MS = 1000;
/** Only the leader runs jobs, and the leader's lock is ours, so that BullMQ's lock of one job never has to expire. */
const JOB_LOCK_MS = 86_400_000;

/** What `readJobs` needs. */
export interface JobSourceOptions {
  redis: RedisConnections;
  queue: Queue<JobData>;
  log: Log;
  add: (key: string, cause: Cause) => Promise<void>;
  signal: AbortSignal;
}

/** A job in the hands of the consumer. */
interface Handed extends ActiveJob {
  isSettled(): boolean;
}

/**
 * The jobs of a leader, one at a time, until `signal` aborts (see `PassQueue.jobs`). BullMQ's worker is asked for each job, instead of being left to
 * run them: a worker that runs by itself fetches a next job before anyone can tell it that the lock is lost, and spins when Redis refuses writes.
 */
export async function* readJobs(options: JobSourceOptions): AsyncGenerator<ActiveJob, void, undefined> {
  const source: Source = { worker: openWorker(options), begun: false, last: undefined, failing: false };
  try {
    while (!options.signal.aborted) {
      const job = await tryNext(source, options);
      if (job !== undefined) yield job;
    }
  } finally {
    await source.worker.close(true);
  }
}

/** What a leader knows about its own jobs. */
interface Source {
  readonly worker: Worker<JobData>;
  begun: boolean;
  last: Handed | undefined;
  /** The last call to Redis has failed; said once per outage. */
  failing: boolean;
}

/** One try to get a job; a failure is logged, and followed by a pause. */
async function tryNext(source: Source, options: JobSourceOptions): Promise<Handed | undefined> {
  try {
    source.last = await orGiveUp(readNext(source, options), options.signal, GRACE_MS);
    source.failing = false;
    return source.last;
  } catch (error) {
    if (!source.failing) options.log.warn({ error: errorText(error) }, 'the queue gives no job; trying again');
    source.failing = true;
    await wait(ERROR_PAUSE_MS, options.signal);
    return undefined;
  }
}

/** One try to get a job; around it, everything is ended that was left behind. */
async function readNext(source: Source, options: JobSourceOptions): Promise<Handed | undefined> {
  if (!source.begun) {
    await tidyUp(options, 'the worker that ran it has ended or has lost its lock');
    // Jobs that an older build has put off: this one may be new enough.
    await options.queue.promoteJobs();
    source.begun = true;
  }
  if (source.last?.isSettled() === false) {
    await tidyUp(options, 'the pass is over, but Redis did not take its result');
    source.last = undefined;
  }
  const job = await fetchJob(source.worker, options);
  if (job === undefined && !options.signal.aborted) await tidyUp(options, 'nobody runs it');
  return job;
}

/**
 * Sets again what Redis keeps as a setting, and ends jobs that nobody runs. This leader runs none at that moment, and no other may.
 * Done at every idle turn, so that neither an emptied Redis nor a worker that died between two commands can hold the queue up.
 */
async function tidyUp(options: JobSourceOptions, why: string): Promise<void> {
  await options.queue.setGlobalConcurrency(1);
  await failStranded({ ...options, redis: options.redis.impatient }, why);
}

function openWorker({ redis, log }: JobSourceOptions): Worker<JobData> {
  const worker = new Worker<JobData>(RECONCILE_QUEUE, null, {
    // BullMQ blocks on a copy of this connection.
    connection: redis.patient(),
    prefix: redis.prefix,
    autorun: false,
    concurrency: 1,
    lockDuration: JOB_LOCK_MS,
    skipLockRenewal: true,
    skipStalledCheck: true,
    skipVersionCheck: true,
    drainDelay: BLOCK_SECONDS,
  });
  worker.on('error', (error) => {
    log.debug({ error: errorText(error) }, 'BullMQ reported an error');
  });
  return worker;
}

/** The next job of ours, or nothing when none came for some seconds or the signal has aborted. */
async function fetchJob(worker: Worker<JobData>, options: JobSourceOptions): Promise<Handed | undefined> {
  const token = randomUUID();
  const job = await getNextJob(worker, token, options.signal);
  if (job === undefined) return undefined;
  if (options.signal.aborted) {
    // The job became active while leadership ended: whoever leads next gets it.
    await job.moveToWait(token);
    return undefined;
  }
  return acceptJob(job, token, options);
}

async function getNextJob(
  worker: Worker<JobData>,
  token: string,
  signal: AbortSignal,
): Promise<Job<JobData> | undefined> {
  const interrupt = (): void => {
    void worker.close(true);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return (await worker.getNextJob(token)) as Job<JobData> | undefined;
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** Hands a job of ours out; puts a newer build's job off without touching its data, and fails one that nobody can read. */
async function acceptJob(job: Job<JobData>, token: string, options: JobSourceOptions): Promise<Handed | undefined> {
  const parsed = parseJobData(job.data);
  switch (parsed.type) {
    case 'newer':
      options.log.warn({ job: job.id, version: parsed.version }, 'a job of a newer release is left to a newer worker');
      await job.moveToDelayed(Date.now() + NEWER_JOB_DELAY_MS, token);
      return undefined;
    case 'unreadable':
      await job.moveToFailed(new Error('the data of this job cannot be read'), token, false);
      return undefined;
    case 'ours':
      // A finished job that is active again was sent back by a person; its causes are gone, and that person wants a pass.
      if (job.attemptsMade > 0) await options.add(parsed.key, { type: 'requested', note: 'run again', at: Date.now() });
      return handOut(job, parsed.key, token);
  }
}

function handOut(job: Job<JobData>, key: string, token: string): Handed {
  let settled = false;
  const settle = async (move: Promise<unknown>): Promise<void> => {
    await move;
    settled = true;
  };
  return {
    id: job.id ?? token,
    key,
    complete: (result) => settle(job.moveToCompleted(result, token, false)),
    fail: (error) => settle(job.moveToFailed(error, token, false)),
    putBack: () => settle(job.moveToWait(token)),
    isSettled: () => settled,
  };
}
