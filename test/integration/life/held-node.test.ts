import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { buildNode } from '../../../sandbox/nodes.ts';
import { createKubeVirt, NAMESPACE, readKubeVirt, whenDeployed } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { editKubeVirt, readCondition, startLeader, startLifeSite, whenQuiet, type LifeSite } from './harness.ts';
import { startKubelet, type Kubelet } from './kubelet.ts';
import { firstChange, recordWorkloads } from './workload-log.ts';

const OLD = 'v1.9.0';
const NEW = 'v1.9.1';

let site: LifeSite;
let kubelet: Kubelet;

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
  const log = recordWorkloads(site.plane.api);
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

test('B22: as soon as that node starts it, the update goes on to its end', async () => {
  await kubelet.allowAll();
  const { status } = await whenDeployed(site);
  assert.equal(status?.observedKubeVirtVersion, NEW);
  assert.equal((await readCondition(site, 'Progressing'))?.status, 'False');
  assert.deepEqual(await readHandler(), { desired: 4, ready: 4 });
});
