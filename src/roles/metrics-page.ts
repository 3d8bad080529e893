import { ClusterMetrics, type MetricsPage } from '../../functions/metrics/cluster-metrics.ts';
import { createMetrics } from '../../functions/metrics/index.ts';
import { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import { createProbes } from '../../functions/probes/index.ts';
import { startServer, type RunningServer, type WebhookOptions } from '../../functions/server.ts';
import { wait } from '../queue/wait.ts';
import { findActive } from './active-kubevirt.ts';
import { createSnapshotReader } from './cluster-snapshot.ts';
import type { FunctionSources } from './function-sources.ts';
import { followSettings } from './live-settings.ts';
import { openProfiler, type ProfilerParts } from './profiler.ts';
import { PROGRAM_VERSION } from './program-version.ts';
import type { RoleContext } from './role.ts';

/** What a page of metrics needs of the cluster. */
export type MetricsSources = Pick<FunctionSources, 'secret' | 'kubeVirts' | 'missing' | 'onChange'> &
  Partial<Pick<FunctionSources, 'authentication' | 'certificates'>>;

/** The metrics of a process of this role. */
export function createRoleMetrics({ config: { role } }: RoleContext): OperatorMetrics {
  return new OperatorMetrics({ role, version: PROGRAM_VERSION });
}

/** Milliseconds that running requests have when the listeners close. */
const GRACE_MS = 1000;

/** What the servers of a role are made from. */
export interface PageParts extends ProfilerParts {
  metrics: OperatorMetrics;
  sources: MetricsSources;
  /** Admission, in the roles that serve it. */
  webhooks?: WebhookOptions;
}

/**
 * Serves metrics, probes and profiler, which every pod of the operator has (design decision 12), and admission where there is some. They stop with the role: first
 * not ready and still serving, until the cluster has had the time to send its calls elsewhere, then closed.
 */
export async function serveMetricsPage(parts: PageParts): Promise<RunningServer> {
  const { context, metrics, sources, closers, webhooks } = parts;
  const { config, log, signal } = context;
  const opened: { server?: RunningServer } = {};
  const opening = () => (opened.server === undefined ? 'the ports are not open yet' : undefined);
  const missing = () => sources.missing() ?? opening() ?? opened.server?.missing();
  // That the process answers at all is the proof of its life: Redis, the API server or a waiting pass are no reasons to restart it.
  const probes = createProbes({ live: [], started: [opening], ready: [missing] });
  metrics.followReadiness(() => missing() === undefined);
  const server = await startServer({
    host: config.listen,
    port: config.port,
    metrics: [createMetrics({ pages: collectPages(parts), log }), probes, openProfiler(parts)],
    ...(webhooks === undefined ? {} : { webhooks }),
    inputs: () => ({
      secret: sources.secret(),
      kubeVirt: findActive(sources.kubeVirts()),
      clientCa: sources.authentication?.()?.data?.['requestheader-client-ca-file'],
    }),
    onChange: sources.onChange,
    now: () => new Date(),
    log,
  });
  opened.server = server;
  const { kubeVirts, onChange } = sources;
  followSettings({ kubeVirts, onChange, log, hostname: config.hostname, metrics, closers });
  const whenDrained = drainAtEnd(server, signal, webhooks === undefined ? 0 : config.drainMs);
  closers.add('servers', async () => {
    await whenDrained();
    await server.stop(GRACE_MS);
  });
  log.info(
    { port: server.port, webhookPort: server.webhookPort },
    webhooks === undefined ? 'metrics are served' : 'functions are served',
  );
  return server;
}

function collectPages({ context: { log }, metrics, redis, sources, closers }: PageParts): MetricsPage[] {
  const { own, registry } = metrics;
  own.followCertificates(sources.certificates ?? (() => [sources.secret()].filter((secret) => secret !== undefined)));
  closers.add('metrics of this process', () => {
    own.close();
  });
  const shared =
    redis === undefined ? [] : [new ClusterMetrics({ read: createSnapshotReader({ redis, log, closers }), log })];
  return [registry, own.registry, ...shared];
}

/** Begins to drain when the process is asked to end; the returned function waits until that has lasted long enough. */
function drainAtEnd(server: RunningServer, signal: AbortSignal, drainMs: number): () => Promise<void> {
  let until: number | undefined;
  const begin = () => {
    until = performance.now() + drainMs;
    server.drain();
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return async () => {
    signal.removeEventListener('abort', begin);
    if (until !== undefined) await wait(until - performance.now());
  };
}
