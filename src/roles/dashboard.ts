import { startDashboard } from '../dashboard/server.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { openQueue } from '../queue/reconcile-queue.ts';
import { RECONCILE_QUEUE, TIMERS_QUEUE } from '../queue/keys.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { connectRedis, findClusterUid } from './redis.ts';
import { startParts, type Closers, type StartRole } from './role.ts';

/** Starts Bull Board and the run pages, and nothing else. It has no access to the API server. */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const { config, log } = context;
    const clusterUid = await findClusterUid(context);
    const redis = connectRedis({ config, log, clusterUid, closers });
    await serveDashboard({ config, log, redis, closers });
    return undefined;
  });

/** Serves the dashboard and says where. */
export async function serveDashboard(parts: {
  config: Config;
  log: Log;
  redis: RedisConnections;
  closers: Closers;
}): Promise<void> {
  const { config, log, redis, closers } = parts;
  const queues = [openQueue(redis, RECONCILE_QUEUE), openQueue(redis, TIMERS_QUEUE)];
  const dashboard = await startDashboard({
    host: config.dashboardListen,
    port: config.dashboardPort,
    tokens: config.dashboardTokens,
    queues,
  });
  closers.add('dashboard', async () => {
    await dashboard.stop();
    await Promise.all(queues.map((queue) => queue.close()));
  });
  log.info({ url: dashboard.url }, 'dashboard is open');
}
