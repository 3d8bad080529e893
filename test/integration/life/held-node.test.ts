import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { buildNode } from '../../../sandbox/nodes.ts';
import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { createKubeVirt, NAMESPACE, readKubeVirt, whenDeployed } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { editKubeVirt, readCondition, startLeader, startLifeSite, whenQuiet, type LifeSite } from './harness.ts';
import { startKubelet, type Kubelet } from './kubelet.ts';
import { firstChange, recordWorkloads, type WorkloadLog } from './workload-log.ts';

const OLD = 'v1.9.0';
const NEW = 'v1.9.1';

let site: LifeSite;
let kubelet: Kubelet;
let log: WorkloadLog;

before(async () => {
  site = await startLifeSite();
  kubelet = startKubelet(site, (pod) => pod.metadata.annotations?.['kubevirt.io/install-strategy-version'] === OLD);
  site.atEnd(() => kubelet.stop());
  const node = buildNode(3);
  node.metadata = { ...node.metadata, name: kubelet.node };
  await site.plane.api.expect('POST', '/api/v1/nodes', node);
  await startLeader(site);
  await createKubeVirt(site);
  await whenDeployed(site);
});

async function readHandler() {
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`;
  const { status } = (await site.plane.api.expect('GET', path)) as { status?: Record<string, number> };
  return { desired: status?.['desiredNumberScheduled'], ready: status?.['numberReady'] };
}

test('B22: while one of four nodes cannot start the new virt-handler the update is not done, and says so', async () => {
  assert.deepEqual(await readHandler(), { desired: 4, ready: 4 });
  log = recordWorkloads(site.plane.api);
  site.atEnd(() => log.stop());
  await editKubeVirt(site, { spec: { imageTag: NEW } });
  await eventually(
    () => kubelet.refused.length,
    (refused) => refused > 0,
    60_000,
  );
  await whenQuiet(site, 3000);
  const { status } = await readKubeVirt(site);
  assert.equal(status?.targetKubeVirtVersion, NEW);
  assert.equal(status.observedKubeVirtVersion, OLD);
  assert.equal((await readCondition(site, 'Progressing'))?.status, 'True');
  assert.equal((await readHandler()).ready, 3);
  assert.equal(firstChange(log.of('virt-controller')), undefined, 'no controller before every handler (B21)');
});

test('B21: edits in the middle of the update change virt-handler at most, whatever they are about', async () => {
  const tolerations = [{ key: 'held', operator: 'Exists' }];
  const patch = '{"metadata":{"annotations":{"example.com/customized":"yes"}}}';
  const customized = { resourceType: 'Deployment', resourceName: 'virt-controller', type: 'merge', patch };
  const edits: KubeVirtSpec[] = [
    { workloads: { nodePlacement: { tolerations } } },
    { customizeComponents: { patches: [customized] } },
    { certificateRotateStrategy: { selfSigned: { ca: { duration: '96h' }, server: { duration: '12h' } } } },
    { infra: { replicas: 3 } },
  ];
  for (const spec of edits) {
    await editKubeVirt(site, { spec });
    await whenQuiet(site, 2000);
    assert.equal(firstChange(log.of('virt-controller')), undefined, JSON.stringify(spec));
  }
  const handler = log.of('virt-handler').at(-1);
  assert.match(JSON.stringify(handler?.spec), /"key":"held"/);
  assert.equal((await readKubeVirt(site)).status?.observedKubeVirtVersion, OLD);
});

test('B22: as soon as that node starts it, the update goes on to its end', async () => {
  await kubelet.allowAll();
  const { status } = await whenDeployed(site);
  assert.equal(status?.observedKubeVirtVersion, NEW);
  assert.equal((await readCondition(site, 'Progressing'))?.status, 'False');
  assert.deepEqual(await readHandler(), { desired: 4, ready: 4 });
  const controller = log.of('virt-controller').at(-1);
  assert.equal(controller?.metadata.annotations?.['example.com/customized'], 'yes');
  assert.equal(controller.spec?.['replicas'], 3);
});
