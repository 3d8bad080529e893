import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createFallbackCertificate } from '../../../functions/tls/fallback-certificate.ts';
import { OwnMetrics } from '../../../functions/metrics/own-metrics.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { eventually } from '../../integration/fixtures/eventually.ts';

const build = () => new OwnMetrics({ role: 'worker', version: '1.2.3' });

test('every metric of ours has our prefix, and the process says who it is', async () => {
  const metrics = build();
  metrics.observePass({ outcome: 'done', durationMs: 300, writes: 12 });
  metrics.observeAdmission({ function: 'validate-update', verdict: 'allowed' }, 0.001);
  metrics.observeCacheLag(0.02);
  const page = await metrics.registry.metrics();
  metrics.close();
  for (const line of page.split('\n').filter((each) => each !== '' && !each.startsWith('#')))
    assert.match(line, /^virt_operator_/);
  for (const line of [
    'virt_operator_info{role="worker",version="1.2.3"} 1',
    'virt_operator_pass_duration_seconds_bucket{le="0.25",outcome="done"} 0',
    'virt_operator_pass_duration_seconds_bucket{le="0.5",outcome="done"} 1',
    'virt_operator_pass_writes_sum 12',
    'virt_operator_cache_lag_seconds_count 1',
    'virt_operator_admission_duration_seconds_count{function="validate-update",verdict="allowed"} 1',
  ])
    assert.ok(page.split('\n').includes(line), line);
});

test('the ends of certificates follow the Secrets; what holds none is left out', async () => {
  const begin = new Date('2026-01-01T00:00:00Z');
  const { certificate } = await createFallbackCertificate(begin);
  const secret = (name: string, data: Record<string, string>): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'kubevirt', name },
    data,
  });
  const encoded = Buffer.from(certificate).toString('base64');
  let secrets = [secret('good', { 'tls.crt': encoded }), secret('empty', {}), secret('bad', { 'tls.crt': 'AAAA' })];
  const metrics = build();
  metrics.followCertificates(() => secrets);
  const ends = async () =>
    [
      ...(await metrics.registry.metrics()).matchAll(/certificate_expiry_timestamp_seconds\{.*name="(\w+)"\} (.*)/g),
    ].map(([, name, end]) => [name, Number(end)]);
  const want = begin.getTime() / 1000 + 356 * 10 * 24 * 3600;
  assert.deepEqual(await ends(), [['good', want]]);
  secrets = [secret('other', { 'tls.crt': encoded })];
  assert.deepEqual(await ends(), [['other', want]]);
  metrics.close();
});

test('a blocked event loop is seen in the next scrape, and not in the one after', async () => {
  const metrics = build();
  const longest = async () =>
    Number(/event_loop_lag_seconds\{quantile="1"\} (.*)/.exec(await metrics.registry.metrics())?.[1]);
  // Samples are taken every 20 ms, and the first one after a scrape only begins: that one has to be over before the loop is blocked, and another one after it.
  const block = async () => {
    await pause(60);
    const end = performance.now() + 300;
    while (performance.now() < end);
    await pause(60);
    return longest();
  };
  await eventually(block, (lag) => lag >= 0.2);
  await eventually(longest, (lag) => lag < 0.2);
  metrics.close();
});
