import { createObjectStore } from '../watch/store.ts';
import { serveDashboard } from './dashboard.ts';
import { startFunctions, storeSources } from './functions.ts';
import { openGateway } from './gateway.ts';
import { openQueueParts } from './queue-parts.ts';
import { startParts, type StartRole } from './role.ts';
import { openWatches } from './watches.ts';
import { startWorker } from './worker.ts';

/** Gateway, worker, functions and dashboard in one process, over one set of watches: the smallest installation. */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const { config, log } = context;
    const { metrics, connection, redis, queue, guarded } = await openQueueParts(context, closers);
    const watches = openWatches(context, { connection, depth: 'full', closers });
    const store = createObjectStore(watches);
    const sources = storeSources(context, store, { connection, watches, closers });
    await startFunctions({ context, connection, metrics, sources, redis, closers });
    if (config.hasDashboard) await serveDashboard({ config, log, redis, closers });
    openGateway({ watches, queue, redis, log, closers, metrics });
    await startWorker({ context, connection, watches, store, redis, queue, closers, metrics });
    return { ended: guarded };
  });
