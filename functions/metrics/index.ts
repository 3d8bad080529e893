import express, { type Router } from 'express';
import type { Log } from '../../src/log.ts';
import { errorText } from '../../src/errors.ts';
import type { MetricsPage } from './cluster-metrics.ts';
import { decideExposition } from './exposition.ts';

/**
 * The metrics function: `/metrics` in Prometheus' text format or as OpenMetrics, as the scraper prefers (spec/observability.md §1). Several pages are served
 * as one: upstream's metrics and ours of this process, and ours by way of Redis. One that cannot be collected is left out and logged.
 */
export function createMetrics(options: { pages: readonly MetricsPage[]; log: Log }): Router {
  const router = express.Router();
  router.all('/metrics', async (request, response) => {
    const pages = await Promise.all(
      options.pages.map((page) =>
        page.metrics().catch((error: unknown) => {
          options.log.warn({ reason: errorText(error) }, 'metrics left out');
          return '';
        }),
      ),
    );
    const { contentType, write } = decideExposition(request.headers.accept);
    response.set({ 'Content-Type': contentType, Vary: 'Accept' }).send(write(pages));
  });
  return router;
}
