import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { isEverythingGone, listUnemptied, planNodeLabels, TEARDOWN_STEPS } from '../../../src/plan/teardown.ts';
import { buildInstallStrategy } from '../../../src/strategy/install-strategy.ts';
import { Installation } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const MANAGED = { 'app.kubernetes.io/managed-by': 'virt-operator' };

/** An installation whose strategy cannot be loaded: a removal must do without. */
async function removable(objects: readonly KubernetesObject[] = []): Promise<Installation> {
  const installation = new Installation(undefined, new MemoryCluster({ objects }));
  await installation.converge();
  return installation;
}

const kindsOf = (writes: readonly string[]): string[] => [
  ...new Set(writes.map((write) => write.split(' ').slice(0, 2).join(' '))),
];

describe('removal', () => {
  it('takes everything away in one pass when nothing holds it, CRDs first', async () => {
    const installation = await removable();
    const { writes, stopped } = await installation.pass(TEARDOWN_STEPS);
    assert.equal(stopped, undefined);
    assert.deepEqual(kindsOf(writes), [
      'patch CustomResourceDefinition',
      'delete CustomResourceDefinition',
      'delete DaemonSet',
      'delete PodDisruptionBudget',
      'delete Deployment',
      'delete ValidatingWebhookConfiguration',
      'delete MutatingWebhookConfiguration',
      'delete APIService',
      'delete Service',
      'delete ClusterRoleBinding',
      'delete RoleBinding',
      'delete ClusterRole',
      'delete Role',
      'delete ServiceAccount',
      'delete Secret',
      'delete ConfigMap',
      'delete ValidatingAdmissionPolicyBinding',
      'delete ValidatingAdmissionPolicy',
    ]);
    assert.ok(writes.length <= 175, `${writes.length} writes`);
    assert.ok(isEverythingGone(installation.context()));
  });

  it('B29: works at every moment of an installation', async () => {
    for (let stop = 0; stop < 16; stop += 3) {
      const installation = new Installation();
      const { decideSteps } = await import('../../../src/plan/steps.ts');
      await installation.pass(decideSteps(installation.context()).slice(0, stop));
      await installation.pass(TEARDOWN_STEPS);
      assert.ok(isEverythingGone(installation.context()), `after ${stop} steps`);
    }
  });

  it('waits for the instances of custom resources with all components still there', async () => {
    const installation = await removable();
    const { cluster } = installation;
    cluster.areInstancesLeft = true;
    const first = await installation.pass(TEARDOWN_STEPS);
    assert.match(first.stopped ?? '', /instances of all custom resources/);
    assert.equal(cluster.list('Deployment').length, 5);
    assert.deepEqual((await installation.pass(TEARDOWN_STEPS)).writes, []);
    assert.ok(listUnemptied(installation.context()).includes('virtualmachines.kubevirt.io'));
    cluster.areInstancesLeft = false;
    cluster.edit('CustomResourceDefinition', 'virtualmachines.kubevirt.io', () => undefined);
    assert.ok(!listUnemptied(installation.context()).includes('virtualmachines.kubevirt.io'));
    for (const { metadata } of cluster.list('CustomResourceDefinition')) {
      cluster.edit('CustomResourceDefinition', metadata.name ?? '', () => undefined);
    }
    const last = await installation.pass(TEARDOWN_STEPS);
    assert.deepEqual([last.stopped, isEverythingGone(installation.context())], [undefined, true]);
  });

  it('B29: asks again for the clean-up of CRDs that the API server has forgotten, and ends in the same pass', async () => {
    const installation = await removable();
    const { cluster } = installation;
    const count = cluster.list('CustomResourceDefinition').length;
    cluster.isCleanUpForgotten = true;
    const { writes, stopped } = await installation.pass(TEARDOWN_STEPS);
    assert.equal(stopped, undefined);
    assert.equal(writes.filter((write) => write.startsWith('patch CustomResourceDefinition')).length, 3 * count);
    assert.ok(isEverythingGone(installation.context()));
  });

  it('is not stopped by a CRD that stores a version which it does not have, and which the API server lets nobody change', async () => {
    for (const storedVersions of [['v1alpha0'], ['v1alpha0', 'v1beta1']]) {
      const installation = await removable();
      const { cluster } = installation;
      const name = 'virtualmachineclones.clone.kubevirt.io';
      cluster.edit('CustomResourceDefinition', name, (live) => {
        live.status = { ...live.status, storedVersions };
      });
      const { writes, stopped } = await installation.pass(TEARDOWN_STEPS);
      assert.equal(stopped, undefined);
      assert.equal(writes.filter((write) => write.endsWith(name)).length, 4, 'status, finalizer, deletion, finalizer');
      assert.ok(isEverythingGone(installation.context()));
    }
  });

  it('keeps finalizers of others on a CRD, and waits for them', async () => {
    const installation = await removable();
    const name = 'virtualmachines.kubevirt.io';
    installation.cluster.edit('CustomResourceDefinition', name, ({ metadata }) => (metadata.finalizers = ['other']));
    const { stopped } = await installation.pass(TEARDOWN_STEPS);
    assert.match(stopped ?? '', /definitions to be gone/);
    assert.deepEqual(installation.cluster.get('CustomResourceDefinition', name)?.metadata.finalizers, ['other']);
  });

  it('waits for what a finalizer holds, and names it', async () => {
    const installation = await removable();
    installation.cluster.edit('Service', 'virt-api', ({ metadata }) => (metadata.finalizers = ['lb']));
    assert.match((await installation.pass(TEARDOWN_STEPS)).stopped ?? '', /Service virt-api to be gone/);
    assert.deepEqual((await installation.pass(TEARDOWN_STEPS)).writes, []);
  });

  it('leaves what is not managed, and takes stored strategies last, and the Jobs that write them before, also those that run or have failed', async () => {
    const strategy = { labels: { ...MANAGED, 'kubevirt.io/install-strategy': '' } };
    const installation = await removable([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'kubevirt' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strategy', namespace: 'kubevirt', ...strategy } },
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'finished', namespace: 'kubevirt', ...strategy },
        status: { completionTime: '2026-01-01T00:00:00Z' },
      },
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'running', namespace: 'kubevirt', ...strategy } },
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'theirs', namespace: 'kubevirt' } },
    ]);
    const { writes } = await installation.pass(TEARDOWN_STEPS);
    assert.deepEqual(writes.slice(-3), ['delete Job finished', 'delete Job running', 'delete ConfigMap strategy']);
    assert.ok(installation.cluster.get('ConfigMap', 'mine', 'kubevirt'));
    assert.ok(installation.cluster.get('Job', 'theirs', 'kubevirt'));
  });

  it('waits for a Job whose pod still ends before it takes the strategy away', async () => {
    const strategy = { labels: { ...MANAGED, 'kubevirt.io/install-strategy': '' } };
    const installation = await removable([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strategy', namespace: 'kubevirt', ...strategy } },
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'running', namespace: 'kubevirt', finalizers: ['foregroundDeletion'], ...strategy },
      },
    ]);
    assert.match((await installation.pass(TEARDOWN_STEPS)).stopped ?? '', /Job running to be gone/);
    assert.ok(installation.cluster.get('ConfigMap', 'strategy', 'kubevirt'));
    installation.cluster.remove('Job', 'running', 'kubevirt');
    const { writes, stopped } = await installation.pass(TEARDOWN_STEPS);
    assert.deepEqual([writes, stopped], [['delete ConfigMap strategy'], undefined]);
  });

  it('needs no strategy', async () => {
    const installation = await removable();
    const context = { ...installation.context(), strategy: buildInstallStrategy([]) };
    const planned = TEARDOWN_STEPS.flatMap((step) => step.plan(context).actions);
    assert.ok(planned.length > 100);
  });
});

describe('node labels', () => {
  const rows: { name: string; labels: Record<string, string>; want: string[] }[] = [
    {
      name: 'all labels of ours go, others stay',
      labels: {
        'kubevirt.io/schedulable': 'false',
        'kubevirt.io/ksm~x': '1',
        'cpu-model.node.kubevirt.io/Haswell': 'true',
        zone: 'a',
      },
      want: ['/metadata/labels/kubevirt.io~1schedulable', '/metadata/labels/kubevirt.io~1ksm~0x'],
    },
    { name: 'a node that never ran virt-handler is left alone', labels: { 'kubevirt.io/other': '1' }, want: [] },
  ];
  for (const { name, labels, want } of rows) {
    it(name, () => {
      const world = new MemoryCluster({
        objects: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels } }],
      });
      const { actions } = planNodeLabels({ world });
      const operations = actions.flatMap((action) => (action.verb === 'patch' ? action.operations : []));
      assert.deepEqual(
        operations.filter(({ op }) => op === 'remove').map(({ path }) => path),
        want,
      );
      assert.deepEqual(
        operations.filter(({ op }) => op === 'test').map(({ path }) => path),
        want,
      );
    });
  }
});
