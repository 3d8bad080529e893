import type { TestContext } from 'node:test';
import type { RedisConfig } from '../../../src/queue/connection.ts';
import { LeaderLock } from '../../../src/queue/lock.ts';
import { PassLog } from '../../../src/queue/pass-log.ts';
import type { LockTimes } from '../../../src/queue/tenure.ts';
import { Timers } from '../../../src/queue/timers.ts';
import type { Outcome } from '../../../src/worker/outcome.ts';
import type { Pass, PassWork } from '../../../src/worker/run-job.ts';
import { runWorker, type RunningWorker } from '../../../src/worker/worker.ts';
import { openParts, type Parts } from '../queue/harness.ts';

export const KEY = 'kubevirt/kubevirt';

/** A tenth of the real times. */
export const TIMES: Partial<LockTimes> = { ttlMs: 1000, renewMs: 300, marginMs: 200, pollMs: 100, permissionMs: 100 };

/** A pass as the fake has seen it. */
export interface SeenPass {
  key: string;
  work: PassWork;
  began: number;
  ended?: number;
}

/** A worker with a fake pass. */
export interface TestWorker extends Parts {
  lock: LeaderLock;
  history: PassLog;
  passes: SeenPass[];
  worker: RunningWorker;
}

/** Starts a worker whose passes answer with `pass`, the first argument of which is the number of the pass, from 1. */
export async function startWorker(
  t: TestContext,
  options: {
    url?: string;
    redis?: RedisConfig;
    uid?: string;
    pass: (count: number, work: PassWork) => Promise<Outcome> | Outcome;
    random?: () => number;
    settleMs?: number;
    keys?: () => readonly string[];
    onStuck?: (why: string) => void;
  },
): Promise<TestWorker> {
  const parts = await openParts(t, options.redis ?? options.url ?? '', options.uid);
  const { redis, log, queue } = parts;
  const timers = new Timers({ redis, log, add: queue.add.bind(queue), random: options.random ?? (() => 0) });
  const stopAlarms = timers.start();
  const lock = new LeaderLock({ redis, log, holder: 'w', times: TIMES });
  const history = new PassLog(redis, log);
  const passes: SeenPass[] = [];
  const pass: Pass = async (key, work) => {
    const seen: SeenPass = { key, work, began: performance.now() };
    passes.push(seen);
    try {
      return await options.pass(passes.length, work);
    } finally {
      seen.ended = performance.now();
    }
  };
  const worker = runWorker({ ...options, lock, queue, wakeUps: timers, history, pass, log, name: 'w' });
  t.after(async () => {
    await worker.stop();
    await stopAlarms();
    await timers.close();
  });
  return { ...parts, timers, lock, history, passes, worker };
}

/** Rejects when the signal aborts; never resolves. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** The types of a pass's causes. */
export function causesOf(seen: SeenPass | undefined): string[] {
  return (seen?.work.causes ?? []).map(({ type }) => type);
}
