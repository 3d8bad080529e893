import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import type { CustomizePatch } from '../../../src/api/kubevirt.ts';
import { createKubeVirt, NAMESPACE, readKubeVirt, whenDeployed } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  assertSays,
  editKubeVirt,
  readCondition,
  startLeader,
  startLifeSite,
  whenQuiet,
  type LifeSite,
} from './harness.ts';
import { recordKubeVirts, statusOf } from './kubevirt-log.ts';

/** A patch of a field that the object does not have. */
function brokenPatch(resourceType: string, resourceName: string): CustomizePatch {
  return { resourceType, resourceName, type: 'json', patch: '[{"op":"remove","path":"/spec/nothing/here"}]' };
}

const GOOD_PATCH: CustomizePatch = {
  resourceType: 'deployment',
  resourceName: '*',
  type: 'strategic',
  patch: '{"metadata":{"annotations":{"example.com/customized":"yes"}}}',
};

let site: LifeSite;

before(async () => {
  site = await startLifeSite();
  await startLeader(site);
});

async function readDeployment(name: string) {
  const { status, body } = await site.plane.api.call(
    'GET',
    `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${name}`,
  );
  return status === 200
    ? (body as { metadata: { annotations: Record<string, string> }; spec: { replicas: number } })
    : undefined;
}

const whenFailed = () =>
  eventually(
    () => readCondition(site, 'Degraded'),
    (condition) => condition?.status === 'True' && condition.reason === 'DeploymentFailed',
    60_000,
  );

test('B34: a first installation with a patch that fits nothing of virt-api tells it and installs the others; it is never Available', async () => {
  const log = recordKubeVirts(site.plane.api);
  await createKubeVirt(site, { customizeComponents: { patches: [GOOD_PATCH, brokenPatch('Deployment', 'virt-api')] } });
  assertSays(await whenFailed(), /patches\[1\]/, /Deployment kubevirt\/virt-api/, /\/spec\/nothing\/here/);
  const controller = await eventually(
    () => readDeployment('virt-controller'),
    (deployment) => deployment !== undefined,
  );
  assert.equal(controller?.metadata.annotations['example.com/customized'], 'yes');
  await whenQuiet(site, 3000);
  assert.equal(await readDeployment('virt-api'), undefined);
  await log.stop();
  assert.deepEqual(
    log.states.filter((state) => statusOf(state, 'Available') === 'True'),
    [],
  );
});

test('with the patch mended the installation becomes whole', async () => {
  await editKubeVirt(site, { spec: { customizeComponents: { patches: [GOOD_PATCH] } } });
  await whenDeployed(site);
  assert.equal((await readDeployment('virt-api'))?.metadata.annotations['example.com/customized'], 'yes');
});

test('B34: a patch that fits nothing of virt-handler leaves the running one alone, and other changes are made', async () => {
  const { metadata } = await readKubeVirt(site);
  const handler = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`;
  const generationOf = async () =>
    ((await site.plane.api.expect('GET', handler)) as { metadata: { generation: number } }).metadata.generation;
  const before = await generationOf();
  const patches = [brokenPatch('DaemonSet', 'virt-handler')];
  await editKubeVirt(site, { spec: { customizeComponents: { patches }, infra: { replicas: 3 } } });
  await eventually(
    () => readDeployment('virt-controller'),
    (deployment) => deployment?.spec.replicas === 3,
  );
  assertSays(await whenFailed(), /patches\[0\]/, /DaemonSet kubevirt\/virt-handler/);
  assert.equal(await generationOf(), before);
  assert.notEqual((await readKubeVirt(site)).metadata.generation, metadata.generation);
  await editKubeVirt(site, { spec: { customizeComponents: null } });
  await whenDeployed(site);
});

test('B34: a patch after which the API server refuses virt-api is told, and other changes are made', async () => {
  const patch = '{"spec":{"template":{"spec":{"containers":[]}}}}';
  const patches: CustomizePatch[] = [{ resourceType: 'Deployment', resourceName: 'virt-api', type: 'merge', patch }];
  await editKubeVirt(site, { spec: { customizeComponents: { patches }, infra: { replicas: 4 } } });
  await eventually(
    () => readDeployment('virt-controller'),
    (deployment) => deployment?.spec.replicas === 4,
  );
  assertSays(await whenFailed(), /Deployment kubevirt\/virt-api, .*patches\[0\]/, /spec\.template\.spec\.containers/);
  await editKubeVirt(site, { spec: { customizeComponents: null } });
  await whenDeployed(site);
  assert.equal((await readDeployment('virt-api'))?.spec.replicas, 4);
});
