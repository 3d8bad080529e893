import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideVerb, parseApiPath } from '../../../functions/metrics/call-metrics.ts';
import { OperatorMetrics } from '../../../functions/metrics/operator-metrics.ts';

const paths: { method?: string; url: string; want: [resource: string, verb: string] }[] = [
  { url: '/api/v1/namespaces/kubevirt/pods', want: ['pods', 'LIST'] },
  { url: '/api/v1/namespaces/kubevirt/pods/virt-api-1', want: ['pods', 'GET'] },
  { url: '/api/v1/namespaces/kubevirt', want: ['namespaces', 'GET'] },
  { url: '/api/v1/namespaces', want: ['namespaces', 'LIST'] },
  { url: '/apis/apps/v1/deployments?watch=1&resourceVersion=7', want: ['deployments', 'WATCH'] },
  {
    method: 'PUT',
    url: '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/kubevirt/status',
    want: ['kubevirts', 'UPDATE'],
  },
  { method: 'POST', url: '/apis/apps/v1/namespaces/kubevirt/deployments?dryRun=All', want: ['deployments', 'CREATE'] },
  {
    method: 'PATCH',
    url: '/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt-api',
    want: ['clusterroles', 'PATCH'],
  },
  { url: '/version', want: ['none', 'LIST'] },
];
for (const { method = 'GET', url, want } of paths) {
  test(`a call ${method} ${url} counts as ${want.join(' ')}`, () => {
    const parsed = new URL(url, 'https://server');
    const { resource, name } = parseApiPath(parsed.pathname);
    assert.deepEqual([resource, decideVerb(method, parsed, name !== undefined)], want);
  });
}

test('calls are exposed without names of objects and values of queries', async () => {
  const metrics = new OperatorMetrics();
  metrics.observeCall({
    method: 'GET',
    url: '/api/v1/namespaces/kubevirt/secrets/kubevirt-ca?limit=5',
    host: 'h:1',
    code: '200',
    seconds: 0.01,
    waitedSeconds: 0,
  });
  const page = await metrics.registry.metrics();
  assert.match(
    page,
    /kubevirt_rest_client_requests_total\{code="200",method="GET",host="h:1",resource="secrets",verb="GET"\} 1/,
  );
  assert.match(page, /url="\/api\/v1\/namespaces\/\{namespace\}\/secrets\/\{name\}\?limit=%7Bvalue%7D"/);
  assert.doesNotMatch(page, /kubevirt-ca/);
});

test('the emulation gauge is there only while leading, with the value of the KubeVirt object', async () => {
  const metrics = new OperatorMetrics();
  metrics.setEmulationEnabled(true);
  assert.doesNotMatch(await metrics.registry.metrics(), /emulation_enabled/);
  metrics.setLeading(true);
  assert.match(await metrics.registry.metrics(), /kubevirt_configuration_emulation_enabled 1\n/);
  assert.match(await metrics.registry.metrics(), /kubevirt_virt_operator_leading_status 1\n/);
  metrics.setLeading(false);
  assert.doesNotMatch(await metrics.registry.metrics(), /emulation_enabled/);
  assert.match(await metrics.registry.metrics(), /kubevirt_virt_operator_leading_status 0\n/);
});

test('the queue metrics carry upstream names and the queue name', async () => {
  const metrics = new OperatorMetrics();
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
