import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ControlPlane } from '../../../sandbox/control-plane.ts';
import type { Cause } from '../../../src/api/causes.ts';
import { resourcePath, type KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { ObjectStore } from '../../../src/api/store.ts';
import { createLog } from '../../../src/log.ts';
import { createConnection, type Connection } from '../../../src/transport/connection.ts';
import { startGateway, type Gateway } from '../../../src/watch/gateway.ts';
import { watchObjects } from '../../../src/watch/single-object.ts';
import { createObjectStore } from '../../../src/watch/store.ts';
import { startWatches, type Watches } from '../../../src/watch/watches.ts';
import { startOwnControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';

/** Real watches, store and gateway on a real API server. The tests build on each other: a cluster without our CRDs first. */

const NAMESPACE = 'kubevirt';
const log = createLog({ role: 'test', verbosity: 0 });
log.level = process.env['TEST_LOG'] ?? 'silent';
const never = new AbortController().signal;

let plane: ControlPlane;
let connection: Connection;
let watches: Watches;
let store: ObjectStore;
let gateway: Gateway;
const stop = new AbortController();
let queue: { key: string; cause: Cause }[] = [];
let requests = 0;

const isAbout =
  (kind: KindName, name: string) =>
  (entries: typeof queue): boolean =>
    entries.some(({ cause }) => cause.kind === kind && cause.name === name);

/** Waits for a key with such a cause, and forgets what was queued. */
async function queued(wanted: (entries: typeof queue) => boolean): Promise<typeof queue> {
  const entries = await eventually(() => queue, wanted, 10_000);
  queue = [];
  return entries;
}

async function write(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<KubernetesObject> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return (await connection.request({ method, path, body, contentType })) as unknown as KubernetesObject;
}

/** A CRD that accepts everything. */
function buildCrd(group: string, plural: string, kind: string, version: string): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: kind.startsWith('VirtualMachineCluster') ? 'Cluster' : 'Namespaced',
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
const CRDS = resourcePath('CustomResourceDefinition');
const managed = { 'app.kubernetes.io/managed-by': 'virt-operator' };
const kubeVirt = (name: string): object => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name },
  spec: {},
});

before(async () => {
  plane = await startOwnControlPlane({ nodes: 0 });
  connection = await createConnection({
    kubeconfig: plane.kubeconfig,
    qps: 200,
    burst: 400,
    userAgent: 'virt-operator/test (all)',
    log,
    onRequest: () => {
      requests += 1;
    },
  });
  await write('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  watches = startWatches({ connection, operatorNamespace: NAMESPACE, depth: 'full', log, signal: stop.signal });
  store = createObjectStore(watches);
  gateway = startGateway({
    watches,
    log,
    signal: stop.signal,
    enqueue: (key, cause) => {
      queue.push({ key, cause });
      return Promise.resolve();
    },
  });
  await gateway.started;
});

after(() => {
  stop.abort();
  connection.close();
});

test('a cluster that knows nothing of KubeVirt: synced, no keys, built-in optional APIs found', () => {
  assert.equal(store.isSynced(), true);
  assert.deepEqual(queue, []);
  assert.deepEqual(store.features(), {
    openshift: false,
    serviceMonitor: false,
    prometheusRule: false,
    validatingAdmissionPolicy: true,
    validatingAdmissionPolicyBinding: true,
  });
  assert.ok(store.get('Namespace', NAMESPACE));
});

test('a kind is watched as soon as its CRD is served', async () => {
  await write('POST', CRDS, buildCrd('kubevirt.io', 'kubevirts', 'KubeVirt', 'v1'));
  const served = await eventually(
    async () => {
      const answer = await plane.api.call('GET', resourcePath('KubeVirt'));
      return { status: answer.status, at: performance.now() };
    },
    ({ status }) => status === 200,
  );
  await eventually(
    () => watches.of('KubeVirt')[0]?.[1].state,
    (state) => state === 'synced',
  );
  const late = performance.now() - served.at;
  assert.ok(late < 300, `${Math.round(late)} ms after the API server serves it`);
});

test('a new KubeVirt object adds its key with its cause; our status writes add nothing', async () => {
  const created = await write('POST', resourcePath('KubeVirt', NAMESPACE), kubeVirt('kv'));
  const [entry] = await queued((entries) => entries.length > 0);
  assert.equal(entry?.key, `${NAMESPACE}/kv`);
  const { type, kind, name, namespace, resourceVersion } = entry.cause;
  assert.deepEqual(
    { type, kind, name, namespace, resourceVersion },
    {
      type: 'added',
      kind: 'KubeVirt',
      name: 'kv',
      namespace: NAMESPACE,
      resourceVersion: created.metadata.resourceVersion,
    },
  );

  const path = resourcePath('KubeVirt', NAMESPACE, 'kv');
  const status = await write('PATCH', `${path}/status`, { status: { phase: 'Deploying' } });
  await store.reach({ KubeVirt: status.metadata.resourceVersion ?? '' }, never);
  assert.deepEqual(store.get('KubeVirt', 'kv', NAMESPACE)?.status, { phase: 'Deploying' });
  assert.deepEqual(queue, []);
  await write('PATCH', path, { metadata: { labels: { a: 'b' } } });
  await queued(isAbout('KubeVirt', 'kv'));
});

test('an event of the infrastructure adds the key of the only KubeVirt object', async () => {
  const path = resourcePath('ConfigMap', NAMESPACE);
  const created = await write('POST', path, { metadata: { name: 'ours', labels: managed }, data: { a: 'b' } });
  const entries = await queued(isAbout('ConfigMap', 'ours'));
  assert.deepEqual(new Set(entries.map(({ key }) => key)), new Set([`${NAMESPACE}/kv`]));
  assert.equal(entries[0]?.cause.resourceVersion, created.metadata.resourceVersion);
  assert.deepEqual(store.get('ConfigMap', 'ours', NAMESPACE)?.['data'], { a: 'b' });
  assert.equal(store.get('ConfigMap', 'ours', NAMESPACE)?.kind, 'ConfigMap');

  await write('POST', path, { metadata: { name: 'foreign' }, data: {} });
  await write('POST', path, { metadata: { name: 'kubevirt-config' }, data: { 'feature-gates': '' } });
  await eventually(
    () => store.get('ConfigMap', 'kubevirt-config', NAMESPACE),
    (object) => object !== undefined,
  );
  assert.equal(store.get('ConfigMap', 'foreign', NAMESPACE), undefined);
  assert.deepEqual(
    store.list('ConfigMap').map(({ metadata }) => metadata.name),
    ['ours'],
    'an unlabelled one is reached by name only',
  );
  assert.deepEqual(queue, [], 'and is no reason for a pass');
});

test('our own write is in the cache after reach, a deleted object is out of it after gone', async () => {
  const path = resourcePath('Secret', NAMESPACE);
  for (let round = 0; round < 20; round += 1) {
    const created = await write('POST', path, { metadata: { name: `s${round}`, labels: managed } });
    await store.reach({ Secret: created.metadata.resourceVersion ?? '' }, never);
    assert.ok(store.get('Secret', `s${round}`, NAMESPACE));
    await write('DELETE', `${path}/s${round}`);
    await store.gone('Secret', created.metadata.uid ?? '', never);
    assert.equal(store.get('Secret', `s${round}`, NAMESPACE), undefined);
  }
  queue = [];
});

test('a Lease adds a key when it changes hands, not when it is renewed', async () => {
  const path = resourcePath('Lease', NAMESPACE);
  const lease = { metadata: { name: 'virt-operator' }, spec: { holderIdentity: 'one', leaseDurationSeconds: 15 } };
  await write('POST', path, lease);
  await queued(isAbout('Lease', 'virt-operator'));
  const renewed = await write('PATCH', `${path}/virt-operator`, { spec: { leaseDurationSeconds: 16 } });
  await store.reach({ Lease: renewed.metadata.resourceVersion ?? '' }, never);
  assert.deepEqual(queue, []);
  assert.equal(store.get('Lease', 'virt-operator', NAMESPACE)?.spec?.['leaseDurationSeconds'], 16);
  await write('PATCH', `${path}/virt-operator`, { spec: { holderIdentity: 'two' } });
  await queued(isAbout('Lease', 'virt-operator'));
  await write('POST', path, { metadata: { name: 'virt-controller' }, spec: { holderIdentity: 'x' } });
  assert.equal(store.get('Lease', 'virt-controller', NAMESPACE), undefined);
});

test('schedulable nodes are counted', async () => {
  await write('POST', '/api/v1/nodes', { metadata: { name: 'n1', labels: { 'kubevirt.io/schedulable': 'true' } } });
  await write('POST', '/api/v1/nodes', { metadata: { name: 'n2', labels: { 'kubevirt.io/schedulable': 'false' } } });
  await queued(isAbout('Node', 'n1'));
  assert.equal(store.schedulableNodes(), 1);
  await write('PATCH', '/api/v1/nodes/n2', { metadata: { labels: { 'kubevirt.io/schedulable': 'true' } } });
  await eventually(
    () => store.schedulableNodes(),
    (count) => count === 2,
  );
  queue = [];
});

test('an optional API is found when its CRD comes and forgotten when it goes, without a restart', async () => {
  await write('POST', CRDS, buildCrd('monitoring.coreos.com', 'servicemonitors', 'ServiceMonitor', 'v1'));
  await eventually(
    () => store.features().serviceMonitor,
    (is) => is,
  );
  await store.whenSynced(never);
  const [entry] = await queued((entries) =>
    entries.some(({ cause }) => cause.note?.includes('serviceMonitor appeared') === true),
  );
  assert.equal(entry?.key, `${NAMESPACE}/kv`);
  const path = resourcePath('ServiceMonitor', NAMESPACE);
  await write('POST', path, {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: 'sm', labels: managed },
  });
  await queued(isAbout('ServiceMonitor', 'sm'));
  assert.equal(store.list('ServiceMonitor').length, 1);
  await write('DELETE', `${CRDS}/servicemonitors.monitoring.coreos.com`);
  await eventually(
    () => store.features().serviceMonitor,
    (is) => !is,
  );
  assert.deepEqual(store.list('ServiceMonitor'), []);
  await store.whenSynced(never);
  queue = [];
});

test('with two KubeVirt objects the infrastructure adds nothing; when one goes, both keys are added', async () => {
  await write('POST', resourcePath('KubeVirt', 'default'), kubeVirt('second'));
  const entries = await queued((found) => new Set(found.map(({ key }) => key)).size === 2);
  assert.deepEqual(new Set(entries.map(({ key }) => key)), new Set([`${NAMESPACE}/kv`, 'default/second']));
  const changed = await write('PATCH', resourcePath('ConfigMap', NAMESPACE, 'ours'), { data: { a: 'c' } });
  await store.reach({ ConfigMap: changed.metadata.resourceVersion ?? '' }, never);
  assert.deepEqual(queue, []);
  await write('DELETE', resourcePath('KubeVirt', 'default', 'second'));
  await queued((found) => new Set(found.map(({ key }) => key)).size === 2);
});

test('a gateway that keeps metadata only sees the same reasons', async (context) => {
  const abort = new AbortController();
  context.after(() => {
    abort.abort();
  });
  const causes: string[] = [];
  const light = startWatches({
    connection,
    operatorNamespace: NAMESPACE,
    depth: 'metadata',
    log,
    signal: abort.signal,
  });
  const other = startGateway({
    watches: light,
    log,
    signal: abort.signal,
    enqueue: (key, { type, kind = '', name = '' }) => {
      causes.push(`${key} ${type} ${kind} ${name}`);
      return Promise.resolve();
    },
  });
  await other.started;
  const first = [`${NAMESPACE}/kv added KubeVirt kv`, `${NAMESPACE}/kv resync ConfigMap `];
  // The second: a worker elsewhere must have seen what the first list showed.
  await eventually(
    () => first.filter((cause) => causes.includes(cause)),
    (found) => found.length === 2 && other.waiting() === 0,
  );
  causes.length = 0;
  await write('PATCH', resourcePath('Lease', NAMESPACE, 'virt-operator'), { spec: { holderIdentity: 'three' } });
  await write('PATCH', resourcePath('KubeVirt', NAMESPACE, 'kv'), { metadata: { annotations: { x: 'y' } } });
  await write('PATCH', resourcePath('ConfigMap', NAMESPACE, 'ours'), { data: { a: 'd' } });
  await eventually(
    () => causes.length,
    (length) => length >= 3,
  );
  const path = resourcePath('KubeVirt', NAMESPACE, 'kv');
  await write('PATCH', `${path}/status`, { status: { phase: 'Deployed' } });
  await write('DELETE', resourcePath('ConfigMap', NAMESPACE, 'ours'));
  await eventually(
    () => causes.length,
    (length) => length >= 4,
  );
  assert.deepEqual(causes.sort(), [
    `${NAMESPACE}/kv deleted ConfigMap ours`,
    `${NAMESPACE}/kv modified ConfigMap ours`,
    `${NAMESPACE}/kv modified KubeVirt kv`,
    `${NAMESPACE}/kv modified Lease virt-operator`,
  ]);
  queue = [];
});

test('single objects can be watched by themselves', async (context) => {
  const abort = new AbortController();
  context.after(() => {
    abort.abort();
  });
  const authentication = watchObjects({
    connection,
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
    log,
    signal: abort.signal,
  });
  await authentication.whenSynced(never);
  assert.ok(authentication.current()?.data?.['client-ca-file']);
  assert.equal(authentication.list().length, 1);
});

test('every key is added again on demand, with the versions that passes have to wait for', async () => {
  queue = [];
  gateway.addAll('recovered', 'Redis is back');
  await queued((entries) => {
    const kinds = entries.map(({ cause }) => cause.kind);
    return kinds.includes(undefined) && kinds.includes('KubeVirt') && kinds.includes('ConfigMap');
  });
});

test('a restart of the API server loses no event; each kind is listed at most once more, since the server has forgotten the versions', async () => {
  const before = watches.stats();
  await plane.restartApiServer({ signal: 'SIGKILL' });
  await plane.api.expect('POST', resourcePath('ConfigMap', NAMESPACE), {
    metadata: { name: 'after', namespace: NAMESPACE, labels: managed },
  });
  await eventually(() => queue, isAbout('ConfigMap', 'after'), 20_000);
  const isWatching = ({ state, failures }: ReturnType<Watches['stats']>[number]): boolean =>
    state === 'absent' || failures === 0;
  await eventually(
    () => watches.stats().filter((stats) => !isWatching(stats)),
    (failing) => failing.length === 0,
    30_000,
  );
  const lists = new Map(before.map(({ name, lists: count }) => [name, count]));
  const more = watches.stats().filter(({ name, lists: count }) => count > (lists.get(name) ?? 0) + 1);
  assert.deepEqual(
    more.filter(({ state }) => state === 'synced'),
    [],
  );
  assert.equal(store.isSynced(), true);
  assert.ok(store.get('KubeVirt', 'kv', NAMESPACE));
});

test('a minute of silence costs at most six requests', async () => {
  await store.whenSynced(never);
  const running = watches.stats().filter(({ state }) => state === 'synced').length;
  const perMinute = (running / 600) * 60 + (3 / 600) * 60;
  assert.ok(running >= 24, `${running} watches`);
  assert.ok(perMinute <= 6, `${running} watches of ten minutes each, and the detection of optional APIs`);
  const begin = requests;
  const start = performance.now();
  await eventually(
    () => performance.now() - start,
    (passed) => passed > 2000,
  );
  assert.ok(requests - begin <= 1, `${requests - begin} requests in 2 s`);
});
