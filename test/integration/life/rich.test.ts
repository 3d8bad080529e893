import assert from 'node:assert/strict';
import { before, test } from 'node:test';

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
import { compareSnapshots, noGolden, readGoldenSnapshot, readGoldenSpec, takeSnapshot } from './snapshot.ts';

const skip = noGolden;
let site: LifeSite;
/** How many dump pods have to fail. */
let failures = 0;

before(async () => {
  if (skip !== false) return;
  site = await startLifeSite({ refuse: () => (failures-- > 0 ? 'no space left on device' : undefined) });
  await startLeader(site);
});

test('an installation that uses everything is the one that upstream leaves, object by object', { skip }, async () => {
  await createKubeVirt(site, readGoldenSpec('rich'));
  await whenDeployed(site);
  await whenQuiet(site);
  const differences = compareSnapshots(readGoldenSnapshot('rich'), await takeSnapshot(site.plane.api, NAMESPACE));
  assert.deepEqual(differences, []);
});

test(
  'B07, B08, B09: another version is dumped by its own image, with placement and pull secrets',
  { skip },
  async () => {
    await editKubeVirt(site, { spec: { imageTag: 'v1.9.1', imageRegistry: 'registry.example.com/mirror' } });
    await whenDeployed(site);
    const [pod, ...others] = site.dumper.pods;
    assert.deepEqual(others, []);
    assert.equal(pod?.spec.containers[0]?.image, 'registry.example.com/mirror/virt-operator:v1.9.1');
    assert.deepEqual(pod.spec.imagePullSecrets, [{ name: 'regcred' }]);
    assert.deepEqual(pod.spec.nodeSelector, { 'kubernetes.io/os': 'linux', type: 'kwok' });
    assert.equal(pod.metadata.labels?.['kubevirt.io'], 'virt-operator-strategy-dumper');
    const { status } = await readKubeVirt(site);
    assert.equal(status?.observedKubeVirtVersion, 'v1.9.1');
    assert.equal(status.observedKubeVirtRegistry, 'registry.example.com/mirror');
    const handler = await site.plane.api.expect('GET', `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`);
    assert.match(JSON.stringify(handler['spec']), /registry\.example\.com\/mirror\/virt-handler:v1\.9\.1/);
  },
);

test('a dump Job that fails is reported, and tried again', { skip }, async () => {
  failures = 1;
  const once = { resourceType: 'Job', resourceName: 'virt-operator-install-strategy', type: 'merge' };
  const patches = [{ ...once, patch: '{"spec":{"backoffLimit":0}}' }];
  await editKubeVirt(site, { spec: { imageTag: 'v1.9.2', customizeComponents: { flags: null, patches } } });
  const reported = await eventually(
    () => readCondition(site, 'Degraded'),
    (condition) => condition?.reason === 'DeploymentFailed',
    60_000,
  );
  assertSays(reported, /Job virt-operator-install-strategy-/, /failed/);
  const { status } = await whenDeployed(site);
  assert.equal(status?.observedKubeVirtVersion, 'v1.9.2');
  assert.equal(site.dumper.pods.length, 3);
});
