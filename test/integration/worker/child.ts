/**
 * A worker process for tests: runs fake passes that write down when they begin and end, one JSON line each, into a file.
 * A pass lasts until the Redis key of its gate exists, or `passMs` milliseconds.
 */
import { appendFileSync } from 'node:fs';
import { openRedis } from '../../../src/queue/connection.ts';
import { LeaderLock } from '../../../src/queue/lock.ts';
import { PassLog } from '../../../src/queue/pass-log.ts';
import { ReconcileQueue } from '../../../src/queue/reconcile-queue.ts';
import { watchRecovery } from '../../../src/queue/recovery.ts';
import type { LockTimes } from '../../../src/queue/tenure.ts';
import { Timers } from '../../../src/queue/timers.ts';
import { wait } from '../../../src/queue/wait.ts';
import type { Pass } from '../../../src/worker/run-job.ts';
import { runWorker } from '../../../src/worker/worker.ts';
import { testLog } from '../queue/harness.ts';
import { KEY } from './harness.ts';

/** The first argument, as JSON. */
export interface ChildOptions {
  url: string;
  uid: string;
  name: string;
  /** Where the lines go. */
  file: string;
  /** Key that ends every pass. */
  gate?: string;
  passMs?: number;
  times?: Partial<LockTimes>;
  /** Adds the key again after each recovery of Redis, as a gateway does. */
  gateway?: boolean;
}

/** A line of the file. */
export interface Line {
  worker: string;
  pass: string;
  event: 'start' | 'end' | 'abort';
  causes: string[];
  fence: number;
  /** Milliseconds since the epoch. */
  at: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;
const log = testLog();
const redis = openRedis({ url: options.url }, { clusterUid: options.uid, name: options.name, log });
const queue = new ReconcileQueue({ redis, log });
const timers = new Timers({ redis, log, add: queue.add.bind(queue) });
const stopAlarms = timers.start();

const pass: Pass = async (_key, { pass: id, causes, fence, signal }) => {
  const write = (event: Line['event']): void => {
    const types = causes.map(({ type }) => type);
    const line: Line = { worker: options.name, pass: id, event, causes: types, fence, at: Date.now() };
    appendFileSync(options.file, `${JSON.stringify(line)}\n`);
  };
  write('start');
  if (options.gate === undefined) await wait(options.passMs ?? 0, signal);
  else await waitForGate(options.gate, signal);
  write(signal.aborted ? 'abort' : 'end');
  signal.throwIfAborted();
  return { type: 'done', wrote: 1 };
};

async function waitForGate(gate: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await redis.impatient.exists(gate).catch(() => 0)) === 1) return;
    await wait(20, signal);
  }
}

const lock = new LeaderLock({ redis, log, holder: options.name, ...(options.times && { times: options.times }) });
const worker = runWorker({
  lock,
  queue,
  wakeUps: timers,
  history: new PassLog(redis, log),
  pass,
  log,
  name: options.name,
  onStuck: () => process.exit(70),
});
const stopping = new AbortController();
if (options.gateway === true) {
  watchRecovery({
    redis: redis.impatient,
    prefix: redis.prefix,
    log,
    signal: stopping.signal,
    intervalMs: 200,
    onRecovered: () => {
      queue.add(KEY, { type: 'recovered', at: Date.now() }).catch((error: unknown) => {
        log.error({ error }, 'could not add the key again');
      });
    },
  });
}
process.once('SIGTERM', () => {
  void worker.stop().then(async () => {
    stopping.abort();
    await stopAlarms();
    await timers.close();
    await queue.close();
    redis.close();
  });
});
