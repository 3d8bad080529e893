import type { Queue } from 'bullmq';
import type { RedisConnections } from '../queue/connection.ts';
import { forgetFailures } from '../queue/failures.ts';
import type { ReconcileQueue } from '../queue/reconcile-queue.ts';
import type { Log } from '../log.ts';
import { createOverviewSource, type OverviewSource } from './overview.ts';

/** What the dashboard shows once Redis and the cluster's queue are known. */
export interface Shown {
  source: OverviewSource;
  /** What Bull Board shows. */
  queues: readonly Queue[];
  /** Has a key reconciled once more, from the present state of the cluster, and lets its failures be forgotten (spec/field-reports.md L28). */
  startAgain: (key: string) => Promise<void>;
  /** False while Redis is out of reach: BullMQ would wait for it for ever. */
  isReachable: () => boolean;
}

/** What the parts of one cluster's queue show; who closes them is the caller's matter. */
export function createShown(parts: { redis: RedisConnections; queue: ReconcileQueue; timers: Queue; log: Log }): Shown {
  const { redis, queue, timers, log } = parts;
  return {
    source: createOverviewSource({ redis, queue: queue.queue, log }),
    queues: [queue.queue, timers],
    startAgain: async (key) => {
      await forgetFailures(redis, key);
      await queue.add(key, { type: 'requested', note: 'by hand, in the dashboard', at: Date.now() });
    },
    isReachable: () => redis.impatient.status === 'ready',
  };
}
