import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { KINDS, type KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createClient, type ApiClient } from '../../../src/apply/client.ts';
import { openLedger } from '../../../src/apply/ledger.ts';
import { runSteps, type RunOptions, type Write } from '../../../src/apply/execute.ts';
import { ApiError, isStale, PassAborted } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import type { Action, Step, StepPlan } from '../../../src/plan/types.ts';
import { createConnection, type Connection } from '../../../src/transport/connection.ts';
import { createNamespace, useSharedControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';

const log = createLog({ role: 'test', verbosity: 0, destination: process.stdout });
log.level = 'silent';

let connection: Connection;
let client: ApiClient;
let namespace: string;

before(async () => {
  const plane = await useSharedControlPlane();
  namespace = await createNamespace(plane.api, 'apply');
  connection = await createConnection({
    kubeconfig: plane.kubeconfig,
    qps: 200,
    burst: 400,
    userAgent: 'virt-operator/test (apply)',
    log,
  });
  client = createClient(connection);
});
after(() => {
  connection.close();
});

/** A cache that shows what a test puts into it, whatever the cluster says. */
class FixedCache {
  readonly objects: KubernetesObject[] = [];
  readonly #listeners = new Set<() => void>();
  get(kind: KindName, name: string) {
    return this.objects.find((object) => object.kind === kind && object.metadata.name === name);
  }
  list(kind: KindName) {
    return this.objects.filter((object) => object.kind === kind);
  }
  onChange(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  show(object: KubernetesObject) {
    this.objects.push(object);
    for (const listener of this.#listeners) listener();
  }
  get listeners() {
    return this.#listeners.size;
  }
}

const configMap = (name: string, data: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

/** Wants a ConfigMap with this content: creates it, or patches what differs, guarded by the version it has seen. */
function ensure(name: string, content: string): Step {
  return {
    name: `ensure ${name}`,
    plan: ({ world }): StepPlan => {
      const current = world.get('ConfigMap', name, namespace);
      if (current === undefined) {
        return { actions: [{ verb: 'create', kind: 'ConfigMap', object: configMap(name, { content }) }] };
      }
      if (current.data?.content === content) return { actions: [] };
      const guard = {
        op: 'test' as const,
        path: '/metadata/resourceVersion',
        value: current.metadata.resourceVersion!,
      };
      const change = { op: 'add' as const, path: '/data', value: { content } };
      return { actions: [{ verb: 'patch', kind: 'ConfigMap', name, namespace, operations: [guard, change] }] };
    },
  };
}

function run(steps: Step[], change: Partial<RunOptions> = {}) {
  const options = {
    // These steps decide from the world alone.
    context: {} as RunOptions['context'],
    generations: [],
    store: new FixedCache(),
    client,
    signal: new AbortController().signal,
    log,
    ...change,
  };
  return runSteps(steps, options);
}

const contentOf = async (name: string) =>
  (await client.find({ kind: 'ConfigMap', name, namespace }))?.data?.content ?? 'absent';

test('a step sees what the steps before it wrote, without any watch', async () => {
  const writes: Write[] = [];
  const report = await run([ensure('chain', 'one'), ensure('chain', 'two'), ensure('chain', 'two')], {
    onWrite: (write) => writes.push(write),
  });
  assert.equal(report.completed, true);
  assert.deepEqual(
    report.steps.map(({ writes: count }) => count),
    [1, 1, 0],
  );
  assert.equal(await contentOf('chain'), 'two');
  assert.deepEqual(
    writes.map(({ verb, kind, name }) => [verb, kind, name]),
    [
      ['create', 'ConfigMap', 'chain'],
      ['patch', 'ConfigMap', 'chain'],
    ],
  );
  assert.ok(writes.every(({ resourceVersion }) => /^\d+$/.test(resourceVersion ?? '')));
});

test('an object that exists already is read and adopted', async () => {
  await client.create('ConfigMap', configMap('adopted', { content: 'theirs' }));
  const report = await run([ensure('adopted', 'ours')]);
  assert.equal(report.completed, true);
  assert.equal(await contentOf('adopted'), 'ours');
});

test('a patch from an old cache fails its test, reads again and succeeds', async () => {
  const cache = new FixedCache();
  cache.show(await client.create('ConfigMap', configMap('stale', { content: 'a' })));
  await client.merge({ kind: 'ConfigMap', name: 'stale', namespace }, { data: { content: 'b' } });
  const report = await run([ensure('stale', 'c')], { store: cache });
  assert.deepEqual(report.failures, []);
  assert.equal(await contentOf('stale'), 'c');
});

test('a patch of an object that is gone creates it', async () => {
  const cache = new FixedCache();
  cache.show({
    ...configMap('vanished', { content: 'a' }),
    metadata: { name: 'vanished', namespace, uid: 'x', resourceVersion: '1' },
  });
  const report = await run([ensure('vanished', 'b')], { store: cache });
  assert.equal(report.completed, true);
  assert.equal(await contentOf('vanished'), 'b');
});

test('L13: whatever a worker with an old cache writes fails with a conflict', async () => {
  const old = await client.create('ConfigMap', configMap('contended', { content: 'old' }));
  const target = { kind: 'ConfigMap' as const, name: 'contended', namespace };
  await client.merge(target, { data: { content: 'of the other worker' } });
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'contended', namespace } };
  const oldRole = await client.create('Role', role);
  await client.merge({ ...target, kind: 'Role' }, { metadata: { labels: { by: 'the-other-worker' } } });
  const stale: Record<string, () => Promise<unknown>> = {
    create: () => client.create('ConfigMap', configMap('contended', { content: 'new' })),
    replace: () => client.replace('Role', { ...oldRole, metadata: { ...oldRole.metadata, labels: { by: 'me' } } }),
    patch: () =>
      client.patch(target, [
        { op: 'test', path: '/metadata/resourceVersion', value: old.metadata.resourceVersion! },
        { op: 'add', path: '/data', value: { content: 'new' } },
      ]),
    delete: () => client.delete(target, { uid: 'of-an-object-that-is-gone' }),
  };
  for (const [verb, write] of Object.entries(stale)) await assert.rejects(write(), isStale, verb);
  assert.equal(await contentOf('contended'), 'of the other worker');
  assert.equal((await client.get({ ...target, kind: 'Role' })).metadata.labels?.['by'], 'the-other-worker');
});

test('a plan that stays stale is given up after three more tries, and says on what', async () => {
  await client.create('ConfigMap', configMap('stubborn'));
  let plans = 0;
  const stubborn: Step = {
    name: 'stubborn',
    plan: () => {
      plans++;
      return { actions: [{ verb: 'create', kind: 'ConfigMap', object: configMap('stubborn') }] };
    },
  };
  const report = await run([stubborn, ensure('never', 'x')]);
  assert.equal(plans, 4);
  assert.equal(report.completed, false);
  assert.equal(report.failures.length, 1);
  assert.match(report.failures[0]!.error.message, new RegExp(`^cannot create ConfigMap ${namespace}/stubborn$`));
  assert.ok(report.failures[0]?.error.cause instanceof ApiError);
  assert.equal(await contentOf('never'), 'absent', 'the steps after it do not run');
});

test('a refused object fails its step; its neighbours are written and told', async () => {
  const bad = configMap('Not_A_Name');
  const writes: Write[] = [];
  const report = await run(
    [
      {
        name: 'mixed',
        plan: () => ({
          actions: [configMap('good'), bad].map((object): Action => ({ verb: 'create', kind: 'ConfigMap', object })),
        }),
      },
      ensure('never', 'x'),
    ],
    { onWrite: (write) => writes.push(write) },
  );
  assert.equal(report.failures.length, 1);
  assert.equal(report.written.length, 1);
  assert.equal(writes[0]?.name, 'good');
  assert.equal(await contentOf('never'), 'absent');
});

test('problems let the next steps run and count as failures', async () => {
  const report = await run([
    { name: 'warned', plan: () => ({ actions: [], problems: ['a thing cannot be reached'] }) },
    ensure('after-problem', 'x'),
  ]);
  assert.equal(report.completed, false);
  assert.equal(report.failures[0]?.error.message, 'a thing cannot be reached');
  assert.equal(await contentOf('after-problem'), 'x');
});

test('a step that cannot be planned fails like one that cannot be done', async () => {
  const report = await run([
    {
      name: 'broken',
      plan: () => {
        throw new Error('rollout failed');
      },
    },
    ensure('never', 'x'),
  ]);
  assert.deepEqual(
    report.failures.map(({ step, error }) => [step, error.message]),
    [['broken', 'rollout failed']],
  );
});

test('stop ends the run after the actions and says what is awaited', async () => {
  const stopping: Step = {
    name: 'stopping',
    plan: (context) => ({ ...ensure('stopped', 'x').plan(context), stop: 'virt-api to become ready' }),
  };
  const report = await run([stopping, ensure('never', 'x')]);
  assert.deepEqual(report.stopped, { step: 'stopping', awaited: 'virt-api to become ready', isResumedAtOnce: false });
  assert.equal(report.completed, false);
  assert.deepEqual(report.failures, []);
  assert.equal(await contentOf('stopped'), 'x');
  assert.equal(await contentOf('never'), 'absent');
});

/** Resolves when a gate listens to the cache. */
const isHeld = (cache: FixedCache) =>
  eventually(
    () => cache.listeners,
    (listeners) => listeners === 1,
  );

test('a gate holds until the cache shows the change, and no longer', async () => {
  const cache = new FixedCache();
  const gated: Step = {
    name: 'gated',
    plan: () => ({
      actions: [],
      until: {
        awaited: 'the signal',
        isTrue: (world) => world.get('ConfigMap', 'signal') !== undefined,
        timeoutMs: 20_000,
      },
    }),
  };
  const told: string[] = [];
  const running = run([gated], { store: cache, onStep: ({ state }) => told.push(state) });
  await isHeld(cache);
  cache.show(configMap('other'));
  assert.equal(cache.listeners, 1, 'still holding');
  cache.show(configMap('signal'));
  assert.equal((await running).completed, true);
  assert.equal(cache.listeners, 0, 'no listener is left behind');
  assert.deepEqual(told, ['begun', 'held', 'held', 'done'], 'every change at a gate is told');
});

/** A gate that wants to be held for no time at all. */
const hasty: Step = {
  name: 'hasty',
  plan: () => ({
    actions: [],
    until: { awaited: 'the signal', isTrue: (world) => world.get('ConfigMap', 'signal') !== undefined, timeoutMs: 0 },
  }),
};

test('patience holds a gate that would not wait', async () => {
  const cache = new FixedCache();
  const running = run([hasty], { store: cache, patienceMs: 20_000 });
  await isHeld(cache);
  cache.show(configMap('signal'));
  assert.equal((await running).completed, true);
});

test('patience ends when something else is asked for', async () => {
  const cache = new FixedCache();
  let isOutdated = false;
  const running = run([hasty], { store: cache, patienceMs: 20_000, isOutdated: () => isOutdated });
  await isHeld(cache);
  isOutdated = true;
  cache.show(configMap('other'));
  assert.deepEqual((await running).stopped, { step: 'hasty', awaited: 'the signal', isResumedAtOnce: false });
});

test('a gate that stays shut stops the run', async () => {
  const report = await run([
    {
      name: 'gated',
      plan: () => ({ actions: [], until: { awaited: 'the signal', isTrue: () => false, timeoutMs: 10 } }),
    },
  ]);
  assert.deepEqual(report.stopped, { step: 'gated', awaited: 'the signal', isResumedAtOnce: false });
});

test('a gate that is optional does not, whatever the patience', async () => {
  const until = { awaited: 'the signal', isTrue: () => false, timeoutMs: 10, isOptional: true } as const;
  const steps = [{ name: 'gated', plan: () => ({ actions: [], until }) }, ensure('after-optional', 'x')];
  const report = await run(steps, { patienceMs: 20_000 });
  assert.deepEqual([report.stopped, report.completed], [undefined, true]);
  assert.equal(await contentOf('after-optional'), 'x');
});

test('abort between steps, and at a gate, rejects with PassAborted and sends nothing more', async () => {
  for (const isAtGate of [false, true]) {
    const controller = new AbortController();
    const cut: Step = {
      name: 'cut',
      plan: () => {
        if (!isAtGate) controller.abort(new Error('lock lost'));
        return { actions: [], until: { awaited: 'x', isTrue: () => !isAtGate, timeoutMs: 20_000 } };
      },
    };
    const running = run([cut, ensure('never', 'x')], { signal: controller.signal });
    if (isAtGate)
      setImmediate(() => {
        controller.abort(new Error('lock lost'));
      });
    await assert.rejects(running, (error) => error instanceof PassAborted && /lock lost/.test(error.message));
  }
  assert.equal(await contentOf('never'), 'absent');
});

test('a deletion is told; of what is gone already it succeeds', async () => {
  const cache = new FixedCache();
  const created = await client.create('ConfigMap', configMap('doomed'));
  cache.show(created);
  const writes: Write[] = [];
  const remove: Step = {
    name: 'remove',
    plan: ({ world }) => ({
      actions:
        world.get('ConfigMap', 'doomed', namespace) === undefined
          ? []
          : [
              {
                verb: 'delete',
                kind: 'ConfigMap',
                name: 'doomed',
                namespace,
                uid: created.metadata.uid!,
                gracePeriodSeconds: 0,
              },
            ],
    }),
  };
  const report = await run([remove, remove], { store: cache, onWrite: (write) => writes.push(write) });
  assert.equal(report.completed, true);
  assert.deepEqual(
    writes.map(({ verb, name, resourceVersion }) => [verb, name, resourceVersion]),
    [['delete', 'doomed', undefined]],
  );
  assert.equal((await run([remove], { store: cache })).completed, true);
});

test('a deletion spares an object that was created anew under the same name', async () => {
  const old = await client.create('ConfigMap', configMap('reborn'));
  await client.delete({ kind: 'ConfigMap', name: 'reborn', namespace });
  await client.create('ConfigMap', configMap('reborn', { content: 'new' }));
  const report = await run([
    {
      name: 'remove',
      plan: ({ world }) => ({
        actions:
          world.get('ConfigMap', 'reborn', namespace) === undefined
            ? [{ verb: 'delete', kind: 'ConfigMap', name: 'reborn', namespace, uid: old.metadata.uid! }]
            : [],
      }),
    },
  ]);
  assert.equal(report.completed, true);
  assert.equal(await contentOf('reborn'), 'new');
});

test('a certificate is made on the way: created with its Secret, renewed by a patch', async () => {
  const certificate = {
    commonName: 'kubevirt.io@1',
    isCa: true,
    dnsNames: [],
    notBefore: new Date(),
    notAfter: new Date(Date.now() + 3_600_000),
  };
  const object: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'pair', namespace },
  };
  const issue = (action: Action): Step => ({ name: action.verb, plan: () => ({ actions: [action] }) });
  await run([issue({ verb: 'create', kind: 'Secret', object, certificate })]);
  const first = (await client.get({ kind: 'Secret', name: 'pair', namespace })).data!;
  assert.match(Buffer.from(first['tls.crt']!, 'base64').toString(), /BEGIN CERTIFICATE/);
  await run([issue({ verb: 'patch', kind: 'Secret', name: 'pair', namespace, operations: [], certificate })]);
  const second = (await client.get({ kind: 'Secret', name: 'pair', namespace })).data!;
  assert.match(Buffer.from(second['tls.key']!, 'base64').toString(), /BEGIN EC PRIVATE KEY/);
  assert.notEqual(second['tls.key'], first['tls.key']);
});

test('generations come from the answers to creates and patches', async () => {
  const deployment: KubernetesObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
    },
  };
  const replicas = (value: number, more: object = {}): Step => ({
    name: `replicas ${value}`,
    plan: () => ({
      actions: [
        {
          verb: 'patch',
          kind: 'Deployment',
          name: 'web',
          namespace,
          operations: [{ op: 'replace', path: '/spec/paused', value: value % 2 === 0 }],
          ...more,
        },
      ],
    }),
  });
  const report = await run([
    {
      name: 'create',
      plan: () => ({ actions: [{ verb: 'create', kind: 'Deployment', object: deployment, hash: 'h' }] }),
    },
    {
      name: 'pause',
      plan: () => ({
        actions: [
          {
            verb: 'patch',
            kind: 'Deployment',
            name: 'web',
            namespace,
            operations: [{ op: 'add', path: '/spec/paused', value: true }],
          },
        ],
      }),
    },
    replicas(1, { unrecorded: true }),
  ]);
  assert.deepEqual(report.failures, []);
  assert.deepEqual(report.generations, [
    { group: 'apps', resource: KINDS.Deployment.plural, namespace, name: 'web', lastGeneration: 2 },
  ]);
});

test('lists are read page by page and members know their kind', async () => {
  await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      client.create('Secret', { ...configMap(`page-${i}`), kind: 'Secret', data: {} }),
    ),
  );
  const objects = await client.list('Secret', { namespace });
  assert.ok(objects.length >= 5);
  assert.ok(objects.every(({ kind, apiVersion }) => kind === 'Secret' && apiVersion === 'v1'));
});

test('a ledger counts writes and has them remembered, deletions by UID', async () => {
  const remembered: string[] = [];
  const ledger = openLedger(client, {
    recordWrite: (kind, version) => Promise.resolve(void remembered.push(`${kind} ${version}`)),
    recordDelete: (kind, uid) => Promise.resolve(void remembered.push(`${kind} gone ${uid}`)),
  });
  const target = { kind: 'ConfigMap' as const, name: 'ledger', namespace };
  const created = await ledger.client.create('ConfigMap', configMap('ledger'));
  const held = await ledger.client.merge(target, { metadata: { finalizers: ['example.com/hold'] } });
  const { uid } = created.metadata;
  const deleting = await ledger.client.delete(target, { uid });
  assert.ok(deleting?.metadata.deletionTimestamp !== undefined, 'its finalizer holds it');
  await ledger.client.merge(target, { metadata: { finalizers: null } });
  const other = await ledger.client.create('ConfigMap', configMap('ledger-2'));
  await ledger.client.delete({ ...target, name: 'ledger-2' }, { uid: other.metadata.uid });
  await ledger.settled();
  assert.equal(ledger.count(), 6);
  assert.deepEqual(remembered, [
    `ConfigMap ${String(created.metadata.resourceVersion)}`,
    `ConfigMap ${String(held.metadata.resourceVersion)}`,
    `ConfigMap ${String(deleting.metadata.resourceVersion)}`,
    `ConfigMap gone ${String(uid)}`,
    `ConfigMap ${String(other.metadata.resourceVersion)}`,
    `ConfigMap gone ${String(other.metadata.uid)}`,
  ]);
});

const RETURNED_WHEN_DELETED: { kind: KindName; rest: object }[] = [
  { kind: 'ServiceAccount', rest: {} },
  { kind: 'Service', rest: { spec: { ports: [{ port: 1 }] } } },
  { kind: 'Secret', rest: {} },
];
for (const { kind, rest } of RETURNED_WHEN_DELETED) {
  test(`a deleted ${kind} is gone, whatever the API server returns for it`, async () => {
    const name = `gone-${kind.toLowerCase()}`;
    await client.create(kind, { apiVersion: 'v1', kind, metadata: { name, namespace }, ...rest });
    assert.equal(await client.delete({ kind, name, namespace }, { gracePeriodSeconds: 0 }), undefined);
  });
}
