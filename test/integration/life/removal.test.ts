import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import { createKubeVirt, KUBEVIRT_PATH, whenDeployed, type Operator } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  assertSays,
  deleteKubeVirt,
  describeWrite,
  editKubeVirt,
  assertNothingLeft,
  markAudit,
  startLeader,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from './harness.ts';
import { deleteAfterWrites } from './moments.ts';

const ELSEWHERE = '/apis/kubevirt.io/v1/namespaces/elsewhere/kubevirts';
const FINALIZER = 'kubevirt.io/foregroundDeleteKubeVirt';

let site: LifeSite;
let operator: Operator;

before(async () => {
  site = await startLifeSite();
  operator = await startLeader(site);
});

for (const writes of [0, 40, 120]) {
  test(`B29: deleted after ${writes} writes of its installation, it leaves nothing`, () =>
    deleteAfterWrites(site, writes));
}

/** Creates a second KubeVirt object while nobody refuses it, and starts the operator again. */
async function addSurplus(): Promise<void> {
  const { api } = site.plane;
  await operator.end('SIGTERM');
  site.plane.setWebhookPorts([]);
  const configuration = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/virt-operator-validator';
  const tolerant = { webhooks: [{ name: 'kubevirt-create-validator.kubevirt.io', failurePolicy: 'Ignore' }] };
  await api.expect('PATCH', configuration, tolerant, 'application/strategic-merge-patch+json');
  await api.expect('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'elsewhere' },
  });
  await eventually(
    () =>
      api.call('POST', ELSEWHERE, {
        apiVersion: 'kubevirt.io/v1',
        kind: 'KubeVirt',
        metadata: { name: 'surplus', namespace: 'elsewhere', finalizers: [FINALIZER] },
        spec: {},
      }),
    ({ status }) => status === 201,
  );
  operator = await startLeader(site);
}

test('B01: of two KubeVirt objects both are told, neither is reconciled, and admission goes on', async () => {
  const { api } = site.plane;
  await createKubeVirt(site);
  await whenDeployed(site);
  await whenQuiet(site);
  await addSurplus();
  for (const path of [`${KUBEVIRT_PATH}/kubevirt`, `${ELSEWHERE}/surplus`]) {
    const { status } = await eventually(
      async () => (await api.expect('GET', path)) as unknown as KubeVirt,
      (kubeVirt) => (kubeVirt.status?.conditions ?? []).some(({ reason }) => reason === 'ExistingDeployment'),
    );
    const synchronized = status?.conditions?.find(({ type }) => type === 'Synchronized');
    assertSays(synchronized, /kubevirt\/kubevirt/, /elsewhere\/surplus/);
  }
  assert.ok(operator.lines.some((line) => line.includes('elsewhere/surplus') && line.includes('kubevirt/kubevirt')));
  const mark = await markAudit(site);
  await editKubeVirt(site, { spec: { infra: { replicas: 3 } } });
  await assert.rejects(editKubeVirt(site, { spec: { infra: { replicas: 0 } } }), /infra/);
  await whenQuiet(site);
  assert.deepEqual((await writesSince(site, mark)).map(describeWrite), []);
});

test('B01: the surplus one goes without touching an object, and the other is reconciled again', async () => {
  const { api } = site.plane;
  const mark = await markAudit(site);
  await api.expect('DELETE', `${ELSEWHERE}/surplus`);
  await eventually(
    () => api.call('GET', `${ELSEWHERE}/surplus`),
    ({ status }) => status === 404,
  );
  const { status } = await whenDeployed(site);
  await whenQuiet(site);
  assert.equal(
    status?.conditions?.find(({ type }) => type === 'Synchronized'),
    undefined,
  );
  const writes = (await writesSince(site, mark)).map(describeWrite);
  assert.equal(writes[0], 'patch kubevirts surplus');
  assert.ok(!writes.some((write) => write.startsWith('delete')), writes.join('\n'));
  assert.ok(writes.includes('patch deployments virt-controller'), 'the edit that was made meanwhile');
  assert.ok(writes.includes('patch validatingwebhookconfigurations virt-operator-validator'));
});

test('B45: deleted while the operator is away, it is refused; with the operator back it goes and leaves nothing', async () => {
  const { api } = site.plane;
  await operator.end('SIGKILL');
  site.plane.setWebhookPorts([]);
  assert.notEqual((await api.call('DELETE', `${KUBEVIRT_PATH}/kubevirt`)).status, 200);
  operator = await startLeader(site);
  await deleteKubeVirt(site);
  await assertNothingLeft(site);
});
