import { errorText } from '../errors.ts';
import type { Lock, Term } from '../queue/types.ts';
import { orGiveUp, wait } from '../queue/wait.ts';
import { runJob, type JobContext } from './run-job.ts';

/** How often a leader looks for wake-ups whose alarm was lost. */
const FIRE_EVERY_MS = 10_000;
/** How long a pass may take to settle after its tenure has ended (design decision 5). */
const SETTLE_MS = 5000;
/** How long Redis may take to answer after leadership has ended. */
const REDIS_GRACE_MS = 1000;

/**
 * What a worker needs. Lock, queue and wake-ups are interfaces: Redis stands behind them as a rule, and memory and the Lease when Redis is unusable
 * (design decision 3).
 */
export interface WorkerOptions extends Pick<JobContext, 'queue' | 'wakeUps' | 'history' | 'pass' | 'log' | 'name'> {
  lock: Lock;
  /** Keys that are looked at when a tenure begins: this worker may be told to install something else than the one that led before it. */
  keys?: () => readonly string[];
  /** Ends the process because a pass does not end; absent in role `all`, whose other parts go on: the worker then waits for the pass. */
  onStuck?: (why: string) => void;
  /** Milliseconds; default 5,000. */
  settleMs?: number;
}

/** A worker that waits for leadership or leads. */
export interface RunningWorker {
  /** Ends the running pass at a safe point, gives its key and the lock back, and resolves when that is done or after the time a pass may take for it. */
  stop(): Promise<void>;
}

/** Starts a worker: whenever it leads, it runs one key at a time. */
export function runWorker(options: WorkerOptions): RunningWorker {
  const settleMs = options.settleMs ?? SETTLE_MS;
  const stopping = new AbortController();
  const { keys = () => [] } = options;
  const context: JobContext = {
    ...options,
    spacing: new Map(),
    settleMs,
    onStuck: (key) => {
      const why = `a pass of ${key} goes on ${settleMs} ms after it was told to end`;
      options.log.error(why);
      options.onStuck?.(why);
    },
  };
  const finished = options.lock.run({ signal: stopping.signal, onLead: (term) => lead(term, keys(), context) });
  return {
    stop: async () => {
      stopping.abort();
      const over = new AbortController();
      const settled = finished.finally(() => {
        over.abort();
      });
      await Promise.race([settled, wait(settleMs + 1000, over.signal)]);
    },
  };
}

/** One tenure: every key once, then jobs one at a time, and wake-ups whose time has come. */
async function lead(term: Term, keys: readonly string[], context: JobContext): Promise<void> {
  await addAll(keys, term, context);
  const firing = keepFiring(term, context);
  for await (const job of context.queue.jobs(term.signal)) {
    try {
      await runJob(job, term, context);
    } catch (error) {
      context.log.warn({ key: job.key, pass: job.id, error: errorText(error) }, 'a pass could not be settled');
    }
  }
  await firing;
}

/** Whoever led before may have used up the causes of these keys, with another release in mind: a rolling update of the operator. */
async function addAll(keys: readonly string[], term: Term, { queue, log }: JobContext): Promise<void> {
  const add = (key: string) => queue.add(key, { type: 'resync', note: 'a worker has begun to lead', at: Date.now() });
  await orGiveUp(Promise.all(keys.map(add)), term.signal, REDIS_GRACE_MS).catch((error: unknown) => {
    // Redis is away again; when it is back, gateways add every key.
    log.warn({ error: errorText(error) }, 'the keys of a new tenure could not be queued');
  });
}

async function keepFiring(term: Term, { wakeUps, log }: JobContext): Promise<void> {
  while (!term.signal.aborted) {
    try {
      await wakeUps.fireDue();
    } catch (error) {
      log.debug({ error: errorText(error) }, 'could not look for wake-ups');
    }
    await wait(FIRE_EVERY_MS, term.signal);
  }
}
