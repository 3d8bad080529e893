import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { ApiRequest } from '../../../src/api/connection.ts';
import type { KubeVirt, KubeVirtStatus } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createClient, type ApiClient } from '../../../src/apply/client.ts';
import { ApiError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { createEventRecorder } from '../../../src/status/events.ts';
import { writeFinalizers, writeStatus } from '../../../src/status/write.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import { createConnection, type Connection } from '../../../src/transport/connection.ts';
import { createNamespace, useSharedControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';

const FINALIZER = 'kubevirt.io/foregroundDeleteKubeVirt';
const log = createLog({ role: 'test', verbosity: 0, destination: process.stdout });
log.level = 'silent';

let connection: Connection;
let client: ApiClient;
let namespace: string;
const requests: string[] = [];

before(async () => {
  const plane = await useSharedControlPlane();
  namespace = await createNamespace(plane.api, 'status');
  connection = await createConnection({
    kubeconfig: plane.kubeconfig,
    qps: 200,
    burst: 400,
    userAgent: 'virt-operator/test (status)',
    log,
  });
  client = createClient({
    ...connection,
    request: (call: ApiRequest) => {
      requests.push(`${call.method} ${call.path}`);
      return connection.request(call);
    },
  });
  await ensureKubeVirtCrd();
});
after(() => {
  connection.close();
});

async function ensureKubeVirtCrd() {
  try {
    await client.create('CustomResourceDefinition', buildKubeVirtCrd());
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
  await eventually(
    () => client.list('KubeVirt'),
    () => true,
  );
}

/** Creates a KubeVirt with this status and returns it as the API server has it. */
async function createKubeVirt(name: string, status: KubeVirtStatus = {}): Promise<KubeVirt> {
  const object: KubernetesObject = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name, namespace },
    spec: {},
  };
  const created = await client.create('KubeVirt', object);
  return (await client.replace(
    'KubeVirt',
    { ...created, status } as KubernetesObject,
    'status',
  )) as unknown as KubeVirt;
}
const read = async (name: string) => (await client.get({ kind: 'KubeVirt', name, namespace })) as unknown as KubeVirt;
const sent = () => requests.splice(0).filter((line) => !line.startsWith('GET'));

test('a status is one PUT; the same again is no request', async () => {
  const seen = await createKubeVirt('one');
  sent();
  const written = await writeStatus(client, seen, { ...seen.status, phase: 'Deploying' });
  assert.deepEqual(sent(), [`PUT /apis/kubevirt.io/v1/namespaces/${namespace}/kubevirts/one/status`]);
  assert.equal((await read('one')).status?.phase, 'Deploying');
  await writeStatus(client, written, { ...written.status, phase: 'Deploying', synchronizationAddresses: [] });
  assert.deepEqual(sent(), []);
});

test('a conflict keeps what others wrote meanwhile and puts only our changes onto it', async () => {
  const seen = await createKubeVirt('conflict', { phase: 'Deploying', operatorVersion: 'old' });
  await client.replace(
    'KubeVirt',
    { ...seen, status: { ...seen.status, outdatedVirtualMachineInstanceWorkloads: 7 } } as unknown as KubernetesObject,
    'status',
  );
  await writeStatus(client, seen, { phase: 'Deployed' });
  const { status } = await read('conflict');
  assert.equal(status?.phase, 'Deployed');
  assert.equal(status.outdatedVirtualMachineInstanceWorkloads, 7);
  assert.equal(status.operatorVersion, undefined);
});

test('an object deleted and created anew gets nothing of the old one', async () => {
  const seen = await createKubeVirt('anew');
  await client.delete({ kind: 'KubeVirt', name: 'anew', namespace });
  await createKubeVirt('anew');
  await assert.rejects(
    writeStatus(client, seen, { phase: 'Deployed' }),
    (error) => error instanceof ApiError && error.status === 409,
  );
  assert.equal((await read('anew')).status?.phase, undefined);
});

test('finalizers: set on an object without any, kept, taken off', async () => {
  const seen = await createKubeVirt('final');
  sent();
  const held = await writeFinalizers(client, seen, (list) => [...list, FINALIZER]);
  assert.deepEqual(held.metadata.finalizers, [FINALIZER]);
  assert.equal(sent().length, 1);
  assert.deepEqual(await writeFinalizers(client, held, (list) => [...list]), held);
  assert.deepEqual(sent(), []);
  await client.delete({ kind: 'KubeVirt', name: 'final', namespace });
  await writeFinalizers(client, held, (list) => list.filter((each) => each !== FINALIZER));
  assert.equal(await client.find({ kind: 'KubeVirt', name: 'final', namespace }), undefined);
});

test('a finalizer added by somebody else meanwhile survives', async () => {
  const seen = await createKubeVirt('guarded');
  await client.merge(
    { kind: 'KubeVirt', name: 'guarded', namespace },
    { metadata: { finalizers: ['example.com/theirs'] } },
  );
  const written = await writeFinalizers(client, seen, (list) => [...list, FINALIZER]);
  assert.deepEqual(written.metadata.finalizers, ['example.com/theirs', FINALIZER]);
  const stale = { ...written, metadata: { ...written.metadata, finalizers: [FINALIZER] } };
  const left = await writeFinalizers(client, stale, (list) => list.filter((each) => each !== FINALIZER));
  assert.deepEqual(left.metadata.finalizers, ['example.com/theirs']);
  await writeFinalizers(client, left, () => []);
});

test('an Event is sent once and then counted, at most hourly', async () => {
  let now = Date.parse('2026-08-01T10:00:00Z');
  const recorder = createEventRecorder({ client, hostname: 'pod-1', log, now: () => now });
  const event = {
    type: 'Warning' as const,
    reason: 'FailedUpdate',
    message: 'the rollout failed',
    about: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'virt-handler', namespace, uid: 'u1' },
  };
  const events = () => client.list('Event', { namespace });
  for (let i = 0; i < 5; i++) recorder.record(event);
  await recorder.flush();
  const [first, ...others] = await events();
  assert.equal(others.length, 0);
  assert.equal(first?.count, 1);
  assert.deepEqual(first.source, { component: 'virt-operator' });
  assert.match(first.metadata.name ?? '', /^virt-handler\.[0-9a-f]{16}$/);
  now += 3_600_000;
  recorder.record(event);
  await recorder.flush();
  const [again] = await events();
  assert.equal(again?.count, 6);
  assert.equal(again.lastTimestamp, '2026-08-01T11:00:00Z');
  assert.equal(again.firstTimestamp, '2026-08-01T10:00:00Z');
});

test('B35, B67: what is told once makes one Event and one line of log, whoever records it and however often', async () => {
  const warnings: unknown[] = [];
  const listening = Object.assign(Object.create(log) as typeof log, {
    warn: (...args: unknown[]) => warnings.push(args),
  });
  const about = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', name: 'kubevirt', namespace, uid: 'u2' };
  const event = { type: 'Warning' as const, reason: 'UnmatchedPatch', message: 'of generation 4', once: true as const };
  const mine = async () =>
    (await client.list('Event', { namespace })).filter(({ involvedObject }) => {
      return (involvedObject as { uid?: string }).uid === 'u2';
    });
  let now = Date.parse('2026-08-01T10:00:00Z');
  const open = (hostname: string) => createEventRecorder({ client, hostname, log: listening, now: () => now });
  const first = open('pod-1');
  for (let i = 0; i < 5; i++) {
    first.record({ ...event, about });
    now += 3_600_000;
  }
  await first.flush();
  assert.equal(warnings.length, 1);
  const second = open('pod-2');
  second.record({ ...event, about });
  await second.flush();
  assert.deepEqual(
    (await mine()).map(({ count }) => count),
    [1],
  );
  second.record({ ...event, message: 'of generation 5', about });
  await second.flush();
  assert.equal((await mine()).length, 2);
});

test('an Event that cannot be recorded is said in the log, and tried anew the next time', async () => {
  const warnings: unknown[] = [];
  const recorder = createEventRecorder({
    client,
    hostname: 'pod-1',
    log: Object.assign(Object.create(log) as typeof log, { warn: (...args: unknown[]) => warnings.push(args) }),
  });
  const about = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: 'no-such-namespace' };
  for (let i = 1; i <= 2; i++) {
    recorder.record({ type: 'Warning', reason: 'X', message: 'm', about });
    await recorder.flush();
    assert.equal(warnings.length, i);
  }
});
