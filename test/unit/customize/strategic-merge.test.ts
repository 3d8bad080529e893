import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Json, JsonObject } from '../../../src/api/objects.ts';
import { PATCH_TYPES } from '../../../src/customize/patch-types.table.ts';
import { applyStrategicMerge } from '../../../src/customize/strategic-merge.ts';

/** Puts a pod spec into a Deployment, and takes it out again. */
const deployment = (pod: JsonObject): JsonObject => ({ spec: { template: { spec: pod } } });
const merge = (kind: string, document: JsonObject, patch: unknown): JsonObject =>
  applyStrategicMerge(document, patch, PATCH_TYPES[kind] ?? {});

const names = (...list: string[]): JsonObject[] => list.map((name) => ({ name }));

interface Row {
  name: string;
  pod: JsonObject;
  patch: JsonObject;
  want: JsonObject;
}

const containerRows: Row[] = [
  {
    name: 'a container is merged by name',
    pod: { containers: [{ name: 'a', image: 'x', args: ['1'] }, { name: 'b' }] },
    patch: { containers: [{ name: 'b', image: 'y' }] },
    want: {
      containers: [
        { name: 'a', image: 'x', args: ['1'] },
        { name: 'b', image: 'y' },
      ],
    },
  },
  {
    name: 'args are replaced whole',
    pod: { containers: [{ name: 'a', args: ['1', '2'] }] },
    patch: { containers: [{ name: 'a', args: ['3'] }] },
    want: { containers: [{ name: 'a', args: ['3'] }] },
  },
  {
    name: 'a new container comes before the others, as the API server puts it',
    pod: { containers: names('a', 'b') },
    patch: { containers: names('c') },
    want: { containers: names('c', 'a', 'b') },
  },
  {
    name: 'a merged container keeps its place, a new one stands where the patch puts it',
    pod: { containers: names('a', 'b', 'c') },
    patch: { containers: names('b', 'new') },
    want: { containers: names('a', 'b', 'new', 'c') },
  },
  {
    name: 'an element goes with $patch: delete',
    pod: { containers: names('a', 'b') },
    patch: { containers: [{ name: 'a', $patch: 'delete' }] },
    want: { containers: names('b') },
  },
  {
    name: 'deleting what is not there does nothing',
    pod: { containers: names('a') },
    patch: { containers: [{ name: 'x', $patch: 'delete' }] },
    want: { containers: names('a') },
  },
  {
    name: 'a list is replaced with $patch: replace',
    pod: { containers: names('a', 'b') },
    patch: { containers: [{ $patch: 'replace' }, { name: 'c' }] },
    want: { containers: names('c') },
  },
  {
    name: '$setElementOrder sorts',
    pod: { containers: names('a', 'b', 'c') },
    patch: { '$setElementOrder/containers': names('c', 'a'), containers: [{ name: 'a', image: 'x' }] },
    want: { containers: [{ name: 'b' }, { name: 'c' }, { name: 'a', image: 'x' }] },
  },
  {
    name: '$setElementOrder alone sorts too',
    pod: { containers: names('a', 'b') },
    patch: { '$setElementOrder/containers': names('b', 'a') },
    want: { containers: names('b', 'a') },
  },
  {
    name: 'init containers are containers',
    pod: { initContainers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] },
    patch: { initContainers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] },
    want: { initContainers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] },
  },
];

const keyRows: Row[] = [
  {
    name: 'ports by containerPort: the first of two is met',
    pod: {
      containers: [
        {
          name: 'a',
          ports: [
            { containerPort: 1, name: 'x' },
            { containerPort: 1, name: 'y' },
          ],
        },
      ],
    },
    patch: { containers: [{ name: 'a', ports: [{ containerPort: 1, name: 'z' }] }] },
    want: {
      containers: [
        {
          name: 'a',
          ports: [
            { containerPort: 1, name: 'z' },
            { containerPort: 1, name: 'y' },
          ],
        },
      ],
    },
  },
  {
    name: 'ports that the patch does not mention stand side by side when they share a number',
    pod: {
      containers: [
        { name: 'a', ports: [{ containerPort: 1, name: 'x' }, { containerPort: 2 }, { containerPort: 1, name: 'y' }] },
      ],
    },
    patch: { containers: [{ name: 'a', ports: [] }] },
    want: {
      containers: [
        { name: 'a', ports: [{ containerPort: 1, name: 'x' }, { containerPort: 1, name: 'y' }, { containerPort: 2 }] },
      ],
    },
  },
  {
    name: 'env by name, and a value gives way to a reference',
    pod: { containers: [{ name: 'a', env: [{ name: 'E', value: '1' }] }] },
    patch: { containers: [{ name: 'a', env: [{ name: 'E', value: null, valueFrom: { fieldRef: {} } }] }] },
    want: { containers: [{ name: 'a', env: [{ name: 'E', valueFrom: { fieldRef: {} } }] }] },
  },
  {
    name: 'mounts by mountPath',
    pod: { containers: [{ name: 'a', volumeMounts: [{ mountPath: '/a', name: 'v' }] }] },
    patch: { containers: [{ name: 'a', volumeMounts: [{ mountPath: '/a', readOnly: true }] }] },
    want: { containers: [{ name: 'a', volumeMounts: [{ mountPath: '/a', name: 'v', readOnly: true }] }] },
  },
  {
    name: 'a volume with $retainKeys changes its source',
    pod: { volumes: [{ name: 'v', emptyDir: {} }] },
    patch: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] },
    want: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
  },
  {
    name: 'host aliases by ip',
    pod: { hostAliases: [{ ip: '1', hostnames: ['a'] }] },
    patch: { hostAliases: [{ ip: '1', hostnames: ['b'] }] },
    want: { hostAliases: [{ ip: '1', hostnames: ['b'] }] },
  },
  {
    name: 'spread constraints by topologyKey',
    pod: { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 1 }] },
    patch: { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 2 }] },
    want: { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 2 }] },
  },
  {
    name: 'pull secrets by name',
    pod: { imagePullSecrets: names('a') },
    patch: { imagePullSecrets: names('b') },
    want: { imagePullSecrets: names('b', 'a') },
  },
  {
    name: 'tolerations are replaced whole',
    pod: { tolerations: [{ key: 'a' }] },
    patch: { tolerations: [{ key: 'b' }] },
    want: { tolerations: [{ key: 'b' }] },
  },
];

const mapRows: Row[] = [
  { name: 'null removes', pod: { a: 1, b: 2 }, patch: { a: null, missing: null }, want: { b: 2 } },
  { name: 'objects are merged', pod: { m: { a: 1 } }, patch: { m: { b: 2 } }, want: { m: { a: 1, b: 2 } } },
  {
    name: 'an object goes empty with $patch: delete',
    pod: { m: { a: 1 } },
    patch: { m: { $patch: 'delete' } },
    want: { m: {} },
  },
  {
    name: 'an object is replaced with $patch: replace',
    pod: { m: { a: 1 } },
    patch: { m: { $patch: 'replace', b: 2 } },
    want: { m: { b: 2 } },
  },
  { name: 'another type replaces', pod: { m: { a: 1 } }, patch: { m: [1] }, want: { m: [1] } },
  {
    name: 'nothing to act on: directives and nulls vanish',
    pod: {},
    patch: { m: { $patch: 'replace', a: { b: null, c: 1 } } },
    want: { m: { a: { c: 1 } } },
  },
];

describe('applyStrategicMerge', () => {
  for (const { name, pod, patch, want } of [...containerRows, ...keyRows, ...mapRows]) {
    test(name, () => {
      assert.deepEqual(merge('Deployment', deployment(pod), deployment(patch)), deployment(want));
    });
  }

  test('Service ports go by port', () => {
    const service = { spec: { ports: [{ port: 443, targetPort: 1 }] } };
    const got = merge('Service', service, { spec: { ports: [{ port: 443, targetPort: 2 }] } });
    assert.deepEqual(got, { spec: { ports: [{ port: 443, targetPort: 2 }] } });
  });

  test('webhooks go by name, their rules are replaced', () => {
    const configuration = { webhooks: [{ name: 'a', rules: [1], matchConditions: [{ name: 'm', expression: 'x' }] }] };
    const patch = { webhooks: [{ name: 'a', rules: [2], matchConditions: [{ name: 'm', expression: 'y' }] }] };
    assert.deepEqual(merge('ValidatingWebhookConfiguration', configuration, patch), patch);
  });

  const finalizers = (list: Json[]): JsonObject => ({ metadata: { finalizers: list } });
  test('finalizers are a set: new ones first, mentioned ones in the order of the patch', () => {
    assert.deepEqual(merge('Secret', finalizers(['a', 'b']), finalizers(['c', 'a'])), finalizers(['c', 'a', 'b']));
  });
  test('$deleteFromPrimitiveList takes values out of a set', () => {
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] } };
    assert.deepEqual(merge('Secret', finalizers(['a', 'b']), patch), finalizers(['b']));
    assert.deepEqual(merge('Secret', { metadata: {} }, patch), { metadata: {} });
  });
  test('owners go by uid', () => {
    const owners = (list: JsonObject[]): JsonObject => ({ metadata: { ownerReferences: list } });
    const got = merge('APIService', owners([{ uid: '1', name: 'a' }]), owners([{ uid: '1', name: 'b' }]));
    assert.deepEqual(got, owners([{ uid: '1', name: 'b' }]));
  });

  const failing: { name: string; patch: unknown; want: RegExp }[] = [
    { name: 'a patch that is no object', patch: [], want: /is an object/ },
    {
      name: 'an element without its key',
      patch: deployment({ containers: [{ image: 'x' }] }),
      want: /\/spec\/template\/spec\/containers: an element has no "name"/,
    },
    {
      name: 'an element that is no object',
      patch: deployment({ containers: ['x'] }),
      want: /containers: "x" is not an object/,
    },
    {
      name: '$patch: merge of an object',
      patch: deployment({ $patch: 'merge' }),
      want: /\/spec\/template\/spec\/\$patch is "merge"/,
    },
    {
      name: '$patch: merge of an element',
      patch: deployment({ containers: [{ name: 'a', $patch: 'merge' }] }),
      want: /containers: \$patch is "merge"/,
    },
    {
      name: '$retainKeys without a key that is set',
      patch: deployment({ $retainKeys: ['a'], b: 1 }),
      want: /does not contain "b"/,
    },
    { name: '$retainKeys that is no list', patch: deployment({ $retainKeys: 'a' }), want: /is not a list/ },
    {
      name: '$setElementOrder of a list that is replaced',
      patch: deployment({ '$setElementOrder/tolerations': [] }),
      want: /tolerations is replaced whole/,
    },
    {
      name: '$deleteFromPrimitiveList of a list that is replaced',
      patch: deployment({ '$deleteFromPrimitiveList/tolerations': [] }),
      want: /tolerations is not a list of plain values/,
    },
    {
      name: 'a directive that is no list',
      patch: deployment({ '$setElementOrder/containers': 1 }),
      want: /is not a list/,
    },
  ];
  for (const { name, patch, want } of failing) {
    test(`refuses ${name}`, () => {
      const document = deployment({ containers: names('a'), tolerations: [{ key: 'a' }] });
      assert.throws(() => merge('Deployment', document, patch), want);
    });
  }

  test('changes neither the document nor the patch', () => {
    const document = deployment({ containers: [{ name: 'a', env: [{ name: 'E' }] }] });
    const patch = deployment({
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'b', x: { y: null } },
      ],
    });
    const before = structuredClone([document, patch]);
    merge('Deployment', document, patch);
    assert.deepEqual([document, patch], before);
  });
});
