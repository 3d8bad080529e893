import { startDashboard, type Dashboard } from '../dashboard/server.ts';
import { createShown } from '../dashboard/shown.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { TIMERS_QUEUE } from '../queue/keys.ts';
import { openQueue, ReconcileQueue } from '../queue/reconcile-queue.ts';
import { connectRedis, findClusterUid } from './redis.ts';
import { startParts, type Closers, type StartRole } from './role.ts';

/** Starts Bull Board and the run page, and nothing else. It has no access to the API server. */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const { config, log } = context;
    const dashboard = await openDashboard({ config, log, closers });
    const clusterUid = await findClusterUid(context);
    showRedis(dashboard, { redis: connectRedis({ config, log, clusterUid, closers }), log, closers });
    return undefined;
  });

/** Serves the dashboard and says where. */
export async function serveDashboard(parts: {
  config: Config;
  log: Log;
  redis: RedisConnections;
  closers: Closers;
}): Promise<void> {
  showRedis(await openDashboard(parts), parts);
}

async function openDashboard(parts: { config: Config; log: Log; closers: Closers }): Promise<Dashboard> {
  const { config, log, closers } = parts;
  const dashboard = await startDashboard({
    host: config.dashboardListen,
    port: config.dashboardPort,
    tokens: config.dashboardTokens,
    log,
  });
  closers.add('dashboard', () => dashboard.stop());
  log.info({ url: dashboard.url }, 'dashboard is open');
  return dashboard;
}

function showRedis(dashboard: Dashboard, parts: { redis: RedisConnections; log: Log; closers: Closers }): void {
  const { redis, log, closers } = parts;
  const queue = new ReconcileQueue({ redis, log });
  const timers = openQueue(redis, TIMERS_QUEUE);
  closers.add('queues of the dashboard', async () => {
    await dashboard.stop();
    await Promise.all([queue.close(), timers.close()]);
  });
  dashboard.attach(createShown({ redis, queue, timers, log }));
}
