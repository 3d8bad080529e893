import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Redis } from 'ioredis';

import { KINDS, resourcePath, type KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { startApiProxy, type ApiProxy } from '../fixtures/api-proxy.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  createdTwice,
  createKubeVirt,
  KUBEVIRT_PATH,
  NAMESPACE,
  readAudit,
  readKubeVirt,
  startOperator,
  whenDeployed,
  type Operator,
} from '../install/harness.ts';
import {
  assertSays,
  deleteKubeVirt,
  editKubeVirt,
  assertNothingLeft,
  markAudit,
  readCondition,
  startLifeSite,
  whenGone,
  whenQuiet,
  type LifeSite,
} from '../life/harness.ts';
import {
  applyCrds,
  editDuringRollout,
  operandWrites,
  operatorRules,
  readFirst,
  whenSynchronizedSays,
} from './installation.ts';

/** One installation on a real API server, and what has gone wrong on those of others. The tests build on each other. */

/** A release whose image cannot be had. */
const UNLOADABLE = ':v9.9.9';

let site: LifeSite;
let operator: Operator;
let proxy: ApiProxy;

before(async () => {
  site = await startLifeSite({
    refuse: ({ spec }) => (spec.containers[0]?.image.endsWith(UNLOADABLE) ? 'no such image' : undefined),
  });
  proxy = await startApiProxy(site.plane.kubeconfig);
});

async function start(more: readonly string[]): Promise<Operator> {
  const started = await startOperator(site, 'all', more);
  site.plane.setWebhookPorts([started.webhookPort]);
  await started.said('started leading');
  return started;
}

/** Creates an account with these rights in the operator's namespace; returns the way to change them, and its kubeconfig. */
async function createAccount(rules: object[]) {
  const { api } = site.plane;
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const metadata = { name: 'limited' };
  await api.expect('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata });
  await api.expect('POST', `${rbac}/clusterroles`, { metadata, rules });
  await api.expect('POST', `${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'limited' },
    subjects: [{ kind: 'ServiceAccount', name: 'limited', namespace: NAMESPACE }],
  });
  const setRules = (changed: object[]) =>
    api.expect('PATCH', `${rbac}/clusterroles/limited`, { rules: changed }, 'application/merge-patch+json');
  return { setRules, kubeconfig: await site.plane.writeServiceAccountKubeconfig(NAMESPACE, 'limited') };
}

test('B06: an operator that lacks a rule of a role names both, backs off, and goes on without a restart when it has the rule', async () => {
  const { setRules, kubeconfig } = await createAccount(operatorRules('pods/eviction'));
  operator = await start([`--kubeconfig=${kubeconfig}`]);
  await createKubeVirt(site);
  const condition = await whenSynchronizedSays(site, /ClusterRole kubevirt-controller/);
  assert.equal(condition?.status, 'False');
  assert.match(condition.message ?? '', /pods\/eviction/);
  // By this answer the retries keep to seconds.
  assert.match(condition.message ?? '', /403 Forbidden/);
  const failures = () =>
    operator.lines
      .filter((line) => line.includes('the installation could not go on'))
      .map((line) => Date.parse((JSON.parse(line) as { timestamp: string }).timestamp));
  // What the first passes have written brings the next ones; then nothing but the retries does.
  await eventually(
    () => failures().map((time, index, all) => time - (all[index - 1] ?? time)),
    (gaps) => (gaps.at(-1) ?? 0) > 1500 && (gaps.at(-1) ?? 0) > 1.3 * (gaps.at(-2) ?? Infinity),
    60_000,
  );
  await setRules(operatorRules());
  await whenDeployed(site);
});

test('B67: monitoring that is asked for on a cluster without it is told once in the log and as an Event', async () => {
  await operator.end('SIGTERM');
  // From here on every call passes where it can be seen.
  operator = await start([`--master=${proxy.url}`]);
  await editKubeVirt(site, { spec: { monitorNamespace: 'observe' } });
  await whenDeployed(site);
  await whenQuiet(site);
  const said = operator.lines.filter((line) => line.includes('does not serve ServiceMonitor and PrometheusRule'));
  assert.equal(said.length, 1);
  assert.deepEqual(await eventsWith('MonitoringIncomplete'), [1]);
});

/** How often each Event about the KubeVirt object with this reason was counted. */
async function eventsWith(reason: string): Promise<unknown[]> {
  const { items } = (await site.plane.api.expect('GET', `/api/v1/namespaces/${NAMESPACE}/events`)) as {
    items?: { reason: string; count: number; involvedObject: { kind: string } }[];
  };
  return (items ?? [])
    .filter((event) => event.reason === reason && event.involvedObject.kind === 'KubeVirt')
    .map(({ count }) => count);
}

test('B35: a patch that matches nothing is one warning Event per generation', async () => {
  const patch = { resourceType: 'Deployment', resourceName: 'virt-apii', type: 'json', patch: '[]' };
  await editKubeVirt(site, { spec: { customizeComponents: { patches: [patch] } } });
  await whenDeployed(site);
  await whenQuiet(site);
  assert.deepEqual(await eventsWith('UnmatchedPatch'), [1]);
  await editKubeVirt(site, { spec: { infra: { replicas: 1 } } });
  await whenDeployed(site);
  await whenQuiet(site);
  assert.deepEqual(await eventsWith('UnmatchedPatch'), [1, 1]);
  await editKubeVirt(site, { spec: { customizeComponents: null, infra: null } });
  await whenDeployed(site);
});

test('B63: the CRDs of monitoring installed after the operator: its objects are there within two minutes, unaided', async () => {
  const { api } = site.plane;
  await applyCrds(site, 'monitoring.yaml');
  await applyCrds(site, 'openshift.yaml');
  await operator.said('no namespace observe for service account prometheus-k8s');
  await editKubeVirt(site, { spec: { monitorNamespace: null } });
  await api.expect('POST', '/api/v1/namespaces', { metadata: { name: 'monitoring' } });
  await api.expect('POST', '/api/v1/namespaces/monitoring/serviceaccounts', { metadata: { name: 'prometheus-k8s' } });
  await eventually(
    () => Promise.all((['ServiceMonitor', 'PrometheusRule', 'Route'] as const).map((kind) => readFirst(site, kind))),
    (objects) => objects.every((object) => object !== undefined),
    120_000,
  );
  await whenDeployed(site);
});

/** Kinds of which the operator puts objects right, whatever happens to their metadata. */
const REPAIRED = (Object.keys(KINDS) as KindName[]).filter(
  (kind) => !['KubeVirt', 'Pod', 'Job', 'Namespace', 'Node', 'Lease', 'Event'].includes(kind),
);

test('L20, B69: every patch on the wire, of every family of resources, is a JSON Patch or a merge patch, and none is answered 415', async () => {
  const { api } = site.plane;
  await whenQuiet(site);
  const begin = proxy.calls.length;
  for (const kind of REPAIRED) {
    const object = await readFirst(site, kind);
    assert.ok(object !== undefined, kind);
    const { name = '', namespace } = object.metadata;
    const patch = { metadata: { annotations: { 'kubevirt.io/install-strategy-identifier': null } } };
    await api.expect('PATCH', resourcePath(kind, namespace, name), patch, 'application/merge-patch+json');
  }
  await api.expect(
    'PATCH',
    `/api/v1/namespaces/${NAMESPACE}`,
    { metadata: { labels: { 'openshift.io/cluster-monitoring': null } } },
    'application/merge-patch+json',
  );
  const written = () =>
    proxy.calls.slice(begin).filter(({ method, status }) => /PATCH|PUT/.test(method) && (status ?? 500) < 300);
  const isOf = (kind: KindName) => (path: string) => path.split('/').includes(KINDS[kind].plural);
  await eventually(
    () => [...REPAIRED, 'Namespace' as const].filter((kind) => !written().some(({ path }) => isOf(kind)(path))),
    (unwritten) => unwritten.length === 0,
    60_000,
  );
  await whenDeployed(site);
  for (const { method, path, contentType, status } of proxy.calls) {
    assert.notEqual(status, 415, path);
    if (method === 'POST' || method === 'PUT') assert.equal(contentType, 'application/json', path);
    if (method !== 'PATCH') continue;
    const isMerge = /\/namespaces\/[^/]+$/.test(path) || path.includes('/events/');
    assert.equal(contentType, isMerge ? 'application/merge-patch+json' : 'application/json-patch+json', path);
  }
});

test('B15: a variable added to virt-handler in the middle of a rollout is taken back, three times of three', async () => {
  for (const name of ['ONE', 'TWO', 'THREE']) {
    const milliseconds = await editDuringRollout(site, name);
    assert.ok(milliseconds < 120_000, `${milliseconds} ms`);
  }
  await whenDeployed(site);
});

test('L06: SIGTERM in the middle of a run: the process ends with 0 in its grace time, every connection is closed, and the run is repeated', async () => {
  await whenQuiet(site);
  const mark = await markAudit(site);
  // A label on everything: some 150 writes.
  await editKubeVirt(site, { spec: { productName: 'renamed' } });
  await eventually(
    () => operandWrites(site, mark),
    (writes) => writes.length >= 20,
  );
  const { code, milliseconds } = await operator.end('SIGTERM');
  assert.equal(code, 0);
  assert.ok(milliseconds < 10_000, `${milliseconds} ms`);
  assert.ok((await operandWrites(site, mark)).length < 140, 'it was in the middle');
  assert.deepEqual(
    operator.lines.filter((line) => /could not stop|unhandled/i.test(line)),
    [],
  );
  await eventually(
    () => proxy.openSockets(),
    (sockets) => sockets === 0,
  );
  const redis = new Redis(site.redis.url);
  const clients = String(await redis.client('LIST'))
    .trim()
    .split('\n');
  redis.disconnect();
  assert.equal(clients.length, 1, clients.join('\n'));
  operator = await start([`--master=${proxy.url}`]);
  await whenDeployed(site);
  await whenQuiet(site);
  assert.deepEqual(createdTwice((await readAudit(site)).slice(mark)), []);
  const service = await readFirst(site, 'Service');
  assert.equal(service?.metadata.labels?.['app.kubernetes.io/part-of'], 'renamed');
});

test('B71: a DaemonSet that the API server refuses is told with kind, name and the words of the server, in 1 KiB; then it goes on', async () => {
  const { api } = site.plane;
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const name = 'refuses-virt-handler';
  const rule = {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['daemonsets'],
  };
  await api.expect('POST', policies, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'false', message: `privileged pods are not for this cluster; ${'x'.repeat(2000)}` }],
    },
  });
  await api.expect('POST', policies.replace('policies', 'policybindings'), {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  await eventually(
    () =>
      api.call(
        'PATCH',
        `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler?dryRun=All`,
        {},
        'application/merge-patch+json',
      ),
    ({ status }) => status === 422,
  );
  await editKubeVirt(site, { spec: { configuration: { virtualMachineInstancesPerNode: 7 } } });
  const condition = await whenSynchronizedSays(site, /privileged pods are not for this cluster/);
  assert.deepEqual([condition?.status, condition?.reason], ['False', 'DeploymentFailed']);
  assert.match(condition?.message ?? '', /DaemonSet kubevirt\/virt-handler/);
  assert.ok(Buffer.byteLength(condition?.message ?? '') <= 1024);
  await api.expect('DELETE', `${policies.replace('policies', 'policybindings')}/${name}`);
  await api.expect('DELETE', `${policies}/${name}`);
  await whenDeployed(site);
});

test('B20: a CRD that still stores a version which is gone is told with that version, is not written, and all other objects go on', async () => {
  const { api } = site.plane;
  const crd = 'migrationpolicies.migrations.kubevirt.io';
  await api.expect('POST', '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies', {
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name: 'theirs' },
    spec: { selectors: {} },
  });
  const path = resourcePath('CustomResourceDefinition', undefined, crd);
  const live = (await api.expect('GET', path)) as unknown as KubernetesObject & {
    status: { storedVersions: string[] };
  };
  const setStored = (storedVersions: string[]) =>
    api.expect('PATCH', `${path}/status`, { status: { storedVersions } }, 'application/merge-patch+json');
  await setStored([...live.status.storedVersions, 'v1alpha0']);
  await whenQuiet(site);
  const mark = await markAudit(site);
  // A label on everything: each CRD is to be written.
  await editKubeVirt(site, { spec: { productComponent: 'storage', infra: { replicas: 3 } } });
  const condition = await whenSynchronizedSays(site, /v1alpha0/);
  assert.match(condition?.message ?? '', new RegExp(crd));
  await eventually(
    () => operandWrites(site, mark),
    (writes) => writes.includes('patch deployments virt-controller'),
  );
  await whenQuiet(site);
  const writes = await operandWrites(site, mark);
  assert.ok(writes.filter((write) => write.startsWith('patch customresourcedefinitions')).length >= 18);
  assert.deepEqual(
    writes.filter((write) => write.includes(crd)),
    [],
    'no patch that would be refused',
  );
  await setStored(live.status.storedVersions);
  await whenDeployed(site);
});

test('B23: an operator that is older than the installation says so within a minute and touches no operand', async () => {
  const { api } = site.plane;
  await operator.end('SIGTERM');
  const { status } = await readKubeVirt(site);
  const setVersion = (version: string | undefined) =>
    api.expect(
      'PATCH',
      `${KUBEVIRT_PATH}/kubevirt/status`,
      { status: { operatorVersion: version, observedKubeVirtVersion: version } },
      'application/merge-patch+json',
    );
  await setVersion('v1.10.0');
  const mark = await markAudit(site);
  const begun = performance.now();
  operator = await start([`--master=${proxy.url}`]);
  await whenSynchronizedSays(site, /older than the installation \(v1\.10\.0\)/);
  assert.ok(performance.now() - begun < 60_000);
  await whenQuiet(site);
  assert.deepEqual(await operandWrites(site, mark), []);
  await setVersion(status?.observedKubeVirtVersion);
  await editKubeVirt(site, { spec: { infra: null, productName: null, productComponent: null } });
  await whenDeployed(site);
});

/** What an unfinished removal of another version may leave: nobody labels it ours, and nothing behind it answers. */
async function leaveBehind(): Promise<void> {
  const { api } = site.plane;
  const webhook = {
    name: 'leftover.kubevirt.io',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    clientConfig: { service: { name: 'virt-api', namespace: NAMESPACE, path: '/old' } },
    rules: [
      { apiGroups: ['kubevirt.io'], apiVersions: ['v1alpha3'], operations: ['CREATE'], resources: ['virtualmachines'] },
    ],
  };
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const) {
    const name = kind === 'ValidatingWebhookConfiguration' ? 'virt-api-validator' : 'virt-api-mutator';
    const mutating = kind === 'MutatingWebhookConfiguration' ? { reinvocationPolicy: 'Never' } : {};
    await api.expect('POST', resourcePath(kind), { metadata: { name }, webhooks: [{ ...webhook, ...mutating }] });
  }
  for (const version of ['v1', 'v1alpha2']) {
    await api.expect('POST', resourcePath('APIService'), {
      metadata: { name: `${version}.subresources.kubevirt.io` },
      spec: {
        group: 'subresources.kubevirt.io',
        version,
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { name: 'gone', namespace: 'elsewhere' },
        insecureSkipTLSVerify: true,
      },
    });
  }
  for (const [plural, kind] of [
    ['virtualmachines', 'VirtualMachine'],
    ['virtualmachineinstances', 'VirtualMachineInstance'],
  ] as const) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await api.expect('POST', resourcePath('CustomResourceDefinition'), {
      metadata: { name: `${plural}.kubevirt.io`, finalizers: ['kubevirt.io/virtOperatorFinalizer'] },
      spec: {
        group: 'kubevirt.io',
        scope: 'Namespaced',
        names: { plural, kind },
        versions: [{ name: 'v1alpha3', served: true, storage: true, schema }],
      },
    });
  }
  await api.expect('DELETE', resourcePath('CustomResourceDefinition', undefined, 'virtualmachines.kubevirt.io'));
}

test('a removal waits for users’ objects with every component still there; a CRD that stores a version which it does not have does not hold it up', async () => {
  const policy = '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies/theirs';
  const setFinalizers = (finalizers: string[] | null) =>
    site.plane.api.expect('PATCH', policy, { metadata: { finalizers } }, 'application/merge-patch+json');
  await setFinalizers(['example.com/theirs']);
  const crd = resourcePath('CustomResourceDefinition', undefined, 'virtualmachineclones.clone.kubevirt.io');
  const status = { storedVersions: ['v1alpha0'] };
  await site.plane.api.expect('PATCH', `${crd}/status`, { status }, 'application/merge-patch+json');
  await site.plane.api.expect('DELETE', `${KUBEVIRT_PATH}/kubevirt`);
  await operator.said('waiting for the instances of all custom resources to be gone');
  await whenQuiet(site);
  for (const kind of ['Deployment', 'DaemonSet', 'ValidatingWebhookConfiguration', 'ClusterRole'] as const)
    assert.ok((await readFirst(site, kind)) !== undefined, `${kind}s must be there: they may have to end instances`);
  await setFinalizers(null);
  await whenGone(site);
  await assertNothingLeft(site);
});

test('B05: on what an unfinished removal of another version has left, a new KubeVirt object becomes Deployed', async () => {
  await leaveBehind();
  await createKubeVirt(site);
  await whenDeployed(site);
  const { api } = site.plane;
  const apiService = await api.expect('GET', resourcePath('APIService', undefined, 'v1.subresources.kubevirt.io'));
  assert.equal((apiService['spec'] as { service: { name: string } }).service.name, 'virt-api');
});

test('B05: a definition that is being deleted, and that somebody’s object holds, is named in the status until it is gone', async () => {
  const policy = '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies';
  const { api } = site.plane;
  await api.expect('POST', policy, {
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name: 'held', finalizers: ['example.com/theirs'] },
    spec: { selectors: {} },
  });
  const crd = 'migrationpolicies.migrations.kubevirt.io';
  await api.expect('DELETE', resourcePath('CustomResourceDefinition', undefined, crd));
  const progressing = await eventually(
    () => readCondition(site, 'Progressing'),
    (condition) => condition?.message?.includes(crd) === true,
  );
  assert.equal(progressing?.status, 'True');
  assertSays(progressing, /waiting for CustomResourceDefinition .* to be gone.*customresourcecleanup/);
  await api.expect('PATCH', `${policy}/held`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await whenDeployed(site);
  assert.equal((await readCondition(site, 'Progressing'))?.message?.includes(crd), false);
});

test('an installation whose strategy cannot be loaded is removed like any other, with the Job that still tries', async () => {
  const { api } = site.plane;
  const jobs = async () => ((await api.expect('GET', resourcePath('Job', NAMESPACE))) as { items?: object[] }).items;
  await editKubeVirt(site, { spec: { imageTag: UNLOADABLE.slice(1) } });
  await eventually(jobs, (items) => items?.length === 1);
  await deleteKubeVirt(site);
  await assertNothingLeft(site);
  assert.deepEqual(await jobs(), []);
  await createKubeVirt(site, { imageTag: UNLOADABLE.slice(1) });
  await eventually(jobs, (items) => items?.length === 1);
  await deleteKubeVirt(site);
  await assertNothingLeft(site);
  assert.deepEqual(await jobs(), []);
});
