import { errorText } from '../errors.ts';
import type { Lock, Term } from '../queue/types.ts';
import { wait } from '../queue/wait.ts';
import { runJob, type JobContext } from './run-job.ts';

/** How often a leader looks for wake-ups whose alarm was lost. */
const FIRE_EVERY_MS = 10_000;
/** How long a pass may take to settle after its tenure has ended (design decision 5). */
const SETTLE_MS = 5000;

/**
 * What a worker needs. Lock, queue and wake-ups are interfaces: Redis stands behind them as a rule, and memory and the Lease when Redis is unusable
 * (design decision 3).
 */
export interface WorkerOptions extends Pick<JobContext, 'queue' | 'wakeUps' | 'history' | 'pass' | 'log' | 'name'> {
  lock: Lock;
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
  const finished = options.lock.run({ signal: stopping.signal, onLead: (term) => lead(term, context) });
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

/** One tenure: jobs one at a time, and wake-ups whose time has come. */
async function lead(term: Term, context: JobContext): Promise<void> {
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
