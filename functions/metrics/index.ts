import express, { type Router } from 'express';
import type { Registry } from 'prom-client';
import type { Log } from '../../src/log.ts';
import { errorText } from '../../src/errors.ts';

/**
 * The metrics function: `GET /metrics` in Prometheus' text format (spec/observability.md §1). Several registries are served as one page: upstream's
 * per process, ours by way of Redis. One that cannot be collected is left out and logged.
 */
export function createMetrics(options: { registries: readonly Registry[]; log: Log }): Router {
  const router = express.Router();
  router.get('/metrics', async (_request, response) => {
    const pages = await Promise.all(
      options.registries.map((registry) =>
        registry.metrics().catch((error: unknown) => {
          options.log.warn({ reason: errorText(error) }, 'metrics left out');
          return '';
        }),
      ),
    );
    response.set('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').send(pages.join(''));
  });
  return router;
}
