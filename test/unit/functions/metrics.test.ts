import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { templateUrl } from '../../../functions/metrics/call-metrics.ts';
import { OperatorMetrics } from '../../../functions/metrics/operator-metrics.ts';

const templates: { path: string; parameters?: string[]; want: string }[] = [
  { path: '/api/v1/namespaces/kubevirt/pods', want: '/api/v1/namespaces/%7Bnamespace%7D/pods' },
  { path: '/api/v1/namespaces/kubevirt/pods/a', want: '/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D' },
  { path: '/api/v1/namespaces/kubevirt', want: '/api/v1/namespaces/%7Bname%7D' },
  { path: '/api/v1/namespaces', want: '/api/v1/namespaces' },
  {
    path: '/apis/apps/v1/deployments',
    parameters: ['watch', 'resourceVersion'],
    want: '/apis/apps/v1/deployments?resourceVersion=%7Bvalue%7D&watch=%7Bvalue%7D',
  },
  {
    path: '/apis/kubevirt.io/v1/namespaces/a/kubevirts/b/status',
    want: '/apis/kubevirt.io/v1/namespaces/%7Bnamespace%7D/kubevirts/%7Bname%7D/status',
  },
  { path: '/version', want: '/version' },
  { path: '/apis/apps/v1', want: '/apis/apps/v1' },
];
for (const { path, parameters = [], want } of templates) {
  test(`a call of ${path} is shown without names`, () => {
    assert.equal(templateUrl({ host: 'h:1', path, parameters }), `https://h:1${want}`);
  });
}

test('calls are counted by result; time is measured by URL, and waiting only where there was some', async () => {
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  const call = { method: 'GET', path: '/api/v1/nodes', parameters: [], host: 'h:1', resource: 'nodes', verb: 'LIST' };
  metrics.observeCall({ ...call, code: '200', seconds: 0.01, waitedSeconds: 0 });
  metrics.observeCall({ ...call, code: '<error>', seconds: 0.01, waitedSeconds: 0.1 });
  const page = await metrics.registry.metrics();
  const labels = 'method="GET",host="h:1",resource="nodes",verb="LIST"';
  assert.match(page, new RegExp(`kubevirt_rest_client_requests_total\\{code="200",${labels}\\} 1`));
  assert.match(page, new RegExp(`kubevirt_rest_client_requests_total\\{code="<error>",${labels}\\} 1`));
  const timed = 'verb="GET",url="https://h:1/api/v1/nodes"';
  assert.match(page, new RegExp(`kubevirt_rest_client_request_latency_seconds_count\\{${timed}\\} 2`));
  assert.match(page, new RegExp(`kubevirt_rest_client_rate_limiter_duration_seconds_count\\{${timed}\\} 1`));
});

test('leading and ready are there from the start; emulation as soon as a KubeVirt object is known, leading or not', async () => {
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  const page = await metrics.registry.metrics();
  assert.match(page, /kubevirt_virt_operator_leading_status 0\n/);
  assert.match(page, /kubevirt_virt_operator_ready_status 0\n/);
  assert.doesNotMatch(page, /emulation_enabled/);
  metrics.setLeading(true);
  metrics.setReady(true);
  metrics.setEmulationEnabled(true);
  const later = await metrics.registry.metrics();
  for (const name of ['virt_operator_leading_status', 'virt_operator_ready_status', 'configuration_emulation_enabled'])
    assert.match(later, new RegExp(`kubevirt_${name} 1\n`));
  metrics.setLeading(false);
  metrics.setEmulationEnabled(false);
  const last = await metrics.registry.metrics();
  for (const name of ['virt_operator_leading_status', 'configuration_emulation_enabled'])
    assert.match(last, new RegExp(`kubevirt_${name} 0\n`));
});

test('B65: ready follows the probe: it returns to zero when the process cannot do its part any more', async () => {
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  const ready = async () => /^kubevirt_virt_operator_ready_status (\d)/m.exec(await metrics.registry.metrics())?.[1];
  let isServing = false;
  metrics.followReadiness(() => isServing);
  metrics.setReady(true);
  assert.equal(await ready(), '0');
  isServing = true;
  assert.equal(await ready(), '1');
  isServing = false;
  assert.equal(await ready(), '0');
});

test('a depth that Redis does not tell in time holds no scrape up', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  metrics.queue.followDepth(() => delay(60_000, 1, { ref: false }));
  const scraping = metrics.registry.metrics();
  await turn();
  context.mock.timers.tick(999);
  assert.doesNotMatch(await scraping, /workqueue_depth\{/);
});

test('the depth of the queue is what its worker reads, zero elsewhere, and absent when Redis is away', async () => {
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  const depth = async () =>
    /kubevirt_workqueue_depth\{name="virt-operator"\} (\d+)/.exec(await metrics.registry.metrics());
  assert.equal((await depth())?.[1], '0');
  metrics.queue.followDepth(() => Promise.resolve(7));
  assert.equal((await depth())?.[1], '7');
  metrics.queue.followDepth(() => Promise.resolve(undefined));
  assert.equal(await depth(), null);
  metrics.queue.followDepth(undefined);
  assert.equal((await depth())?.[1], '0');
});

test('the queue metrics carry upstream names and the queue name', async () => {
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  metrics.queue.added(false);
  metrics.queue.added(true);
  metrics.queue.passStarted(0.002);
  metrics.queue.passEnded();
  const page = await metrics.registry.metrics();
  assert.match(page, /kubevirt_workqueue_adds_total\{name="virt-operator"\} 2/);
  assert.match(page, /kubevirt_workqueue_retries_total\{name="virt-operator"\} 1/);
  assert.match(page, /kubevirt_workqueue_queue_duration_seconds_bucket\{le="0.01",name="virt-operator"\} 1/);
  assert.match(page, /kubevirt_workqueue_unfinished_work_seconds\{name="virt-operator"\} 0/);
});

/** What upstream exports, by type (spec/observability.md §2 to §5); the histograms with their buckets. */
const latency = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const powersOfTen = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];
const doubling = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512];
const upstream: { name: string; type: string; labels?: string[]; buckets?: number[] }[] = [
  { name: 'kubevirt_virt_operator_leading_status', type: 'gauge' },
  { name: 'kubevirt_virt_operator_ready_status', type: 'gauge' },
  { name: 'kubevirt_configuration_emulation_enabled', type: 'gauge' },
  {
    name: 'kubevirt_rest_client_request_latency_seconds',
    type: 'histogram',
    labels: ['verb', 'url'],
    buckets: latency,
  },
  {
    name: 'kubevirt_rest_client_rate_limiter_duration_seconds',
    type: 'histogram',
    labels: ['verb', 'url'],
    buckets: doubling,
  },
  {
    name: 'kubevirt_rest_client_requests_total',
    type: 'counter',
    labels: ['code', 'method', 'host', 'resource', 'verb'],
  },
  { name: 'kubevirt_workqueue_depth', type: 'gauge', labels: ['name'] },
  { name: 'kubevirt_workqueue_adds_total', type: 'counter', labels: ['name'] },
  { name: 'kubevirt_workqueue_retries_total', type: 'counter', labels: ['name'] },
  { name: 'kubevirt_workqueue_queue_duration_seconds', type: 'histogram', labels: ['name'], buckets: powersOfTen },
  { name: 'kubevirt_workqueue_work_duration_seconds', type: 'histogram', labels: ['name'], buckets: powersOfTen },
  { name: 'kubevirt_workqueue_longest_running_processor_seconds', type: 'gauge', labels: ['name'] },
  { name: 'kubevirt_workqueue_unfinished_work_seconds', type: 'gauge', labels: ['name'] },
  { name: 'process_cpu_seconds_total', type: 'counter' },
  { name: 'process_resident_memory_bytes', type: 'gauge' },
  { name: 'process_start_time_seconds', type: 'gauge' },
  { name: 'process_open_fds', type: 'gauge' },
];

test('every metric of upstream is there, with its type, its labels and its buckets', async () => {
  const metrics = new OperatorMetrics({ role: 'all', version: '1' });
  metrics.setEmulationEnabled(true);
  metrics.queue.added(true);
  metrics.queue.passStarted(1);
  metrics.queue.passEnded();
  metrics.observeCall({
    method: 'GET',
    path: '/api/v1/nodes',
    parameters: [],
    host: 'h:1',
    resource: 'nodes',
    verb: 'LIST',
    code: '200',
    seconds: 1,
    waitedSeconds: 1,
  });
  const page = await metrics.registry.metrics();
  metrics.own.close();
  const lines = page.split('\n');
  for (const { name, type, labels = [], buckets } of upstream) {
    assert.ok(lines.includes(`# TYPE ${name} ${type}`), name);
    const samples = lines.filter((line) => new RegExp(`^${name}(_bucket)?[{ ]`).test(line));
    assert.ok(samples.length > 0, name);
    const names = [...(samples[0] ?? '').matchAll(/[{,](\w+)="/g)].map(([, label]) => label ?? '');
    assert.deepEqual(names.filter((label) => label !== 'le').sort(), labels.toSorted(), name);
    if (buckets === undefined) continue;
    const bounds = samples.map((line) => /le="([^"]+)"/.exec(line)?.[1] ?? '');
    assert.deepEqual(bounds.slice(0, -1).map(Number), buckets, name);
    assert.equal(bounds.at(-1), '+Inf', name);
  }
});
