import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import type { ApiObject } from '../../../sandbox/api-object.ts';
import { createKubeVirt, KUBEVIRT_PATH, NAMESPACE, readKubeVirt, whenDeployed } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  describeWrite,
  editKubeVirt,
  markAudit,
  recordedStrategies,
  startLeader,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from './harness.ts';
import { compareSnapshots, readGoldenSnapshot, readGoldenSpec, takeSnapshot, type Snapshot } from './snapshot.ts';
import { firstChange, isRolledOut, recordWorkloads, type WorkloadLog } from './workload-log.ts';

const skip = recordedStrategies === undefined ? 'no recorded strategies beside the repository' : false;
const OLD = 'v1.8.4';
/** A definition that v1.9.0 gives another version, with a status sub-resource that the old one did not have. */
const EXPORTS = 'virtualmachineexports.export.kubevirt.io';

/** What users have when the release changes under them. */
const USERS_OBJECTS: readonly { path: string; object: ApiObject }[] = [
  {
    path: '/apis/kubevirt.io/v1/namespaces/default/virtualmachines',
    object: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'theirs' },
      spec: {
        runStrategy: 'Halted',
        template: { spec: { domain: { devices: {}, resources: { requests: { memory: '64Mi' } } } } },
      },
    },
  },
  {
    path: '/apis/instancetype.kubevirt.io/v1beta1/namespaces/default/virtualmachineinstancetypes',
    object: {
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineInstancetype',
      metadata: { name: 'theirs' },
      spec: { cpu: { guest: 3 }, memory: { guest: '3Gi' } },
    },
  },
  {
    path: '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies',
    object: {
      apiVersion: 'migrations.kubevirt.io/v1alpha1',
      kind: 'MigrationPolicy',
      metadata: { name: 'theirs' },
      spec: { allowAutoConverge: true, selectors: {} },
    },
  },
];

let site: LifeSite;
let oldSnapshot: Snapshot;
let usersBefore: unknown[];

before(async () => {
  if (recordedStrategies === undefined) return;
  site = await startLifeSite({ recorded: recordedStrategies });
  await startLeader(site);
});

async function readUsersObjects(): Promise<unknown[]> {
  const read = ({ path, object }: (typeof USERS_OBJECTS)[number]) =>
    site.plane.api.expect('GET', `${path}/${object.metadata?.name ?? ''}`);
  const objects = await Promise.all(USERS_OBJECTS.map(read));
  return objects.map(({ spec, metadata }) => ({ spec, uid: (metadata as { uid?: string } | undefined)?.uid }));
}

/** Asks admission again and again, of the operator and of virt-api, until stopped; returns what was not answered as it should be. */
function probeAdmission(): () => Promise<string[]> {
  const ending = new AbortController();
  const trouble: string[] = [];
  const { api } = site.plane;
  const probes: readonly { path: string; patch: object }[] = [
    { path: `${KUBEVIRT_PATH}/kubevirt`, patch: { spec: { configuration: { cpuModel: 'host-model' } } } },
    { path: `${USERS_OBJECTS[0]?.path ?? ''}/theirs`, patch: { metadata: { labels: { probed: 'yes' } } } },
  ];
  const probing = (async () => {
    while (!ending.signal.aborted) {
      for (const { path, patch } of probes) {
        const answer = await api.call('PATCH', `${path}?dryRun=All`, patch, 'application/merge-patch+json');
        if (answer.status !== 200) trouble.push(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      }
      await pause(100);
    }
  })();
  return async () => {
    ending.abort();
    await probing;
    return trouble;
  };
}

/** Goes to another release with every probe at work, and an edit that changes no component on the way; returns what the workloads went through. */
async function moveTo(imageTag: string | null): Promise<WorkloadLog> {
  const log = recordWorkloads(site.plane.api);
  const stopProbing = probeAdmission();
  await editKubeVirt(site, { spec: { imageTag } });
  await eventually(
    () => firstChange(log.of('virt-handler')) ?? firstChange(log.of('virt-api')),
    (change) => change !== undefined,
    60_000,
  );
  await editKubeVirt(site, { spec: { configuration: { cpuModel: imageTag === null ? 'host-passthrough' : null } } });
  await whenDeployed(site);
  await whenQuiet(site);
  await log.stop();
  assert.deepEqual(await stopProbing(), []);
  assert.deepEqual(await readUsersObjects(), usersBefore);
  return log;
}

async function readVersions(crd: string): Promise<string[]> {
  const { spec } = await site.plane.api.expect('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`);
  const { versions } = spec as { versions: { name: string; subresources?: { status?: object } }[] };
  return versions.map(({ name, subresources }) => (subresources?.status === undefined ? name : `${name}+status`));
}

test(`${OLD} is installed from the strategy of its own image`, { skip }, async () => {
  await createKubeVirt(site, { ...readGoldenSpec('default'), imageTag: OLD });
  const { status } = await whenDeployed(site);
  assert.equal(status?.observedKubeVirtVersion, OLD);
  assert.equal(site.dumper.pods.length, 1);
  await whenQuiet(site);
  oldSnapshot = await takeSnapshot(site.plane.api, NAMESPACE);
  for (const { path, object } of USERS_OBJECTS) await site.plane.api.expect('POST', path, object);
  usersBefore = await readUsersObjects();
});

test('B21: from there to v1.9.0: handlers first, controllers when they are out, virt-api last', { skip }, async () => {
  const mark = await markAudit(site);
  const log = await moveTo(null);
  assert.equal((await readKubeVirt(site)).status?.observedKubeVirtVersion, 'v1.9.0');
  const [controller, api] = [firstChange(log.of('virt-controller')), firstChange(log.of('virt-api'))];
  assert.ok(controller !== undefined && api !== undefined);
  const handler = log.before('virt-handler', controller);
  assert.ok(handler !== undefined && isRolledOut(handler), JSON.stringify(handler));
  assert.equal(log.before('virt-controller', api)?.metadata.generation, controller.metadata.generation);
  const golden = withoutKubeVirt(readGoldenSnapshot('default'));
  // Of ServiceAccounts that exist, upstream and we change the metadata only (spec/apply.md §5.2).
  const accounts = ['virt-template-apiserver', 'virt-template-controller-manager'];
  assert.deepEqual(
    compareSnapshots(golden, withoutKubeVirt(await takeSnapshot(site.plane.api, NAMESPACE))),
    accounts.map((name) => `/objects/ServiceAccount/kubevirt/${name}/automountServiceAccountToken: missing`),
  );

  assert.deepEqual(await readVersions(EXPORTS), ['v1beta1+status', 'v1+status']);
  const writes = (await writesSince(site, mark)).map(describeWrite);
  const patches = writes.flatMap((write, index) =>
    write === `patch customresourcedefinitions ${EXPORTS}` ? [index] : [],
  );
  const [first = Infinity, last = -1] = [patches[0], patches.at(-1)];
  assert.ok(
    first < writes.indexOf('patch daemonsets virt-handler'),
    'the new definition comes before the new components',
  );
  assert.ok(last > writes.indexOf('patch deployments virt-api'), 'its new status sub-resource comes after them');
});

test(`B23: and back to ${OLD}, in the order of a rollback, with nothing of v1.9.0 left`, { skip }, async () => {
  const log = await moveTo(OLD);
  assert.equal((await readKubeVirt(site)).status?.observedKubeVirtVersion, OLD);
  const [api, controller, handler] = ['virt-api', 'virt-controller', 'virt-handler'].map((name) =>
    firstChange(log.of(name)),
  );
  assert.ok(api !== undefined && controller !== undefined && handler !== undefined);
  for (const later of [controller, handler]) {
    assert.equal(log.before('virt-api', later)?.metadata.generation, api.metadata.generation);
  }
  const now = await takeSnapshot(site.plane.api, NAMESPACE);
  // The API server keeps the policy of a Service that is written without one.
  const services = ['api-service', 'controller-manager-metrics-service', 'webhook-service'];
  const kept = 'spec/ipFamilyPolicy: want "SingleStack" got "PreferDualStack"';
  assert.deepEqual(
    compareSnapshots(withoutKubeVirt(oldSnapshot), withoutKubeVirt(now)),
    services.map((name) => `/objects/Service/kubevirt/virt-template-${name}/${kept}`),
  );
});

/** The status remembers the way that was gone. */
function withoutKubeVirt(snapshot: Snapshot): Snapshot {
  const kept = Object.entries(snapshot.objects).filter(([key]) => !key.startsWith('KubeVirt/'));
  return { ...snapshot, objects: Object.fromEntries(kept) };
}
