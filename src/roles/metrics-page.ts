import { createMetrics } from '../../functions/metrics/index.ts';
import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import { createProbes } from '../../functions/probes/index.ts';
import { startMetricsServer } from '../../functions/server.ts';
import type { FunctionSources } from './functions.ts';
import { findActive, GRACE_MS } from './functions.ts';
import type { Closers, RoleContext } from './role.ts';

/** What a page of metrics needs of the cluster. */
export type MetricsSources = Pick<FunctionSources, 'secret' | 'kubeVirts' | 'missing' | 'onChange'>;

/** Serves metrics and probes of a role without admission: every pod of the operator has that page (design decision 12). */
export async function serveMetricsPage(parts: {
  context: RoleContext;
  metrics: OperatorMetrics;
  sources: MetricsSources;
  closers: Closers;
}): Promise<void> {
  const { metrics, sources, closers } = parts;
  const { config, log } = parts.context;
  const server = await startMetricsServer({
    host: config.listen,
    port: config.port,
    metrics: [
      createMetrics({ registries: [metrics.registry], log }),
      createProbes({ live: [], ready: [sources.missing], started: [] }),
    ],
    inputs: () => ({ secret: sources.secret(), kubeVirt: findActive(sources.kubeVirts()) }),
    onChange: sources.onChange,
    now: new Date(),
    log,
  });
  closers.add('metrics page', () => server.stop(GRACE_MS));
  log.info({ port: server.port }, 'metrics are served');
}
