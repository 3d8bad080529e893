import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { createKubeVirt, NAMESPACE, whenDeployed } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  deleteKubeVirt,
  describeWrite,
  assertNothingLeft,
  markAudit,
  replaceSpec,
  startLeader,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from './harness.ts';
import {
  compareSnapshots,
  noGolden,
  readGoldenSnapshot,
  readGoldenSpec,
  readGoldenWrites,
  takeSnapshot,
} from './snapshot.ts';
import { firstChange, isRolledOut, recordWorkloads } from './workload-log.ts';

const skip = noGolden;
let site: LifeSite;

before(async () => {
  if (skip !== false) return;
  site = await startLifeSite();
  await startLeader(site);
  await createKubeVirt(site, readGoldenSpec('default'));
  await whenDeployed(site);
});

async function differencesFrom(golden: string): Promise<string[]> {
  return compareSnapshots(readGoldenSnapshot(golden), await takeSnapshot(site.plane.api, NAMESPACE));
}

test('a default installation is the one that upstream leaves, object by object', { skip }, async () => {
  await whenQuiet(site);
  assert.deepEqual(await differencesFrom('default'), []);
});

test('B14: an edit that alters no component costs at most two writes', { skip }, async () => {
  const mark = await markAudit(site);
  await replaceSpec(site, readGoldenSpec('config-change'));
  await whenDeployed(site);
  await whenQuiet(site);
  const writes = (await writesSince(site, mark)).map(describeWrite);
  assert.ok(writes.length <= 2, writes.join('\n'));
  assert.deepEqual(await differencesFrom('default'), []);
});

/** One object per way in which objects are compared and written. */
const DRIFT: readonly { what: string; path: string; patch?: object; writes: string[] }[] = [
  {
    what: 'an environment variable added to virt-handler (B15)',
    path: `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`,
    patch: {
      spec: { template: { spec: { containers: [{ name: 'virt-handler', env: [{ name: 'BY_HAND', value: '1' }] }] } } },
    },
    writes: ['patch daemonsets virt-handler'],
  },
  {
    what: 'fewer replicas of virt-controller',
    path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/virt-controller`,
    patch: { spec: { replicas: 1 } },
    writes: ['patch deployments virt-controller'],
  },
  {
    what: 'a rule taken from a ClusterRole',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt.io:view',
    patch: { rules: [] },
    writes: ['update clusterroles kubevirt.io:view'],
  },
  {
    what: 'a label taken from a Service',
    path: `/api/v1/namespaces/${NAMESPACE}/services/virt-api`,
    patch: { metadata: { labels: { 'kubevirt.io': null } } },
    writes: ['patch services virt-api'],
  },
  {
    what: 'a certificate Secret deleted',
    path: `/api/v1/namespaces/${NAMESPACE}/secrets/kubevirt-exportproxy-certs`,
    writes: ['create secrets kubevirt-exportproxy-certs'],
  },
  {
    what: 'a common instance type changed',
    path: '/apis/instancetype.kubevirt.io/v1beta1/virtualmachineclusterinstancetypes/u1.small',
    patch: { spec: { cpu: { guest: 7 } } },
    writes: ['update virtualmachineclusterinstancetypes u1.small'],
  },
  {
    what: 'a webhook configuration deleted',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/virt-api-validator',
    writes: ['create validatingwebhookconfigurations virt-api-validator'],
  },
];

for (const { what, path, patch, writes } of DRIFT) {
  test(`drift: ${what} is put right with one write`, { skip }, async () => {
    const { api } = site.plane;
    await whenQuiet(site);
    const mark = await markAudit(site);
    if (patch === undefined) await api.expect('DELETE', path);
    else await api.expect('PATCH', path, patch, patchTypeOf(path));
    await eventually(
      async () => (await writesSince(site, mark)).filter(({ objectRef }) => objectRef?.resource !== 'kubevirts').length,
      (count) => count > 0,
    );
    await whenDeployed(site);
    await whenQuiet(site);
    const made = (await writesSince(site, mark)).filter(({ objectRef }) => objectRef?.resource !== 'kubevirts');
    assert.deepEqual(withoutCanary(made.map(describeWrite)), writes);
    assert.deepEqual(await differencesFrom('default'), []);
  });
}

/**
 * When a node was quicker to take the edit up than we to take it back, virt-handler is rolled out again, and the canary widens its step and sets it back
 * (spec/apply.md §5.6): two more patches.
 */
function withoutCanary(writes: readonly string[]): string[] {
  const isCanary = writes.length === 3 && writes.every((write) => write === 'patch daemonsets virt-handler');
  return isCanary ? writes.slice(0, 1) : [...writes];
}

/** Kinds that come from a CRD have no strategic merge. */
function patchTypeOf(path: string): string {
  return path.startsWith('/apis/instancetype')
    ? 'application/merge-patch+json'
    : 'application/strategic-merge-patch+json';
}

test(
  'B21: an update ends where that of upstream ends, and virt-controller waits for virt-handler',
  { skip },
  async () => {
    const log = recordWorkloads(site.plane.api);
    const mark = await markAudit(site);
    await replaceSpec(site, readGoldenSpec('default-update'));
    await whenDeployed(site);
    await whenQuiet(site);
    await log.stop();
    const writes = await writesSince(site, mark);
    assert.ok(writes.length <= 290, `${writes.length} writes`);
    assert.deepEqual(await differencesFrom('default-update'), []);
    const controller = firstChange(log.of('virt-controller'));
    assert.ok(controller !== undefined);
    const handler = log.before('virt-handler', controller);
    assert.ok(handler !== undefined && isRolledOut(handler), JSON.stringify(handler));
    const api = firstChange(log.of('virt-api'));
    assert.ok(
      api !== undefined && log.before('virt-controller', api)?.metadata.generation === controller.metadata.generation,
    );
  },
);

test('B30: a removal leaves nothing, and goes in the order of upstream', { skip }, async () => {
  await whenQuiet(site);
  const mark = await markAudit(site);
  await deleteKubeVirt(site);
  const writes = (await writesSince(site, mark)).map(describeWrite);
  assert.ok(writes.length <= 175, `${writes.length} writes`);
  await assertNothingLeft(site);
  const { metadata } = await site.plane.api.expect('GET', `/api/v1/namespaces/${NAMESPACE}`);
  assert.equal(metadata?.labels?.['openshift.io/cluster-monitoring'], 'true', 'the label of the namespace stays');
  assert.deepEqual(phasesOf(writes), phasesOf(readGoldenWrites('delete')));
});

/** In which order the kinds of a removal were written for the first time; those that go side by side here count as one. */
function phasesOf(writes: readonly string[]): string[] {
  const phases = writes.flatMap((write) => {
    const [verb = '', resource = ''] = write.split(' ');
    const phase = SIDE_BY_SIDE.find(({ resources }) => resources.includes(resource))?.name;
    if (phase !== undefined) return [phase];
    return resource === 'customresourcedefinitions' ? [`${verb} ${resource}`] : [];
  });
  return phases.filter((phase, index) => phase !== phases[index - 1]);
}

const SIDE_BY_SIDE = [
  { name: 'workloads', resources: ['daemonsets', 'poddisruptionbudgets', 'deployments'] },
  { name: 'webhooks', resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'] },
  { name: 'services', resources: ['apiservices', 'services'] },
  {
    name: 'bindings and roles',
    resources: ['clusterrolebindings', 'rolebindings', 'clusterroles', 'roles', 'serviceaccounts'],
  },
  {
    name: 'the rest',
    resources: ['secrets', 'configmaps', 'validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
  },
];
