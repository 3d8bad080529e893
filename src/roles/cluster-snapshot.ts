import type { ClusterSnapshot } from '../../functions/metrics/cluster-metrics.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { readCounts } from '../queue/counts.ts';
import { RECONCILE_QUEUE, TIMERS_QUEUE } from '../queue/keys.ts';
import { readLeader } from '../queue/lock.ts';
import { PassLog } from '../queue/pass-log.ts';
import { tryWrite } from '../queue/outage.ts';
import { openQueue } from '../queue/reconcile-queue.ts';
import type { Closers } from './role.ts';

/** Prepares to read from Redis what the metrics of all processes together show; what it returns resolves to undefined when Redis is away, and rejects when it takes no writes: it is of no use then. */
export function createSnapshotReader(parts: {
  redis: RedisConnections;
  log: Log;
  closers: Closers;
}): () => Promise<ClusterSnapshot | undefined> {
  const { redis, log, closers } = parts;
  const names = [RECONCILE_QUEUE, TIMERS_QUEUE];
  const queues = names.map((name) => openQueue(redis, name));
  const passes = new PassLog(redis, log);
  closers.add('queues of the metrics', async () => {
    await Promise.all(queues.map((queue) => queue.close()));
  });
  return async () => {
    if (redis.impatient.status !== 'ready') return undefined;
    const [counts, leader, [lastPass]] = await Promise.all([
      Promise.all(queues.map(async (queue) => [queue.name, await readCounts(redis, queue)] as const)),
      readLeader(redis),
      passes.read(1),
      tryWrite(redis),
    ]);
    const known = counts.flatMap(([name, count]) => (count === undefined ? [] : [[name, count] as const]));
    return known.length < names.length ? undefined : { queues: Object.fromEntries(known), leader, lastPass };
  };
}
