import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { ApiConnection } from '../api/connection.ts';
import type { Enqueue } from '../api/causes.ts';
import { OPERATOR_LEASE } from '../api/names.ts';
import type { ObjectStore } from '../api/store.ts';
import { createClient } from '../apply/client.ts';
import { ConfigurationError } from '../errors.ts';
import { LeaseObserver } from '../observe/foreign-leader.ts';
import { createMonitorFinder } from '../observe/monitor-namespace.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { readCounts } from '../queue/counts.ts';
import { LeaderLock } from '../queue/lock.ts';
import { PassLog } from '../queue/pass-log.ts';
import { ProgressBoard } from '../queue/progress.ts';
import { SituationBoard } from '../queue/situation.ts';
import type { ReconcileQueue } from '../queue/reconcile-queue.ts';
import { watchRecovery } from '../queue/recovery.ts';
import { Timers } from '../queue/timers.ts';
import type { Lock } from '../queue/types.ts';
import { createEventRecorder, type EventRecorder } from '../status/events.ts';
import { createObjectStore } from '../watch/store.ts';
import type { Watches } from '../watch/watches.ts';
import { watchLegacyConfig } from '../worker/legacy-config.ts';
import { MigrationHold } from '../worker/migration-hold.ts';
import { createReconcile } from '../worker/reconcile.ts';
import type { ServedCertificates } from '../worker/served-certificates.ts';
import { StrategyLoader } from '../worker/strategy-loader.ts';
import { runWorker } from '../worker/worker.ts';
import { describeCaches, SERVING_SECRET } from './functions.ts';
import { startLeaseMode } from './lease-mode.ts';
import { measureHistory, measurePass, measureStore, tracePass } from './measured.ts';
import { serveMetricsPage, type MetricsSources } from './metrics-page.ts';
import { openOperandCertificates, watchOperandCertificates } from './operand-certificates.ts';
import { openQueueParts } from './queue-parts.ts';
import { startParts, type Closers, type RoleContext, type StartRole } from './role.ts';
import { openWatches } from './watches.ts';

/** Starts the caches and a worker that leads when it holds the lock, and nothing else. */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const { metrics, connection, redis, queue, guarded } = await openQueueParts(context, closers);
    const watches = openWatches(context, { connection, depth: 'full', closers });
    const store = createObjectStore(watches);
    const sources = pageSources(store, watches, context.config.operatorNamespace);
    await serveMetricsPage({ context, metrics, sources, redis, closers });
    const stuck = Promise.withResolvers<never>();
    await startWorker({
      context,
      connection,
      watches,
      store,
      redis,
      queue,
      closers,
      metrics,
      onStuck: (why) => {
        stuck.reject(new Error(why));
      },
    });
    return { ended: Promise.race([stuck.promise, guarded]) };
  });

/** The page of metrics lives on what the worker watches anyway. */
function pageSources(store: ObjectStore, watches: Watches, operatorNamespace: string): MetricsSources {
  return {
    secret: () => store.get('Secret', SERVING_SECRET, operatorNamespace),
    kubeVirts: () => store.list('KubeVirt'),
    certificates: () => store.list('Secret'),
    missing: () => describeCaches(watches),
    onChange: (listener) => store.onChange(listener),
  };
}

/** What a worker is built from, in a process of its own or in role `all`. */
export interface WorkerParts {
  context: RoleContext;
  connection: ApiConnection;
  watches: Watches;
  /** The caches of these watches. */
  store: ObjectStore;
  redis: RedisConnections;
  queue: ReconcileQueue;
  closers: Closers;
  metrics: OperatorMetrics;
  /** Ends the process because a pass does not end; absent in role `all` (design decision 5). */
  onStuck?: (why: string) => void;
}

/** Builds a worker and starts it when its caches are complete; it stops with the role. */
export async function startWorker(parts: WorkerParts): Promise<void> {
  const { context, connection, store, redis, queue, closers, metrics } = parts;
  const { config, log, trace, signal } = context;
  const events = createEventRecorder({
    client: createClient(connection, { lane: 'reserved' }),
    hostname: config.hostname,
    log,
  });
  closers.add('Events', () => events.flush());
  const timers = openTimers(parts);
  log.info('waiting for the API caches');
  await store.whenSynced(signal);
  metrics.setReady(true);
  const served = openOperandCertificates(parts);
  const shared = {
    history: measureHistory(new PassLog(redis, log), metrics),
    pass: tracePass(measurePass(createReconcile(buildReconcileParts(parts, { events, served })), metrics), trace),
    ...(parts.onStuck === undefined ? {} : { onStuck: parts.onStuck }),
  };
  const readDepth = async () => (await readCounts(redis, queue.queue))?.waiting;
  const worker = runWorker({
    ...shared,
    lock: announce(buildLock(parts), {
      ...parts,
      events,
      served,
      readDepth,
      add: (key, cause) => queue.add(key, cause),
    }),
    queue,
    wakeUps: timers,
    keys: () => store.list('KubeVirt').map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`),
    log,
    name: config.hostname,
  });
  closers.add('worker', () => worker.stop());
  startLeaseMode({
    ...parts,
    worker: shared,
    announce: (lock, memory) =>
      announce(lock, {
        ...parts,
        events,
        served,
        readDepth: () => Promise.resolve(memory.size),
        add: (key, cause) => memory.add(key, cause),
      }),
  });
}

/** What a tenure and its passes are told by. */
interface Announced {
  events: EventRecorder;
  /** Absent where operands cannot be reached. */
  served: ServedCertificates | undefined;
}

function buildReconcileParts(
  { context, connection, store: caches, redis, queue, metrics }: WorkerParts,
  { events, served }: Announced,
) {
  const { config, log, trace } = context;
  const { release, operatorNamespace } = config;
  if (release === undefined) throw new ConfigurationError('this role needs VIRT_OPERATOR_IMAGE');
  const reader = createClient(connection);
  const strategies = new StrategyLoader({
    operatorNamespace,
    runbookUrlTemplate: release.runbookUrlTemplate,
    findMonitorNamespace: createMonitorFinder((target) => reader.find(target)),
    log,
  });
  const displays = { progress: new ProgressBoard(redis, log), situations: new SituationBoard(redis, log) };
  const store = measureStore(caches, metrics);
  const outdated = served === undefined ? {} : { outdatedCertificates: () => served.outdated() };
  const { migrationPatienceMs } = config;
  const hold = migrationPatienceMs > 0 ? { migrationHold: new MigrationHold(connection, migrationPatienceMs) } : {};
  const parts = {
    ...hold,
    store,
    connection,
    recorder: queue,
    strategies,
    ...displays,
    events,
    release,
    operatorNamespace,
    trace,
    log,
  };
  return { ...parts, ...outdated };
}

/** Wake-ups go off in this process; what Redis lost of its settings is set again when it comes back. */
function openTimers({ context, redis, queue, closers, metrics }: WorkerParts): Timers {
  const { log } = context;
  const add: Enqueue = async (key, cause) => {
    await queue.add(key, cause);
    metrics.queue.added(true);
  };
  const timers = new Timers({ redis, log, add });
  closers.add('timers', () => timers.close());
  closers.add('alarms', timers.start());
  const ending = new AbortController();
  closers.add('watch over Redis', () => {
    ending.abort(new Error('the process ends'));
  });
  const writeSettings = () => {
    queue.writeSettings().catch((error: unknown) => {
      log.debug({ err: error }, 'the settings of the queue are written when Redis is back');
    });
  };
  watchRecovery({
    redis: redis.impatient,
    prefix: redis.prefix,
    log,
    signal: ending.signal,
    onRecovered: writeSettings,
  });
  return timers;
}

function buildLock({ context, redis, store }: WorkerParts): Lock {
  const { config, log } = context;
  const observer = new LeaseObserver();
  return new LeaderLock({
    redis,
    log,
    holder: config.hostname,
    mayLead: () => Promise.resolve(observer.findLeader(store.get('Lease', OPERATOR_LEASE, config.operatorNamespace))),
  });
}

/** Tells the log and the metrics when this process begins and ends to lead, and looks for leftovers meanwhile. */
function announce(
  lock: Lock,
  parts: WorkerParts & Announced & { readDepth: () => Promise<number | undefined>; add: Enqueue },
): Lock {
  const { context, store, events, metrics, readDepth, served, add } = parts;
  const { log, config } = context;
  return {
    run: ({ signal, onLead }) =>
      lock.run({
        signal,
        onLead: async (term) => {
          log.info({ fence: term.fence }, 'started leading');
          metrics.setLeading(true);
          metrics.queue.followDepth(readDepth);
          const { operatorNamespace } = config;
          watchLegacyConfig({ store, operatorNamespace, events, log, signal: term.signal });
          if (served !== undefined) watchOperandCertificates(served, { context, store, add, signal: term.signal });
          try {
            await onLead(term);
          } finally {
            metrics.setLeading(false);
            metrics.queue.followDepth(undefined);
            log.info({ fence: term.fence }, 'stopped leading');
          }
        },
      }),
  };
}
