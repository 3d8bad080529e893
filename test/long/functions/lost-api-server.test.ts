/** B65: what a replica says about itself while the API server is gone for longer than an API server takes to restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../integration/fixtures/eventually.ts';
import { openClient, readMetric } from '../../integration/functions/harness.ts';
import { startOperator, startSite } from '../../integration/install/harness.ts';

test('B65: the ready gauge is 0 as long as the health endpoint fails, and 1 again when the API server is back', async (context) => {
  const site = await startSite(context);
  const operators = [await startOperator(site, 'all'), await startOperator(site, 'functions')];
  const pages = operators.map(({ port }) => openClient(port));
  site.atEnd(() => {
    for (const page of pages) page.close();
  });
  const states: string[] = [];
  /** What each replica says, by its endpoint and by its gauge. */
  const look = async () => {
    const all = await Promise.all(
      pages.map(async (page) => {
        const { code } = await page.send('/readyz');
        const gauge = readMetric((await page.send('/metrics')).body, 'kubevirt_virt_operator_ready_status');
        return { isHealthy: code === 200, gauge };
      }),
    );
    states.push(...all.map(({ isHealthy, gauge }) => `${String(isHealthy)} ${String(gauge)}`));
    return all;
  };
  for (const operator of operators) await operator.said('"functions are served"');
  await eventually(look, (all) => all.every(({ isHealthy }) => isHealthy), 60_000);
  const restarted = site.plane.restartApiServer({ downMs: 80_000 });
  await eventually(look, (all) => all.every(({ isHealthy }) => !isHealthy), 90_000);
  for (const page of pages) assert.equal((await page.send('/healthz')).code, 200, 'it is no reason to restart the pod');
  await restarted;
  await eventually(look, (all) => all.every(({ isHealthy }) => isHealthy), 60_000);
  // The two are asked one after the other: a change between them is no contradiction.
  const contradictions = states.filter((state) => state !== 'true 1' && state !== 'false 0');
  assert.ok(contradictions.length <= 2 * operators.length, contradictions.join(', '));
});
