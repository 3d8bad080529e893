import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from '../queue/connection.ts';
import type { ReconcileQueue } from '../queue/reconcile-queue.ts';
import { watchRecovery } from '../queue/recovery.ts';
import { startGateway, type Gateway } from '../watch/gateway.ts';
import type { Watches } from '../watch/watches.ts';
import { describeCaches, watchPageSources } from './functions.ts';
import { serveMetricsPage } from './metrics-page.ts';
import { openQueueParts } from './queue-parts.ts';
import { startParts, type Closers, type StartRole } from './role.ts';
import { openWatches } from './watches.ts';

/** Starts the watches and hands keys to the queue, and nothing else. */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const { log } = context;
    const { metrics, connection, redis, queue, guarded } = await openQueueParts(context, closers);
    const watches = openWatches(context, { connection, depth: 'metadata', closers });
    const page = watchPageSources(context, connection, closers);
    const missing = () => describeCaches(watches) ?? page.missing();
    await serveMetricsPage({ context, metrics, sources: { ...page, missing }, redis, closers });
    await openGateway({ watches, queue, redis, log, closers, metrics }).started;
    metrics.setReady(true);
    return { ended: guarded };
  });

/** Starts a gateway that adds every key again whenever Redis has been away or was emptied (design decision 3). */
export function openGateway(parts: {
  watches: Watches;
  queue: ReconcileQueue;
  redis: RedisConnections;
  log: Log;
  closers: Closers;
  metrics: OperatorMetrics;
}): Gateway {
  const { watches, queue, redis, log, closers, metrics } = parts;
  const ending = new AbortController();
  closers.add('gateway', () => {
    ending.abort(new Error('the process ends'));
  });
  const gateway = startGateway({
    watches,
    enqueue: async (key, cause) => {
      await queue.add(key, cause);
      metrics.queue.added(false);
    },
    log,
    signal: ending.signal,
  });
  gateway.started.catch((error: unknown) => {
    if (!ending.signal.aborted) log.error({ err: error }, 'the gateway did not start');
  });
  watchRecovery({
    redis: redis.impatient,
    prefix: redis.prefix,
    log,
    signal: ending.signal,
    onRecovered: (what) => {
      gateway.addAll('recovered', what === 'emptied' ? 'Redis was emptied' : 'Redis is back');
    },
  });
  return gateway;
}
