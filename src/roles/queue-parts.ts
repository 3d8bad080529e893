import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { ApiConnection } from '../api/connection.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { ReconcileQueue } from '../queue/reconcile-queue.ts';
import { connectCluster } from './cluster.ts';
import { createRoleMetrics } from './metrics-page.ts';
import { connectRedis, guardRedis } from './redis.ts';
import type { Closers, RoleContext } from './role.ts';

/** What every role that fills or empties the queue begins with. */
export interface QueueParts {
  metrics: OperatorMetrics;
  connection: ApiConnection;
  redis: RedisConnections;
  queue: ReconcileQueue;
  /** Rejects when Redis has an eviction policy with which jobs could be lost, unless the configuration takes that; never resolves. */
  guarded: Promise<never>;
}

/** Connects to the cluster and to its part of Redis, and opens the queue there; the closers end all of it in the opposite order. */
export async function openQueueParts(context: RoleContext, closers: Closers): Promise<QueueParts> {
  const { config, log } = context;
  const metrics = createRoleMetrics(context);
  const { connection, uid } = await connectCluster(context, closers, (record) => {
    metrics.observeCall(record);
  });
  const redis = connectRedis({ config, log, clusterUid: uid, closers });
  const guarded = guardRedis({ context, redis, metrics, closers });
  const queue = new ReconcileQueue({ redis, log });
  closers.add('queue', () => queue.close());
  return { metrics, connection, redis, queue, guarded };
}
