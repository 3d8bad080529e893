import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { markFailed } from '../../../src/plan/conditions.ts';
import type { CustomizeComponents, CustomizePatch } from '../../../src/api/kubevirt.ts';
import type { KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { customizeObject, customizerHash, customizeStrategy } from '../../../src/customize/customize.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import type { InstallStrategy } from '../../../src/strategy/types.ts';
import { generateInput } from '../strategy/builders.ts';

const strategy = generateStrategy(generateInput());

const patch = (change: Partial<CustomizePatch>): CustomizePatch => ({
  resourceType: 'Deployment',
  resourceName: 'virt-api',
  type: 'merge',
  patch: '{"metadata":{"labels":{"a":"1"}}}',
  ...change,
});

const find = (from: InstallStrategy, kind: KindName, name: string): KubernetesObject => {
  const found = from.ofKind(kind).find((object) => object.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found;
};

const labelled = (from: InstallStrategy): string[] =>
  from.objects
    .filter(({ metadata }) => metadata.labels?.['a'] === '1')
    .map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`);

const container = (object: KubernetesObject): { args?: string[]; command?: string[] } => {
  const { spec } = object as unknown as { spec: { template: { spec: { containers: object[] } } } };
  return spec.template.spec.containers[0]!;
};

describe('matching', () => {
  const rows: { name: string; patch: Partial<CustomizePatch>; want: string[] }[] = [
    { name: 'kind and name', patch: {}, want: ['Deployment virt-api'] },
    {
      name: 'whatever the case',
      patch: { resourceType: 'dePLOYment', resourceName: 'VIRT-api' },
      want: ['Deployment virt-api'],
    },
    { name: 'any name', patch: { resourceType: 'DaemonSet', resourceName: '*' }, want: ['DaemonSet virt-handler'] },
    {
      name: 'any kind',
      patch: { resourceType: '*', resourceName: 'virt-api' },
      want: ['Service virt-api', 'Deployment virt-api'],
    },
    { name: 'no match', patch: { resourceName: 'virt' }, want: [] },
    { name: 'kinds that are not customized', patch: { resourceType: 'ClusterRole', resourceName: '*' }, want: [] },
  ];
  for (const row of rows) {
    test(row.name, () => {
      const { strategy: got, failures } = customizeStrategy(strategy, { patches: [patch(row.patch)] });
      assert.deepEqual(labelled(got), row.want);
      assert.deepEqual(failures, []);
    });
  }
});

describe('patches', () => {
  test('shorter ones first, equal ones in their order', () => {
    const add = (value: string): CustomizePatch =>
      patch({
        type: 'json',
        patch: JSON.stringify([{ op: 'add', path: '/spec/template/spec/containers/0/args/-', value }]),
      });
    const { strategy: got } = customizeStrategy(strategy, { patches: [add('long'), add('b'), add('a')] });
    assert.deepEqual(container(find(got, 'Deployment', 'virt-api')).args?.slice(-3), ['b', 'a', 'long']);
  });

  test('all customized kinds get the hash, matched or not, others nothing', () => {
    const { strategy: got } = customizeStrategy(strategy, undefined);
    const kinds = new Set(
      got.objects
        .filter(({ metadata }) => metadata.annotations?.['kubevirt.io/customizer-identifier'] !== undefined)
        .map(({ kind }) => kind),
    );
    assert.deepEqual([...kinds].sort(), [
      'APIService',
      'DaemonSet',
      'Deployment',
      'MutatingWebhookConfiguration',
      'Secret',
      'Service',
      'ValidatingWebhookConfiguration',
    ]);
    assert.equal(got.objects.length, strategy.objects.length);
  });

  test('the strategy is never changed: twice gives the same', () => {
    const before = JSON.stringify(strategy.objects);
    const wish: CustomizeComponents = {
      patches: [
        patch({ type: 'json', patch: '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"x"}]' }),
      ],
    };
    const first = customizeStrategy(strategy, wish);
    const second = customizeStrategy(strategy, wish);
    assert.deepEqual(first.strategy.objects, second.strategy.objects);
    assert.equal(JSON.stringify(strategy.objects), before);
  });

  test('the result is frozen', () => {
    const { strategy: got } = customizeStrategy(strategy, { patches: [patch({})] });
    const { metadata } = find(got, 'Deployment', 'virt-api');
    assert.ok(Object.isFrozen(metadata.labels));
  });
});

describe('failures', () => {
  const bad: { name: string; patch: Partial<CustomizePatch>; want: RegExp }[] = [
    {
      name: 'no JSON',
      patch: { patch: '{' },
      want: /patches\[1\] cannot be applied to Deployment kubevirt\/virt-api: is not JSON/,
    },
    {
      name: 'an unknown type',
      patch: { type: 'yaml' },
      want: /type "yaml" is not supported/,
    },
    {
      name: 'a path that does not exist',
      patch: { type: 'json', patch: '[{"op":"remove","path":"/spec/x"}]' },
      want: /operation 0: \/spec\/x does not exist/,
    },
    {
      name: 'a test that does not hold',
      patch: { type: 'json', patch: '[{"op":"test","path":"/spec/replicas","value":9}]' },
      want: /test of \/spec\/replicas failed: it is 2, not 9/,
    },
    { name: 'a merge patch that is a list', patch: { patch: '[]' }, want: /a merge patch is an object/ },
    { name: 'metadata removed', patch: { patch: '{"metadata":null}' }, want: /leaves no object with metadata/ },
    { name: 'another kind', patch: { patch: '{"kind":"ConfigMap"}' }, want: /changes its kind/ },
    { name: 'no kind', patch: { type: 'json', patch: '[{"op":"remove","path":"/kind"}]' }, want: /changes its kind/ },
    {
      name: 'the name of another object',
      patch: { patch: '{"metadata":{"name":"virt-controller"}}' },
      want: /changes its metadata\.name/,
    },
    { name: 'no name', patch: { patch: '{"metadata":{"name":null}}' }, want: /changes its metadata\.name/ },
    {
      name: 'another namespace',
      patch: { type: 'strategic', patch: '{"metadata":{"namespace":"elsewhere"}}' },
      want: /changes its metadata\.namespace/,
    },
    {
      name: 'an element without a name',
      patch: { type: 'strategic', patch: '{"spec":{"template":{"spec":{"containers":[{}]}}}}' },
      want: /containers: an element has no "name"/,
    },
  ];
  for (const row of bad) {
    test(`B34: ${row.name}`, () => {
      const good = patch({
        resourceName: 'virt-controller',
        patch: '{"metadata":{"labels":{"a":"1"}}, "padding": "so that it stands last"}',
      });
      const { strategy: got, failures } = customizeStrategy(strategy, { patches: [good, patch(row.patch)] });
      const [failure, ...more] = failures;
      assert.ok(failure);
      assert.deepEqual(more, []);
      assert.deepEqual(failure.object, { kind: 'Deployment', namespace: 'kubevirt', name: 'virt-api' });
      assert.equal(failure.patch, 'spec.customizeComponents.patches[1]');
      assert.match(failure.message, row.want);
      assert.deepEqual(labelled(got), ['Deployment virt-controller'], 'others go on');
      assert.deepEqual(find(got, 'Deployment', 'virt-api'), find(strategy, 'Deployment', 'virt-api'));
    });
  }
});

describe('what a condition says of a failure', () => {
  const deep = Array.from({ length: 20 }, (_, index) => `a-long-name-${index}`);
  const path = `/spec/${deep.join('/')}`;
  const long = 'x'.repeat(20_000);
  const rows: { name: string; patch: Partial<CustomizePatch>; path: string }[] = [
    { name: 'a deep path', patch: { type: 'json', patch: JSON.stringify([{ op: 'remove', path }]) }, path },
    {
      name: 'a long value in a test',
      patch: { type: 'json', patch: JSON.stringify([{ op: 'test', path: '/metadata/name', value: long }]) },
      path: '/metadata/name',
    },
    {
      name: 'the third of many operations',
      patch: {
        type: 'json',
        patch: JSON.stringify([
          { op: 'add', path: '/metadata/annotations', value: { long } },
          { op: 'add', path: '/spec/replicas', value: 3 },
          { op: 'add', path: '/spec/nothing/here', value: long },
        ]),
      },
      path: '/spec/nothing/here',
    },
    {
      name: 'an element without a name in a strategic patch',
      patch: {
        type: 'strategic',
        patch: JSON.stringify({ spec: { template: { spec: { containers: [{ image: long }] } } } }),
      },
      path: 'spec/template/spec/containers',
    },
  ];
  for (const row of rows) {
    test(`B34: ${row.name}: index, kind, name and path in 1 KiB`, () => {
      const { failures } = customizeStrategy(strategy, { patches: [patch(row.patch)] });
      const [failure] = failures;
      assert.ok(failure);
      const { conditions = [] } = markFailed({}, failure.message);
      assert.equal(conditions.length, 4);
      for (const { message = '' } of conditions) {
        assert.ok(Buffer.byteLength(message) <= 1024, `${Buffer.byteLength(message)} bytes`);
        for (const part of ['patches[0]', 'Deployment kubevirt/virt-api', row.path])
          assert.ok(message.includes(part), `${part} in ${message}`);
      }
    });
  }
});

describe('flags', () => {
  test('make the command: by name, lower case, booleans joined', () => {
    const flags = { api: { V: '5', empty: '', 'Allow-X': 'TRUE' } };
    const { strategy: got } = customizeStrategy(strategy, { flags });
    const { command, args } = container(find(got, 'Deployment', 'virt-api'));
    assert.deepEqual(command, ['virt-api', '--allow-x=true', '--v', '5', '--empty']);
    assert.deepEqual(args, container(find(strategy, 'Deployment', 'virt-api')).args);
  });
  test('come after the patches', () => {
    const text = '{"spec":{"template":{"spec":{"containers":[{"name":"virt-handler","command":["other"]}]}}}}';
    const patches = [
      patch({ resourceType: 'DaemonSet', resourceName: 'virt-handler', type: 'strategic', patch: text }),
    ];
    const { strategy: got } = customizeStrategy(strategy, { patches, flags: { handler: { v: '7' } } });
    assert.deepEqual(container(find(got, 'DaemonSet', 'virt-handler')).command, ['virt-handler', '--v', '7']);
  });
  test('an empty map changes nothing', () => {
    const { strategy: got } = customizeStrategy(strategy, { flags: { controller: {} } });
    assert.deepEqual(container(find(got, 'Deployment', 'virt-controller')).command, ['virt-controller']);
  });
});

describe('customizerHash', () => {
  test('of nothing is that of {}', () => {
    assert.equal(customizerHash(undefined), 'bf21a9e8fbc5a3846fb05b4fa0859e0917b2202f');
    assert.equal(customizerHash({}), customizerHash(undefined));
    assert.equal(customizerHash({ patches: [] }), customizerHash(undefined));
  });
  test('does not depend on the order of flags, nor on that of patches of different length', () => {
    const [long, short] = [patch({ patch: '{"a": 1}' }), patch({ patch: '{}' })];
    assert.equal(customizerHash({ patches: [long, short] }), customizerHash({ patches: [short, long] }));
    assert.equal(
      customizerHash({ flags: { api: { a: '1', b: '2' } } }),
      customizerHash({ flags: { api: { b: '2', a: '1' } } }),
    );
  });
  test('depends on the order of patches of equal length, and on present but empty flags', () => {
    const [a, b] = [patch({ patch: '{"a":1}' }), patch({ patch: '{"b":1}' })];
    assert.notEqual(customizerHash({ patches: [a, b] }), customizerHash({ patches: [b, a] }));
    assert.notEqual(customizerHash({ flags: {} }), customizerHash({}));
  });
});

describe('customizeObject', () => {
  const job: KubernetesObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { generateName: 'virt-operator-install-strategy-' },
  };
  test('an object without a name goes by its generateName', () => {
    const patches = [patch({ resourceType: 'Job', resourceName: 'virt-operator-install-strategy' })];
    assert.deepEqual(customizeObject(job, { patches }).metadata.labels, { a: '1' });
  });
  test('throws what the failure says', () => {
    const patches = [patch({ resourceType: 'Job', resourceName: '*', patch: 'x' })];
    assert.throws(
      () => customizeObject(job, { patches }),
      /patches\[0\] cannot be applied to Job virt-operator-install-strategy/,
    );
  });
});
