import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decideSteps } from '../../../src/plan/steps.ts';
import { buildKubeVirt, Installation, type PassResult } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const all = (results: readonly PassResult[]): string[] => results.flatMap(({ writes }) => writes);
const workloads = (results: readonly PassResult[]): string[] =>
  all(results).filter((write) => /Deployment|DaemonSet|PodDisruption/.test(write));

async function deployed(spec = {}, nodes = 3): Promise<Installation> {
  const installation = new Installation(buildKubeVirt(spec), new MemoryCluster({ nodes }));
  await installation.converge();
  return installation;
}

describe('update', () => {
  it('rolls virt-handler, then virt-controller, then the others, virt-api among the last', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    installation.edit({ imageTag: 'v1.9.1' });
    const results = await installation.converge();
    assert.deepEqual(workloads(results), [
      'patch DaemonSet virt-handler',
      'patch Deployment virt-controller',
      'patch PodDisruptionBudget virt-controller-pdb',
      'patch Deployment virt-exportproxy',
      'patch PodDisruptionBudget virt-exportproxy-pdb',
      'patch Deployment virt-template-apiserver',
      'patch Deployment virt-template-controller',
      'patch Deployment virt-api',
      'patch PodDisruptionBudget virt-api-pdb',
    ]);
    const writes = all(results);
    assert.ok(writes.length <= 290, `${writes.length} writes`);
    assert.deepEqual(
      writes.filter((write) => write.startsWith('create') || write.startsWith('delete')),
      [],
    );
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('B24: warns once of a skipped minor release, and goes on', async () => {
    const installation = await deployed({ imageTag: 'v1.7.3' });
    installation.edit({ imageTag: 'v1.9.1' });
    const events = (await installation.converge()).flatMap((result) => result.events);
    assert.deepEqual(
      events.map(({ reason, about }) => [reason, about.kind]),
      [['SkippedMinorVersion', 'KubeVirt']],
    );
  });

  it('changes everything passive before the first workload, and the instance types last', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    installation.edit({ imageTag: 'v1.9.1' });
    const writes = all(await installation.converge());
    const firstWorkload = writes.findIndex((write) => write.includes('DaemonSet'));
    assert.equal(
      writes.slice(firstWorkload).some((write) => /CustomResource|Webhook|Role|Secret/.test(write)),
      false,
    );
    assert.ok(writes.at(-1)?.includes('VirtualMachineClusterPreference'));
  });

  it('B21: no controller is written before virt-handler is ready on every node, with the default step width again', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' }, 30);
    installation.edit({ imageTag: 'v1.9.1' });
    const { cluster } = installation;
    const writes: string[] = [];
    for (const updated of [0, 1, 1, 5, 29, 30, 30]) {
      cluster.rollDaemonSet('virt-handler', updated);
      writes.push(...(await installation.pass()).writes.filter((write) => /Deployment|DaemonSet/.test(write)));
      const width = (
        cluster.get('DaemonSet', 'virt-handler', 'kubevirt')?.spec?.updateStrategy as {
          rollingUpdate: { maxUnavailable: unknown };
        }
      ).rollingUpdate.maxUnavailable;
      if (updated > 0 && updated < 30) assert.equal(width, '10%');
    }
    assert.deepEqual(writes, [
      'patch DaemonSet virt-handler',
      'patch DaemonSet virt-handler',
      'patch DaemonSet virt-handler',
      'patch Deployment virt-controller',
    ]);
  });

  it('B22: a node that cannot start the new virt-handler keeps the pass from going on', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    installation.edit({ imageTag: 'v1.9.1' });
    await installation.pass();
    for (let i = 0; i < 3; i++) {
      installation.cluster.settle((workload, index) => workload !== 'virt-handler' || index !== 2);
      assert.equal((await installation.pass()).stopped, 'virt-handler: virt-handler to be rolled out');
    }
  });

  it("a crashing canary is reported with upstream's reason, and nothing more is rolled", async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    installation.edit({ imageTag: 'v1.9.1' });
    await installation.pass();
    installation.cluster.rollDaemonSet('virt-handler', 1, { crashing: true });
    const { events, problems, writes, stopped } = await installation.pass();
    assert.deepEqual(
      events.map(({ reason, type, about }) => [reason, type, about.kind, about.name]),
      [['FailedUpdate', 'Warning', 'DaemonSet', 'virt-handler']],
    );
    assert.equal(problems.length, 1);
    assert.deepEqual([writes, stopped], [[], 'virt-handler: virt-handler to be rolled out']);
  });

  it('inserts the migration argument and drops the old certificate one after the other', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    const { cluster } = installation;
    // As a release left it whose pods do not know the argument yet.
    const original = installation.context().strategy.ofKind('DaemonSet')[0];
    cluster.edit('DaemonSet', 'virt-handler', (live) => {
      const template = live.spec?.template as { spec: unknown };
      template.spec = (original?.spec?.template as { spec: unknown } | undefined)?.spec;
    });
    cluster.settle();
    installation.edit({ imageTag: 'v1.9.1' });
    const states: [boolean, boolean][] = [];
    for (let i = 0; i < 8; i++) {
      await installation.pass();
      cluster.settle();
      const text = JSON.stringify(cluster.get('DaemonSet', 'virt-handler', 'kubevirt')?.spec);
      states.push([text.includes('migration-cn-types'), text.includes('"kubevirt-virt-handler-certs"')]);
    }
    assert.deepEqual(states.slice(0, 3), [
      [false, true],
      [true, true],
      [true, false],
    ]);
    assert.deepEqual(states.at(-1), [true, false]);
  });
});

describe('a rollout that machines on the move would notice', () => {
  const rolloutHold = { awaited: '3 migrations', until: new Date('2026-03-01T13:00:00Z') };
  const EDITS = [
    { name: 'an update', spec: { imageTag: 'v1.9.1' }, asks: ['virt-handler'] },
    {
      name: 'an edit of what virt-handler is told',
      spec: { configuration: { virtualMachineInstancesPerNode: 7 } },
      asks: ['other workloads'],
    },
  ];
  const asking = (installation: Installation) => {
    const context = installation.context();
    return decideSteps(context).flatMap((step) => (step.startsRollout?.(context) === true ? [step.name] : []));
  };
  for (const { name, spec, asks } of EDITS) {
    it(`B28: ${name} does not start it while migrations are in flight, says so, and starts it afterwards`, async () => {
      const installation = await deployed({ imageTag: 'v1.9.0' });
      installation.rolloutHold = rolloutHold;
      installation.edit(spec);
      assert.deepEqual(asking(installation), asks);
      const held = await installation.pass();
      assert.ok(!held.writes.includes('patch DaemonSet virt-handler'));
      assert.match(held.stopped ?? '', /3 migrations .* until 2026-03-01T13:00:00.000Z at the latest/);
      assert.ok(!(await installation.pass()).writes.includes('patch DaemonSet virt-handler'));
      installation.rolloutHold = undefined;
      assert.ok((await installation.pass()).writes.includes('patch DaemonSet virt-handler'));
      await installation.converge();
    });
  }

  it('B28: without one nothing waits, and a rollout that is under way goes on', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    installation.edit({ imageTag: 'v1.9.1' });
    await installation.pass();
    installation.rolloutHold = rolloutHold;
    await installation.converge();
    installation.edit({ configuration: { cpuModel: 'host-model' } });
    assert.deepEqual(asking(installation), [], 'nobody asks for migrations');
    assert.equal((await installation.pass()).isComplete, true, 'an edit that rolls nothing out');
  });
});

describe('rollback', () => {
  it('lets virt-api go first and virt-handler with the others', async () => {
    const installation = await deployed({ imageTag: 'v1.9.1' });
    installation.edit({ imageTag: 'v1.9.0' });
    const results = await installation.converge();
    assert.deepEqual(workloads(results).slice(0, 3), [
      'patch Deployment virt-api',
      'patch PodDisruptionBudget virt-api-pdb',
      'patch Deployment virt-controller',
    ]);
    assert.ok(workloads(results).includes('patch DaemonSet virt-handler'));
  });
});

describe('an update that is taken back in the middle', () => {
  it('leaves what the newer components need until none of them runs any more', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    const { cluster } = installation;
    installation.edit({ imageTag: 'v1.9.1' });
    for (let i = 0; i < 4; i++) {
      await installation.pass();
      cluster.settle();
    }
    const newer = cluster.get('Pod', 'virt-controller-0', 'kubevirt');
    assert.ok(newer?.metadata.annotations?.['kubevirt.io/install-strategy-version'] === 'v1.9.1');
    const labels = { 'app.kubernetes.io/managed-by': 'virt-operator' };
    cluster.add({
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'newer', labels },
    });
    installation.edit({ imageTag: 'v1.9.0' });
    for (let i = 0; i < 4; i++) {
      const { writes, stopped } = await installation.pass();
      assert.ok(!writes.some((write) => write.startsWith('delete')), writes.join());
      assert.notEqual(stopped, undefined);
      cluster.settle();
      // One replica is slow to go.
      cluster.add({ ...newer, metadata: { ...newer.metadata, name: 'virt-controller-newer' } });
    }
    cluster.settle();
    assert.ok(all(await installation.converge()).includes('delete ClusterRole newer'));
  });
});

describe('versions that cannot be compared', () => {
  it('take the way of an update also when nothing but the configuration changes, and come to rest', async () => {
    const installation = await deployed({ imageTag: 'devel' });
    assert.deepEqual((await installation.pass()).writes, []);
    installation.edit({ workloads: { nodePlacement: { tolerations: [{ key: 'vm', operator: 'Exists' }] } } });
    assert.deepEqual(workloads(await installation.converge()), ['patch DaemonSet virt-handler']);
    assert.deepEqual((await installation.pass()).writes, []);
  });
});

describe('leftovers', () => {
  const MANAGED = { 'app.kubernetes.io/managed-by': 'virt-operator' };
  const old = (kind: string, apiVersion: string, name: string, namespace?: string) => ({
    kind,
    apiVersion,
    metadata: { name, labels: MANAGED, ...(namespace === undefined ? {} : { namespace }) },
  });

  it('go in an order in which nothing blocks the next, and only once the new components run', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    for (const object of [
      old('ClusterRole', 'rbac.authorization.k8s.io/v1', 'old'),
      old('ClusterRoleBinding', 'rbac.authorization.k8s.io/v1', 'old'),
      old('Secret', 'v1', 'old', 'kubevirt'),
      old('Service', 'v1', 'old', 'kubevirt'),
      old('ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', 'old'),
      old('PodDisruptionBudget', 'policy/v1', 'old', 'kubevirt'),
      {
        ...old('ConfigMap', 'v1', 'strategy', 'kubevirt'),
        metadata: {
          name: 'strategy',
          namespace: 'kubevirt',
          labels: { ...MANAGED, 'kubevirt.io/install-strategy': '' },
        },
      },
    ]) {
      installation.cluster.add(object);
    }
    installation.edit({ imageTag: 'v1.9.1' });
    const first = await installation.pass();
    assert.equal(
      first.writes.some((write) => write.startsWith('delete')),
      false,
    );
    installation.cluster.settle();
    const deletions = all(await installation.converge()).filter((write) => write.startsWith('delete'));
    assert.deepEqual(deletions, [
      'delete ValidatingWebhookConfiguration old',
      'delete Secret old',
      'delete Service old',
      'delete ClusterRoleBinding old',
      'delete ClusterRole old',
    ]);
  });

  it('that are on their way out are not changed any more', async () => {
    const installation = await deployed();
    installation.cluster.edit('Service', 'virt-api', ({ metadata }) => {
      metadata.finalizers = ['example.com/theirs'];
      metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
      metadata.labels = { 'app.kubernetes.io/managed-by': 'virt-operator' };
    });
    const { writes, stopped } = await installation.pass();
    assert.deepEqual(writes, []);
    assert.match(stopped ?? '', /Service virt-api to be gone/);
  });

  it('B52: take their budget with them', async () => {
    const installation = await deployed();
    installation.cluster.add({
      ...old('Deployment', 'apps/v1', 'virt-old', 'kubevirt'),
      spec: { replicas: 1, template: { metadata: {} } },
    });
    installation.cluster.add(old('PodDisruptionBudget', 'policy/v1', 'virt-old-pdb', 'kubevirt'));
    const { writes } = await installation.pass();
    assert.deepEqual(writes, ['delete Deployment virt-old', 'delete PodDisruptionBudget virt-old-pdb']);
  });
});

describe('custom resource definitions', () => {
  const NAME = 'virtualmachineclones.clone.kubevirt.io';
  const versions = (cluster: MemoryCluster) =>
    cluster.get('CustomResourceDefinition', NAME)?.spec?.versions as {
      name: string;
      subresources?: { status?: unknown };
    }[];

  it('get a new status sub-resource only after the old components are gone, also after an edit in between', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    const { cluster } = installation;
    cluster.edit('CustomResourceDefinition', NAME, ({ spec }) => {
      for (const version of (spec as unknown as { versions: { subresources?: unknown }[] }).versions)
        delete version.subresources;
    });
    installation.edit({ imageTag: 'v1.9.1' });
    await installation.pass();
    assert.ok(versions(cluster).every(({ subresources }) => subresources?.status === undefined));
    installation.edit({ configuration: { developerConfiguration: { featureGates: ['Sidecar'] } } });
    await installation.converge();
    assert.ok(versions(cluster).some(({ subresources }) => subresources?.status !== undefined));
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('made by a run that was cut short before it could record them are not written again, unless somebody has edited one', async () => {
    const installation = await deployed();
    installation.generations = installation.generations.filter(
      ({ resource }) => resource !== 'customresourcedefinitions',
    );
    assert.deepEqual((await installation.pass()).writes, []);
    installation.cluster.edit('CustomResourceDefinition', NAME, ({ spec }) => {
      (spec as { names: { categories?: string[] } }).names.categories = ['theirs'];
    });
    assert.deepEqual((await installation.pass()).writes, [`patch CustomResourceDefinition ${NAME}`]);
  });

  it('B05: left over from a removal that nobody finished, are let go and created again', async () => {
    const installation = await deployed();
    const { cluster } = installation;
    cluster.edit('CustomResourceDefinition', NAME, ({ metadata }) => {
      metadata.finalizers = ['kubevirt.io/virtOperatorFinalizer'];
      metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    });
    // The API server removes it as soon as the finalizer is gone.
    const { writes } = await installation.pass();
    assert.deepEqual(writes, [`patch CustomResourceDefinition ${NAME}`]);
    const next = await installation.pass();
    assert.deepEqual([next.writes, next.isComplete], [[`create CustomResourceDefinition ${NAME}`], true]);
  });

  it('that are being deleted let nothing of theirs be created', async () => {
    const installation = await deployed();
    installation.cluster.areInstancesLeft = true;
    installation.cluster.edit('CustomResourceDefinition', NAME, ({ metadata }) => {
      metadata.finalizers = ['customresourcecleanup.apiextensions.k8s.io'];
      metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    });
    const { writes, stopped } = await installation.pass();
    assert.deepEqual(writes, []);
    assert.match(stopped ?? '', /virtualmachineclones.* to be gone and created again/);
  });

  it('B20: one that still stores a version that is gone is reported, and everything else goes on', async () => {
    const installation = await deployed({ imageTag: 'v1.9.0' });
    installation.cluster.edit('CustomResourceDefinition', NAME, (live) => {
      live.status = { ...live.status, storedVersions: ['v1alpha0'] };
    });
    installation.edit({ imageTag: 'v1.9.1' });
    const { problems, writes } = await installation.pass();
    assert.match(problems.join(), new RegExp(`${NAME}.*v1alpha0`));
    assert.equal(writes.includes(`patch CustomResourceDefinition ${NAME}`), false);
    assert.ok(writes.includes('patch DaemonSet virt-handler'));
  });
});

describe('objects that could not be customised', () => {
  it('B34: are neither written nor removed, the others go on', async () => {
    const installation = await deployed();
    installation.leftAlone = [{ kind: 'Deployment', name: 'virt-api', namespace: 'kubevirt' }];
    installation.edit({ infra: { replicas: 3 } });
    const { writes } = await installation.pass();
    assert.deepEqual(
      writes.filter((write) => write.includes('virt-api')),
      [],
    );
    assert.ok(writes.includes('patch Deployment virt-controller'));
  });

  it('B34: a first installation without virt-api goes on with the others, and waits with what only virt-api can admit', async () => {
    const installation = new Installation();
    installation.leftAlone = [{ kind: 'Deployment', name: 'virt-api', namespace: 'kubevirt' }];
    const { writes, stopped } = await installation.pass();
    for (const created of ['Deployment virt-controller', 'DaemonSet virt-handler', 'Service virt-api']) {
      assert.ok(writes.includes(`create ${created}`), created);
    }
    assert.ok(!writes.some((write) => write.includes('ClusterInstancetype ')));
    assert.match(stopped ?? '', /virt-api/);
  });

  it('hold a first installation back: what is missing is never taken for ready', async () => {
    const installation = new Installation();
    installation.leftAlone = [{ kind: 'Service', name: 'virt-api', namespace: 'kubevirt' }];
    await installation.pass();
    installation.cluster.settle();
    await installation.pass();
    installation.cluster.settle();
    assert.match((await installation.pass()).stopped ?? '', /^everything present: Service virt-api/);
  });
});
