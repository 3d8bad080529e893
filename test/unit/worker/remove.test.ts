import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { ApiError, PassAborted } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import type { Outcome } from '../../../src/worker/outcome.ts';
import type { PassState } from '../../../src/worker/pass.ts';
import { syncDeletion } from '../../../src/worker/remove.ts';
import { SmallCluster } from './small-cluster.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';
const broken = new ApiError('nodes cannot be listed', { status: 500, reason: 'InternalError' });
const TARGET = { id: 'x', kubeVirtVersion: 'v1.9.0', registry: 'r' } as TargetDeployment;

const DELETED: KubeVirt = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: {
    name: 'kubevirt',
    namespace: 'kubevirt',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    finalizers: [],
    deletionTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: {},
  status: { phase: 'Deployed' },
};

/** Removals of one installation, pass after pass. */
function openRemoval() {
  const store = new SmallCluster();
  const writes: string[] = [];
  const ending = new AbortController();
  const deleted: string[] = [];
  const patched: string[] = [];
  const nodes = { fail: undefined as Error | undefined };
  const client = {
    delete: ({ kind, name }: { kind: string; name: string }) => {
      deleted.push(`${kind} ${name}`);
      return Promise.resolve(undefined);
    },
    patch: ({ name }: { name: string }) => {
      patched.push(name);
      return Promise.resolve(store.get('CustomResourceDefinition', name));
    },
    replace: (_kind: string, object: KubernetesObject) => {
      const { conditions = [] } = object.status as NonNullable<KubeVirt['status']>;
      writes.push(conditions.map(({ type, status }) => `${type}=${status}`).join(' '));
      return Promise.resolve(object);
    },
  };
  let kubeVirt = DELETED;
  let outcome: Outcome | undefined;
  const run = async (now = '2026-01-01T00:00:00Z') => {
    const pass = {
      key: 'kubevirt/kubevirt',
      kubeVirt,
      observed: { features: {}, schedulableNodes: 0, others: [] },
      now: new Date(now),
      log,
      client,
      statusClient: client,
      ledger: { count: () => 0 },
      statusLedger: { count: () => 0 },
      work: { signal: ending.signal, pass: '1' },
      parts: {
        store,
        operatorNamespace: 'kubevirt',
        release: { kubeVirtVersion: 'v1.9.0' },
        strategies: { forget: () => undefined },
        situations: { write: () => Promise.resolve() },
        progress: { write: () => Promise.resolve() },
        connection: {
          request: () => (nodes.fail === undefined ? Promise.resolve({ items: [] }) : Promise.reject(nodes.fail)),
        },
      },
    } as unknown as PassState;
    writes.length = 0;
    try {
      outcome = await syncDeletion(pass, TARGET);
      return outcome.type;
    } finally {
      kubeVirt = pass.kubeVirt;
    }
  };
  return { run, writes, deleted, patched, nodes, ending, store, status: () => kubeVirt.status, outcome: () => outcome };
}

describe('a removal that fails', () => {
  it('says why, also when the nodes cannot be read, and writes nothing while it fails in the same way', async () => {
    const removal = openRemoval();
    removal.nodes.fail = broken;
    assert.equal(await removal.run(), 'retry');
    const synchronized = removal.status()?.conditions?.find(({ type }) => type === 'Synchronized');
    assert.match(synchronized?.message ?? '', /nodes cannot be listed/);
    assert.equal(removal.status()?.phase, 'Deleting');
    assert.equal(await removal.run(), 'retry');
    assert.deepEqual(removal.writes, [], 'the condition does not come and go');
    removal.nodes.fail = undefined;
    removal.store.put('Secret', 'held', {
      metadata: {
        name: 'held',
        labels: { 'app.kubernetes.io/managed-by': 'virt-operator' },
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
    });
    assert.equal(await removal.run(), 'done');
    assert.deepEqual(removal.writes, ['Available=False Progressing=False Degraded=True']);
  });

  it('because nodes cannot be read has removed everything that comes before them', async () => {
    const removal = openRemoval();
    removal.nodes.fail = broken;
    removal.store.put('Secret', 'kubevirt-ca', {
      metadata: { name: 'kubevirt-ca', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } },
    });
    assert.equal(await removal.run(), 'retry');
    assert.deepEqual(removal.deleted, ['Secret kubevirt-ca']);
  });

  it('that is ended from outside says nothing', async () => {
    const removal = openRemoval();
    removal.nodes.fail = new PassAborted('over');
    removal.ending.abort(removal.nodes.fail);
    await assert.rejects(removal.run(), PassAborted);
  });
});

describe('a removal that waits', () => {
  it('tells for what when that takes long, once, and looks again by then', async () => {
    const removal = openRemoval();
    removal.store.put('Secret', 'held', {
      metadata: {
        name: 'held',
        labels: { 'app.kubernetes.io/managed-by': 'virt-operator' },
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
    });
    const progressing = () => removal.status()?.conditions?.find(({ type }) => type === 'Progressing')?.message ?? '';
    await removal.run();
    assert.doesNotMatch(progressing(), /waiting/);
    const outcome = removal.outcome();
    assert.equal(outcome?.type === 'done' && outcome.wakeUp?.at.toISOString(), '2026-01-01T00:00:30.000Z');
    await removal.run('2026-01-01T00:00:30Z');
    assert.match(progressing(), /waiting for Secret held to be gone/);
    assert.equal(removal.writes.length, 1);
    await removal.run('2026-01-01T00:00:40Z');
    assert.deepEqual(removal.writes, []);
    assert.match(progressing(), /waiting for Secret held to be gone/);
  });

  it('asks every half minute for the clean-up of a CRD that the API server has failed to do, since no event tells', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const removal = openRemoval();
    removal.store.put('CustomResourceDefinition', 'x.kubevirt.io', {
      metadata: {
        name: 'x.kubevirt.io',
        resourceVersion: '7',
        labels: { 'app.kubernetes.io/managed-by': 'virt-operator' },
        annotations: {},
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
      status: { conditions: [{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionFailed' }] },
    });
    for (const [now, next] of [
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:30.000Z'],
      ['2026-01-01T00:00:30Z', '2026-01-01T00:01:00.000Z'],
      ['2026-01-01T00:05:00Z', '2026-01-01T00:05:30.000Z'],
    ] as const) {
      const running = removal.run(now);
      const ended = running.then(() => true);
      while (!(await Promise.race([ended, setImmediate(false)]))) mock.timers.tick(1_000);
      const outcome = removal.outcome();
      assert.ok(outcome?.type === 'done', JSON.stringify(outcome));
      assert.equal(outcome.wakeUp?.at.toISOString(), next);
    }
    assert.deepEqual(removal.patched, ['x.kubevirt.io', 'x.kubevirt.io', 'x.kubevirt.io']);
  });
});
