import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { resourcePath, type KindName } from '../../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { createClient } from '../../../../src/apply/client.ts';
import { DryApi, type RehearsedWrite } from '../../../../src/cli/rehearsal/dry-api.ts';
import { ObjectTable } from '../../../../src/cli/rehearsal/object-table.ts';
import { parseTarget } from '../../../../src/cli/rehearsal/request-target.ts';
import { ApiError, isStale } from '../../../../src/errors.ts';
import { buildSnapshot, ReadOnlyApi } from './fixture.ts';

const MANAGED = { 'app.kubernetes.io/managed-by': 'virt-operator' };

const daemonSet: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'virt-handler',
    namespace: 'kubevirt',
    labels: MANAGED,
    uid: 'u',
    resourceVersion: '7',
    generation: 2,
  },
  spec: { template: { spec: { hostPID: true } }, revisionHistoryLimit: 10 },
  status: { numberReady: 3 },
};
const target = { kind: 'DaemonSet', name: 'virt-handler', namespace: 'kubevirt' } as const;

function stage(real = new ReadOnlyApi(), objects = [daemonSet]) {
  const table = new ObjectTable(buildSnapshot(objects));
  const writes: RehearsedWrite[] = [];
  const now = () => new Date('2026-03-01T12:00:00Z');
  const api = new DryApi({ table, real, now, onWrite: (write) => writes.push(write) });
  return { table, writes, api, real, client: createClient(api) };
}

const configMap = (name: string, namespace = 'kubevirt'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});

/** What every attempt to write comes to at a real API server. */
async function failureOf(attempt: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await attempt.then(
    () => assert.fail('was taken'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

describe('a rehearsed API server', () => {
  test('creates, and knows what it has created', async () => {
    const { client, writes, table } = stage();
    const created = await client.create('ConfigMap', configMap('a'));
    assert.equal(created.metadata.generation, 1);
    assert.equal(created.metadata.creationTimestamp, '2026-03-01T12:00:00.000Z');
    assert.deepEqual(await client.get({ kind: 'ConfigMap', name: 'a', namespace: 'kubevirt' }), created);
    assert.deepEqual(
      writes.map(({ verb, kind, name }) => [verb, kind, name]),
      [['create', 'ConfigMap', 'a']],
    );
    assert.equal(table.list('ConfigMap').length, 0, 'it is not managed, so nobody watches it');
  });

  test('refuses what the real one would refuse', async () => {
    const exists = new ReadOnlyApi({ [resourcePath('ConfigMap', 'kubevirt', 'there')]: configMap('there') });
    const { client } = stage(exists);
    const cases: [string, Promise<unknown>, number][] = [
      ['exists already, in the table', client.create('DaemonSet', daemonSet), 409],
      ['exists already, in the real cluster alone', client.create('ConfigMap', configMap('there')), 409],
      ['no such namespace', client.create('ConfigMap', configMap('a', 'nowhere')), 404],
      ['no such object', client.patch({ ...target, name: 'other' }, []), 404],
      ['a failed test', client.patch(target, [{ op: 'test', path: '/metadata/generation', value: 1 }]), 422],
      [
        'an old version',
        client.replace('DaemonSet', { ...daemonSet, metadata: { ...daemonSet.metadata, resourceVersion: '6' } }),
        409,
      ],
      ['another object of that name', client.delete(target, { uid: 'v' }), 409],
    ];
    for (const [name, attempt, status] of cases) {
      const error = await failureOf(attempt);
      assert.equal(error.status, status, name);
      assert.ok(isStale(error), `${name}: the operator would read again`);
    }
  });

  test('a patch that changes content counts the generation up, and leaves the status alone', async () => {
    const { client, writes } = stage();
    const patched = await client.patch(target, [
      { op: 'add', path: '/spec', value: { template: { spec: { hostPID: false } } } },
    ]);
    assert.equal(patched.metadata.generation, 3);
    assert.deepEqual(patched.status, daemonSet.status);
    assert.equal(writes[0]?.before?.metadata.generation, 2);
  });

  test('content that the server would fill up to what it was does not', async () => {
    const { client } = stage();
    const patched = await client.patch(target, [
      { op: 'add', path: '/spec', value: { template: { spec: { hostPID: true } } } },
    ]);
    assert.equal(patched.metadata.generation, 2);
    assert.deepEqual(patched.spec, daemonSet.spec);
  });

  test('a status is written by itself', async () => {
    const { client } = stage();
    const written = await client.replace('DaemonSet', { ...daemonSet, spec: {}, status: { numberReady: 1 } }, 'status');
    assert.deepEqual([written.spec, written.status], [daemonSet.spec, { numberReady: 1 }]);
  });

  test('merge patches', async () => {
    const { client } = stage();
    const merged = await client.merge({ kind: 'Namespace', name: 'kubevirt' }, { metadata: { labels: { a: 'b' } } });
    assert.deepEqual(merged.metadata.labels, { a: 'b' });
  });

  test('finalizers hold what is deleted', async () => {
    const held = { ...daemonSet, metadata: { ...daemonSet.metadata, finalizers: ['x'] } };
    const { client, table } = stage(new ReadOnlyApi(), [held]);
    const left = await client.delete(target);
    assert.ok(left?.metadata.deletionTimestamp !== undefined);
    await client.patch(target, [{ op: 'remove', path: '/metadata/finalizers' }]);
    assert.equal(table.find('DaemonSet', 'virt-handler', 'kubevirt'), undefined);
    assert.equal(await client.find(target), undefined, 'and it is not looked for in the real cluster either');
  });

  test('nothing but reads ever leaves it', async () => {
    const exists = new ReadOnlyApi({
      [resourcePath('ConfigMap', 'kubevirt', 'there')]: configMap('there'),
      '/apis/x/v1/things': { items: [] },
    });
    const { client, api, real } = stage(exists);
    const there = { kind: 'ConfigMap', name: 'there', namespace: 'kubevirt' } as const;
    await client.patch(there, [{ op: 'add', path: '/data', value: { a: 'b' } }]);
    await client.create('ConfigMap', configMap('new'));
    await client.delete(there);
    await api.request({ method: 'GET', path: '/apis/x/v1/things' });
    await assert.rejects(api.request({ method: 'DELETE', path: '/apis/x/v1/things/a' }), /cannot be rehearsed/);
    await assert.rejects(api.stream({ method: 'GET', path: '/api/v1/pods' }), /cannot be rehearsed/);
    assert.deepEqual(
      real.asked.filter((call) => !call.startsWith('GET ')),
      [],
    );
    assert.equal((await client.find(there)) === undefined, true, 'what was deleted here is gone here');
  });
});

describe('what a call is about', () => {
  const rows: { path: string; want: ReturnType<typeof parseTarget> }[] = [
    { path: '/api/v1/namespaces/kubevirt', want: { kind: 'Namespace', name: 'kubevirt' } },
    { path: '/api/v1/namespaces', want: { kind: 'Namespace' } },
    { path: '/api/v1/namespaces/kubevirt/secrets/a', want: { kind: 'Secret', namespace: 'kubevirt', name: 'a' } },
    { path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab', want: { kind: 'ClusterRole', name: 'a:b' } },
    {
      path: '/apis/kubevirt.io/v1/namespaces/n/kubevirts/k/status',
      want: { kind: 'KubeVirt', namespace: 'n', name: 'k', subresource: 'status' },
    },
    { path: '/apis/kubevirt.io/v1/virtualmachines', want: undefined },
    { path: '/version', want: undefined },
  ];
  for (const { path, want } of rows) {
    test(path, () => {
      assert.deepEqual(parseTarget({ path }), want);
    });
  }
});

test('the view of the caches: managed objects, and of each what the operator keeps', () => {
  const crd: KubernetesObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a.kubevirt.io', labels: MANAGED },
    spec: { group: 'kubevirt.io', versions: [{ name: 'v1', schema: { large: true } }] },
  };
  const foreign = { ...daemonSet, metadata: { name: 'foreign', namespace: 'kubevirt' } };
  const elsewhere: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'other', labels: MANAGED },
  };
  const table = new ObjectTable(buildSnapshot([daemonSet, foreign, crd, elsewhere]));
  const names = (kind: KindName) => table.list(kind).map(({ metadata }) => metadata.name);
  assert.deepEqual(names('DaemonSet'), ['virt-handler']);
  assert.deepEqual(names('Secret'), []);
  assert.doesNotMatch(JSON.stringify(table.get('CustomResourceDefinition', 'a.kubevirt.io')), /schema/);
  assert.match(JSON.stringify(table.find('CustomResourceDefinition', 'a.kubevirt.io')), /schema/);
  assert.equal(table.get('DaemonSet', 'virt-handler', 'kubevirt'), table.get('DaemonSet', 'virt-handler', 'kubevirt'));
});
