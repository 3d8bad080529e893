import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  createdTwice,
  createKubeVirt,
  isWrite,
  KUBEVIRT_PATH,
  NAMESPACE,
  readAudit,
  readKubeVirt,
  startOperator,
  startSite,
  whenDeployed,
  type Operator,
  type Site,
} from './harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { openClient } from '../functions/harness.ts';

let site: Site;
let operator: Operator;

before(async () => {
  site = await startSite();
  operator = await startOperator(site, 'all');
  site.plane.setWebhookPorts([operator.webhookPort]);
  await operator.said('started leading');
});

test('a KubeVirt object becomes Deployed; nothing is created twice, and no more is written than has to be', async () => {
  await createKubeVirt(site, { imagePullPolicy: 'IfNotPresent' });
  const { status, metadata } = await whenDeployed(site);
  assert.equal(status?.observedDeploymentID, status?.targetDeploymentID);
  assert.equal(status?.observedKubeVirtVersion, 'v1.9.0');
  assert.deepEqual(metadata.finalizers, ['kubevirt.io/foregroundDeleteKubeVirt']);
  assert.equal(metadata.annotations?.['kubevirt.io/latest-observed-api-version'], 'v1');
  const audit = await readAudit(site);
  assert.deepEqual(createdTwice(audit), []);
  const writes = audit.filter(isWrite);
  assert.ok(writes.length <= 262, `${writes.length} writes`);
});

test('phase, conditions and finalizer are stored before the first object is created', async () => {
  const audit = (await readAudit(site)).filter(isWrite);
  const first = audit.findIndex(({ verb }) => verb === 'create');
  const before = audit
    .slice(0, first)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.subresource ?? ''}`);
  assert.deepEqual(before, ['patch kubevirts/', 'patch kubevirts/', 'update kubevirts/status']);
});

test('over a healthy installation a pass sends no request at all', async () => {
  // Whatever the installation itself still causes has ended when nothing is said for a second.
  await eventually(() => operator.lines.length, quiet(), 30_000);
  const before = (await readAudit(site)).length;
  const { plane } = site;
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`;
  // Twice: by the end of the second pass the log of the API server has all that the first one asked.
  for (const touched of ['once', 'twice']) {
    const passes = await countPasses();
    const touch = { metadata: { annotations: { 'example.com/touched': touched } } };
    await plane.api.expect('PATCH', path, touch, 'application/merge-patch+json');
    await eventually(countPasses, (count) => count > passes);
  }
  const after = (await readAudit(site)).slice(before).filter(({ verb }) => verb !== 'watch');
  assert.deepEqual(
    after.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    [],
  );
});

/** How many passes the operator has finished. */
async function countPasses(): Promise<number> {
  const page = openClient(operator.port);
  const { body } = await page.send('/metrics');
  page.close();
  const counts = [...body.matchAll(/^virt_operator_pass_duration_seconds_count\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** True when the same value was seen for a second. */
function quiet(): (value: number) => boolean {
  let last: number | undefined;
  let since = 0;
  return (value) => {
    if (value !== last) since = performance.now();
    last = value;
    return performance.now() - since > 1000;
  };
}

test('what somebody takes away is put back', async () => {
  const { api } = site.plane;
  const path = `/api/v1/namespaces/${NAMESPACE}/services/virt-api`;
  const uid = async () => ((await api.call('GET', path)).body.metadata as { uid?: string } | undefined)?.uid;
  const old = await uid();
  await api.expect('DELETE', path);
  await eventually(uid, (now) => now !== undefined && now !== old);
});

test('an object that asks for what cannot be is told so, and recovers', async () => {
  const { api } = site.plane;
  const patch = {
    spec: {
      customizeComponents: {
        patches: [
          {
            resourceName: 'virt-controller',
            resourceType: 'Deployment',
            type: 'json',
            patch: '[{"op":"remove","path":"/spec/nothing"}]',
          },
        ],
      },
    },
  };
  await api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt`, patch, 'application/merge-patch+json');
  const broken = await eventually(
    () => readKubeVirt(site),
    ({ status }) => (status?.conditions ?? []).some(({ reason }) => reason === 'DeploymentFailed'),
  );
  const message = broken.status?.conditions?.find(({ type }) => type === 'Synchronized')?.message ?? '';
  assert.match(message, /virt-controller/);
  assert.match(message, /\/spec\/nothing/);
  const undo = { spec: { customizeComponents: { patches: null } } };
  await api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt`, undo, 'application/merge-patch+json');
  await whenDeployed(site);
});

test('a deleted KubeVirt takes everything with it', async () => {
  const { api } = site.plane;
  await api.expect('DELETE', `${KUBEVIRT_PATH}/kubevirt`);
  await eventually(
    () => api.call('GET', `${KUBEVIRT_PATH}/kubevirt`),
    ({ status }) => status === 404,
    60_000,
  );
  const selector = 'labelSelector=app.kubernetes.io%2Fmanaged-by%3Dvirt-operator';
  for (const path of [
    '/api/v1/secrets',
    '/apis/apps/v1/deployments',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/api/v1/configmaps',
  ]) {
    const { items } = (await api.expect('GET', `${path}?${selector}`)) as { items?: { metadata: { name: string } }[] };
    assert.deepEqual(
      items?.map(({ metadata }) => metadata.name),
      [],
      path,
    );
  }
});

test('SIGTERM ends the process at once, in order', async () => {
  const { code, milliseconds } = await operator.end('SIGTERM');
  assert.equal(code, 0);
  assert.ok(milliseconds < 1500, `${milliseconds} ms`);
  await operator.said('stopped leading');
});
