import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import express, { type Router } from 'express';
import { pino } from 'pino';
import { createSchemaCheck } from '../../../functions/kubevirt-schema.ts';
import {
  createCheckNew,
  createValidateCreate,
  VALIDATE_CREATE_PATH,
} from '../../../functions/validate-create/index.ts';
import { createValidateDelete, VALIDATE_DELETE_PATH } from '../../../functions/validate-delete/index.ts';
import { createPlacementCheck } from '../../../functions/validate-update/placement.ts';
import { createValidateUpdate, VALIDATE_UPDATE_PATH } from '../../../functions/validate-update/index.ts';
import type { ApiConnection, ApiRequest } from '../../../src/api/connection.ts';
import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { ApiError } from '../../../src/errors.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';

const log = pino({ level: 'silent' });

/** An API server that answers from a function and remembers what it was asked. */
function scriptedApi(answer: (call: ApiRequest) => JsonObject | Promise<JsonObject>) {
  const calls: ApiRequest[] = [];
  const request = (call: ApiRequest) => {
    calls.push(call);
    return Promise.resolve().then(() => answer(call));
  };
  const api: ApiConnection = {
    request,
    stream: () => Promise.reject(new Error('no watches here')),
    close: () => undefined,
  };
  return { api, calls };
}

interface Answer {
  response: { allowed: boolean; status?: { message: string; code: number } };
}

async function ask(router: Router, path: string, request: object): Promise<Answer['response']> {
  const server = createServer(express().use(router));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const body = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { uid: 'u', resource: { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' }, ...request },
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as Answer).response;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const blocking = { spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' }, status: { phase: 'Deployed' } };
const workloads = (plural: string) => (call: ApiRequest) => ({ items: call.path.endsWith(`/${plural}`) ? [{}] : [] });

const deletions: {
  name: string;
  request: object;
  answer?: (call: ApiRequest) => JsonObject;
  want: { allowed: boolean; calls: number; message?: RegExp };
}[] = [
  {
    name: 'no strategy',
    request: { name: 'kubevirt', oldObject: { spec: {}, status: { phase: 'Deployed' } } },
    want: { allowed: true, calls: 0 },
  },
  {
    name: 'RemoveWorkloads',
    request: {
      name: 'kubevirt',
      oldObject: { spec: { uninstallStrategy: 'RemoveWorkloads' }, status: { phase: 'Deployed' } },
    },
    want: { allowed: true, calls: 0 },
  },
  {
    name: 'not deployed yet',
    request: { name: 'kubevirt', oldObject: { ...blocking, status: { phase: 'Deploying' } } },
    want: { allowed: true, calls: 0 },
  },
  {
    name: 'no status at all',
    request: { name: 'kubevirt', oldObject: { spec: blocking.spec } },
    want: { allowed: true, calls: 0 },
  },
  {
    name: 'B31: blocked, no workloads',
    request: { name: 'kubevirt', oldObject: blocking },
    answer: workloads('none'),
    want: { allowed: true, calls: 3 },
  },
  {
    name: 'B31: blocked, one instance',
    request: { name: 'kubevirt', oldObject: blocking },
    answer: workloads('virtualmachineinstances'),
    want: { allowed: false, calls: 1, message: /Virtual Machine Instances/ },
  },
  {
    name: 'B31: blocked, one machine',
    request: { name: 'kubevirt', oldObject: blocking },
    answer: workloads('virtualmachines'),
    want: { allowed: false, calls: 2, message: /Virtual Machines/ },
  },
  {
    name: 'B31: blocked, one replica set',
    request: { name: 'kubevirt', oldObject: blocking },
    answer: workloads('virtualmachineinstancereplicasets'),
    want: { allowed: false, calls: 3, message: /Replica Sets/ },
  },
  {
    name: 'an unknown strategy blocks too',
    request: { name: 'kubevirt', oldObject: { ...blocking, spec: { uninstallStrategy: 'Ask' } } },
    answer: workloads('virtualmachines'),
    want: { allowed: false, calls: 2 },
  },
  {
    name: 'a review without the object reads it',
    request: { name: 'kubevirt', namespace: 'kubevirt' },
    answer: () => ({ ...blocking, spec: {} }),
    want: { allowed: true, calls: 1 },
  },
  {
    name: 'a collection with nothing in it',
    request: { namespace: 'kubevirt' },
    answer: () => ({ items: [] }),
    want: { allowed: true, calls: 1 },
  },
  {
    name: 'a collection of which the second member is protected',
    request: { namespace: 'kubevirt' },
    answer: (call) => (call.path.endsWith('/kubevirts') ? { items: [{ spec: {} }, blocking] } : { items: [{}] }),
    want: { allowed: false, calls: 2, message: /Virtual Machine Instances/ },
  },
  {
    name: 'an API server that fails',
    request: { name: 'kubevirt', oldObject: blocking },
    answer: () => {
      throw new ApiError('etcd is slow', { status: 500, reason: 'InternalError' });
    },
    want: { allowed: false, calls: 1, message: /etcd is slow/ },
  },
];
for (const { name, request, answer = () => ({ items: [] }), want } of deletions) {
  test(`validate-delete: ${name}`, async () => {
    const { api, calls } = scriptedApi(answer);
    const response = await ask(createValidateDelete({ api, log }), VALIDATE_DELETE_PATH, {
      operation: 'DELETE',
      ...request,
    });
    assert.equal(response.allowed, want.allowed);
    assert.equal(calls.length, want.calls);
    if (want.message !== undefined) assert.match(response.status?.message ?? '', want.message);
  });
}

test('validate-create: a second KubeVirt is refused, the first is not, a malformed one is told why', async () => {
  for (const [items, problems, want] of [
    [[], [], undefined],
    [[{}], [], /already created/],
    [[], ['spec.imageTag: no string'], /spec\.imageTag/],
  ] as const) {
    const { api } = scriptedApi(() => ({ items: [...items] }));
    const router = createValidateCreate({ api, log, findSchemaProblems: () => [...problems] });
    const response = await ask(router, VALIDATE_CREATE_PATH, { operation: 'CREATE', object: { spec: {} } });
    assert.equal(response.allowed, want === undefined);
    if (want !== undefined) assert.match(response.status?.message ?? '', want);
  }
});

test('B46: validate-create: semantic checks are an option', async () => {
  const rows: { name: string; spec: object; want: { allowed: boolean; dryRuns: number; message?: RegExp } }[] = [
    { name: 'an empty spec', spec: {}, want: { allowed: true, dryRuns: 0 } },
    {
      name: 'zero infra replicas',
      spec: { infra: { replicas: 0 } },
      want: { allowed: false, dryRuns: 0, message: /can't be 0/ },
    },
    { name: 'a placement', spec: placed('a'), want: { allowed: true, dryRuns: 1 } },
    {
      name: 'a downtime limit without its gate',
      spec: { configuration: { migrations: { maxDowntimeMs: 1 } } },
      want: { allowed: false, dryRuns: 0, message: /maxDowntimeMs/ },
    },
  ];
  for (const { name, spec, want } of rows) {
    const { api, calls } = scriptedApi(() => ({ items: [] }));
    const parts = { api, log, findSchemaProblems: () => [] };
    const check = createCheckNew(createPlacementCheck({ api, operatorNamespace: 'kubevirt' }));
    const request = { operation: 'CREATE', object: { spec } };
    const strict = await ask(createValidateCreate({ ...parts, check }), VALIDATE_CREATE_PATH, request);
    assert.equal(strict.allowed, want.allowed, name);
    if (want.message !== undefined) assert.match(strict.status?.message ?? '', want.message);
    assert.equal(calls.filter(({ method }) => method === 'POST').length, want.dryRuns, name);
    const plain = await ask(createValidateCreate(parts), VALIDATE_CREATE_PATH, request);
    assert.equal(plain.allowed, true, `${name}: upstream checks nothing`);
  }
});

test('validate-update: nothing of a review but its placement gets into the dry run', async () => {
  const { api, calls } = scriptedApi(() => ({}));
  const check = createPlacementCheck({ api, operatorNamespace: 'kubevirt' });
  const placement = { nodeSelector: { a: 'b' }, hostNetwork: true, containers: [{ name: 'mine' }] };
  await check('DaemonSet', placement, new AbortController().signal);
  const { spec } = (calls[0]?.body as { spec: { template: { spec: Record<string, unknown> } } }).spec.template;
  assert.deepEqual(Object.keys(spec), ['containers', 'nodeSelector']);
  assert.deepEqual(
    (spec['containers'] as { name: string }[]).map(({ name }) => name),
    ['placement-verification-pod'],
  );
});

test('validate-update: a dry run has one fixed name, in the namespace of the operator, and its error is cut', async () => {
  const { api, calls } = scriptedApi(() => {
    throw new ApiError('x'.repeat(1_000_000), { status: 422, reason: 'Invalid' });
  });
  const checkPlacement = createPlacementCheck({ api, operatorNamespace: 'operators' });
  const router = createValidateUpdate({ checkPlacement, findSchemaProblems: () => [], log });
  const answer = await ask(router, VALIDATE_UPDATE_PATH, {
    operation: 'UPDATE',
    name: 'mine',
    namespace: 'somewhere-else',
    oldObject: { metadata: { namespace: 'somewhere-else' }, spec: {} },
    object: { metadata: { namespace: 'somewhere-else' }, spec: placed('a') },
  });
  assert.equal(answer.allowed, false);
  assert.ok((answer.status?.message.length ?? Infinity) <= 1100, String(answer.status?.message.length));
  assert.deepEqual(
    calls.map(({ method, path, query, body }) => [method, path, query, (body as KubernetesObject).metadata]),
    [
      [
        'POST',
        '/apis/apps/v1/namespaces/operators/deployments',
        { dryRun: 'All' },
        { name: 'placement-validation-webhook', namespace: 'operators' },
      ],
    ],
  );
});

test('validate-update: a placement beyond the queue is turned away, and one whose caller has left makes room', async () => {
  const hold = Promise.withResolvers<JsonObject>();
  const { api, calls } = scriptedApi(() => hold.promise);
  const check = createPlacementCheck({ api, operatorNamespace: 'kubevirt' });
  const left = new AbortController();
  const ask = (signal = new AbortController().signal) => check('Deployment', {}, signal);
  const all = Array.from({ length: 34 }, (_, i) => ask(i === 20 ? left.signal : undefined));
  const settled = Promise.allSettled(all);
  await assert.rejects(ask(), /too many placements/);
  left.abort(new Error('left'));
  const late = ask();
  hold.resolve({});
  const results = await settled;
  await late;
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
  assert.equal(calls.length, 34);
});

const placed = (value: string) => ({ infra: { nodePlacement: { nodeSelector: { zone: value } } } });
const updates: {
  name: string;
  old: object;
  new: object;
  refuse?: boolean;
  want: { allowed: boolean; calls: number };
}[] = [
  {
    name: 'an unchanged placement asks nobody',
    old: placed('a'),
    new: { ...placed('a'), imageTag: 'x' },
    want: { allowed: true, calls: 0 },
  },
  {
    name: 'a changed placement is tried by a dry run',
    old: placed('a'),
    new: placed('b'),
    want: { allowed: true, calls: 1 },
  },
  {
    name: 'a refused placement is a violation',
    old: placed('a'),
    new: placed('b'),
    refuse: true,
    want: { allowed: false, calls: 1 },
  },
  {
    name: 'both placements are tried',
    old: {},
    new: { ...placed('b'), workloads: placed('c').infra },
    want: { allowed: true, calls: 2 },
  },
  { name: 'a placement that is taken away is not tried', old: placed('a'), new: {}, want: { allowed: true, calls: 0 } },
  {
    name: 'a spec that did not change passes though it is invalid',
    old: { infra: { replicas: 0 } },
    new: { infra: { replicas: 0 } },
    want: { allowed: true, calls: 0 },
  },
];
for (const { name, old, new: wanted, refuse = false, want } of updates) {
  test(`validate-update: ${name}`, async () => {
    const { api, calls } = scriptedApi(() => {
      if (refuse) throw new ApiError(`spec: ${'x'.repeat(4000)}`, { status: 422, reason: 'Invalid' });
      return {};
    });
    const router = createValidateUpdate({
      checkPlacement: createPlacementCheck({ api, operatorNamespace: 'kubevirt' }),
      findSchemaProblems: () => [],
      log,
    });
    const request = { operation: 'UPDATE', oldObject: { spec: old }, object: { spec: wanted }, namespace: 'elsewhere' };
    const response = await ask(router, VALIDATE_UPDATE_PATH, request);
    assert.equal(response.allowed, want.allowed);
    assert.equal(calls.length, want.calls);
    for (const call of calls) {
      assert.match(call.path, /\/namespaces\/kubevirt\/(deployments|daemonsets)$/);
      assert.deepEqual(call.query, { dryRun: 'All' });
    }
    assert.ok((response.status?.message.length ?? 0) <= 1024);
  });
}

const badStatus = { conditions: [{ reason: 'no type' }] };
const statuses: { name: string; old: object; new: object; want: boolean }[] = [
  { name: 'a bad status is refused', old: {}, new: { status: badStatus }, want: false },
  { name: 'a bad status that was there is not', old: { status: badStatus }, new: { status: badStatus }, want: true },
  { name: 'a spec that goes missing is refused', old: {}, new: { spec: undefined }, want: false },
];
for (const { name, old, new: wanted, want } of statuses) {
  test(`validate-update: ${name}`, async () => {
    const router = createValidateUpdate({
      checkPlacement: () => Promise.resolve(undefined),
      findSchemaProblems: createSchemaCheck(buildKubeVirtCrd),
      log,
    });
    const request = {
      operation: 'UPDATE',
      oldObject: { spec: { imageTag: 'a' }, ...old },
      object: { spec: { imageTag: 'b' }, ...wanted },
    };
    assert.equal((await ask(router, VALIDATE_UPDATE_PATH, request)).allowed, want);
  });
}

test('validate-update: at most two dry runs at a time, whoever asks', async () => {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const { api, calls } = scriptedApi(async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running--;
    return {};
  });
  const check = createPlacementCheck({ api, operatorNamespace: 'kubevirt' });
  const all = Promise.all(Array.from({ length: 7 }, () => check('Deployment', {}, new AbortController().signal)));
  while (calls.length < 7 || waiting.length > 0) {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
  assert.equal(most, 2);
});
