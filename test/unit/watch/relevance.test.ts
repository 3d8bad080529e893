import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFeatures } from '../../../src/api/features.ts';
import type { KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject, ObjectMeta } from '../../../src/api/objects.ts';
import type { CollectionEvent } from '../../../src/watch/collection.ts';
import { decideKeys } from '../../../src/watch/gateway.ts';
import { buildTable, decideCause, keep, sourceOf, type WatchRow } from '../../../src/watch/table.ts';
import { buildObject } from './build-object.ts';

const table = buildTable('kubevirt');
const rowOf = (id: string): WatchRow => table.find((row) => row.id === id) ?? assert.fail(`no row ${id}`);

const modified = (before: KubernetesObject, after: KubernetesObject): CollectionEvent => ({
  type: 'modified',
  object: after,
  previous: before,
  version: after.metadata.resourceVersion ?? '',
  initial: false,
});
const happened = (type: 'added' | 'deleted', object: KubernetesObject): CollectionEvent => ({
  type,
  object,
  version: '9',
  initial: false,
});
const meta = (before: Partial<ObjectMeta>, after: Partial<ObjectMeta>): CollectionEvent =>
  modified(buildObject('x', 1, before), buildObject('x', 2, after));
const holder = (before: string, after: string): CollectionEvent =>
  modified(
    { ...buildObject('x', 1), spec: { holderIdentity: before, renewTime: '1' } },
    { ...buildObject('x', 2), spec: { holderIdentity: after, renewTime: '2' } },
  );

const rows: { row: string; name: string; event: CollectionEvent; want: boolean }[] = [
  { row: 'KubeVirt', name: 'added', event: happened('added', buildObject('x', 1)), want: true },
  { row: 'KubeVirt', name: 'deleted', event: happened('deleted', buildObject('x', 1)), want: true },
  { row: 'KubeVirt', name: 'status written', event: meta({ generation: 1 }, { generation: 1 }), want: false },
  { row: 'KubeVirt', name: 'spec changed', event: meta({ generation: 1 }, { generation: 2 }), want: true },
  { row: 'KubeVirt', name: 'label', event: meta({}, { labels: { a: 'b' } }), want: true },
  {
    row: 'KubeVirt',
    name: 'annotation',
    event: meta({ annotations: { a: 'b' } }, { annotations: { a: 'c' } }),
    want: true,
  },
  { row: 'KubeVirt', name: 'finalizer taken off', event: meta({ finalizers: ['f'] }, {}), want: true },
  { row: 'KubeVirt', name: 'empty list instead of none', event: meta({ finalizers: [] }, {}), want: false },
  { row: 'KubeVirt', name: 'deletion asked for', event: meta({}, { deletionTimestamp: 'now' }), want: true },
  { row: 'Pod', name: 'any new version', event: meta({}, {}), want: true },
  { row: 'Deployment', name: 'any new version', event: meta({ generation: 1 }, { generation: 1 }), want: true },
  { row: 'Secret', name: 'any new version', event: meta({}, {}), want: true },
  { row: 'Lease virt-operator', name: 'renewal', event: holder('a', 'a'), want: false },
  { row: 'Lease virt-operator', name: 'change of holder', event: holder('a', 'b'), want: true },
  { row: 'Lease virt-synchronization-controller', name: 'renewal', event: holder('a', 'a'), want: false },
  {
    row: 'Lease virt-synchronization-controller',
    name: 'gone',
    event: happened('deleted', buildObject('x', 1)),
    want: true,
  },
  { row: 'Node', name: 'heartbeat', event: meta({}, {}), want: false },
  { row: 'Node', name: 'added', event: happened('added', buildObject('n', 1)), want: true },
  { row: 'Namespace', name: 'some namespace', event: happened('added', buildObject('ci-1', 1)), want: false },
  { row: 'Namespace', name: 'monitoring comes', event: happened('added', buildObject('monitoring', 1)), want: true },
  {
    row: 'Namespace',
    name: 'label of the monitoring namespace',
    event: modified(buildObject('monitoring', 1), buildObject('monitoring', 2)),
    want: false,
  },
  {
    row: 'Namespace',
    name: 'label of our namespace',
    event: modified(buildObject('kubevirt', 1), buildObject('kubevirt', 2)),
    want: true,
  },
  { row: 'ConfigMap kubevirt-config', name: 'only read', event: meta({}, {}), want: false },
  { row: 'CustomResourceDefinition names', name: 'only read', event: meta({}, {}), want: false },
  { row: 'CustomResourceDefinition', name: 'any new version', event: meta({}, {}), want: true },
  { row: 'SecurityContextConstraints', name: 'of the cluster', event: meta({}, {}), want: false },
  {
    row: 'SecurityContextConstraints',
    name: 'managed',
    event: meta({}, { labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } }),
    want: true,
  },
];

for (const { row, name, event, want } of rows) {
  test(`relevance: ${row}: ${name} ${want ? 'is' : 'is no'} reason for a pass`, () => {
    const cause = decideCause(rowOf(row), event, 7);
    assert.equal(cause !== undefined, want);
    if (cause !== undefined) assert.equal(cause.at, 7);
  });
}

test('a cause names the object and the version of the change', () => {
  assert.deepEqual(decideCause(rowOf('Pod'), happened('deleted', buildObject('p', 5)), 1), {
    type: 'deleted',
    kind: 'Pod',
    name: 'p',
    namespace: 'ns',
    resourceVersion: '9',
    at: 1,
  });
});

const keyRows: {
  name: string;
  kind: KindName;
  type: 'added' | 'modified' | 'deleted';
  all: string[];
  want: string[];
}[] = [
  { name: 'infrastructure, one KubeVirt', kind: 'Pod', type: 'modified', all: ['ns/a'], want: ['ns/a'] },
  { name: 'infrastructure, none', kind: 'Pod', type: 'added', all: [], want: [] },
  { name: 'infrastructure, two', kind: 'Pod', type: 'added', all: ['ns/a', 'ns/b'], want: [] },
  { name: 'KubeVirt changed', kind: 'KubeVirt', type: 'modified', all: ['ns/x', 'ns/b'], want: ['ns/x'] },
  {
    name: 'KubeVirt came beside another',
    kind: 'KubeVirt',
    type: 'added',
    all: ['ns/x', 'ns/b'],
    want: ['ns/x', 'ns/b'],
  },
  { name: 'KubeVirt went, one remains', kind: 'KubeVirt', type: 'deleted', all: ['ns/b'], want: ['ns/x', 'ns/b'] },
  { name: 'the only KubeVirt went', kind: 'KubeVirt', type: 'deleted', all: [], want: ['ns/x'] },
];

for (const { name, kind, type, all, want } of keyRows) {
  test(`keys: ${name}`, () => {
    assert.deepEqual(decideKeys({ kind }, { ...happened('added', buildObject('x', 1)), type }, all), want);
  });
}

test('the table has unique names, and every optional kind hangs on a feature or on its CRD', () => {
  assert.equal(new Set(table.map(({ id }) => id)).size, table.length);
  const features = table.flatMap(({ feature }): (keyof ClusterFeatures)[] => (feature === undefined ? [] : [feature]));
  assert.deepEqual(new Set(features).size, 5);
});

test('the table asks for what upstream watches', () => {
  const managed = 'app.kubernetes.io/managed-by in (virt-operator,kubevirt-operator)';
  assert.deepEqual(sourceOf(rowOf('Secret'), 'kubevirt', 'full'), {
    path: '/api/v1/namespaces/kubevirt/secrets',
    labelSelector: managed,
    metadataOnly: false,
  });
  assert.deepEqual(sourceOf(rowOf('DaemonSet'), 'kubevirt', 'metadata'), {
    path: '/apis/apps/v1/daemonsets',
    labelSelector: managed,
    metadataOnly: true,
  });
  assert.deepEqual(sourceOf(rowOf('Lease virt-operator'), 'kubevirt', 'metadata'), {
    path: '/apis/coordination.k8s.io/v1/namespaces/kubevirt/leases',
    fieldSelector: 'metadata.name=virt-operator',
    metadataOnly: false,
  });
  assert.equal(sourceOf(rowOf('Node'), 'kubevirt', 'full').metadataOnly, true);
  assert.equal(sourceOf(rowOf('Job'), 'kubevirt', 'full').labelSelector, 'kubevirt.io/install-strategy');
});

test('ConfigMaps: those of our namespace and strategies of any namespace are kept, others are not', () => {
  const row = rowOf('ConfigMap');
  const strategy = { labels: { 'kubevirt.io/install-strategy': '' } };
  for (const depth of ['full', 'metadata'] as const) {
    assert.ok(keep(row, depth, buildObject('ours', 1, { namespace: 'kubevirt' })));
    assert.ok(keep(row, depth, buildObject('strategy', 1, { namespace: 'elsewhere', ...strategy })));
    assert.equal(keep(row, depth, buildObject('foreign', 1, { namespace: 'elsewhere' })), undefined);
  }
});
