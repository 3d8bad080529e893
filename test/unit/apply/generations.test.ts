import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KindName } from '../../../src/api/kinds.ts';
import type { GenerationStatus } from '../../../src/api/kubevirt.ts';
import { recordGeneration } from '../../../src/apply/generations.ts';

const entry = (name: string, lastGeneration: number, namespace?: string): GenerationStatus => ({
  group: 'apps',
  resource: 'deployments',
  ...(namespace === undefined ? {} : { namespace }),
  name,
  lastGeneration,
});

const record = (list: GenerationStatus[], kind: KindName, metadata: object) =>
  recordGeneration(list, kind, { apiVersion: '', kind, metadata });

test('a new object is appended, with the group that upstream writes for its kind', () => {
  const groups: Partial<Record<KindName, string>> = {
    CustomResourceDefinition: 'apiextensions.k8s.io/v1',
    MutatingWebhookConfiguration: 'admissionregistration.k8s.io',
    ValidatingWebhookConfiguration: 'admissionregistration.k8s.io',
    PodDisruptionBudget: 'apps',
    Deployment: 'apps',
    DaemonSet: 'apps',
  };
  for (const [kind, group] of Object.entries(groups)) {
    const [got] = record([], kind as KindName, { name: 'x', generation: 3 });
    assert.equal(got?.group, group, kind);
    assert.equal(got.lastGeneration, 3);
    assert.equal('namespace' in got, false);
  }
});

test('a known object is changed in place and the order kept', () => {
  const list = [entry('a', 1, 'kubevirt'), entry('b', 1, 'kubevirt')];
  assert.deepEqual(record(list, 'Deployment', { name: 'a', namespace: 'kubevirt', generation: 4 }), [
    entry('a', 4, 'kubevirt'),
    entry('b', 1, 'kubevirt'),
  ]);
  assert.equal(list[0]?.lastGeneration, 1, 'the list itself is not changed');
});

test('the namespace is part of the identity', () => {
  const list = [entry('a', 1, 'other')];
  assert.equal(record(list, 'Deployment', { name: 'a', namespace: 'kubevirt', generation: 1 }).length, 2);
});

test('other kinds, temporary webhooks and objects without a generation leave the very same list', () => {
  const list = [entry('a', 1)];
  assert.equal(record(list, 'Secret', { name: 'a', generation: 2 }), list);
  assert.equal(record(list, 'Deployment', { name: 'a' }), list);
  const temporary = { name: 'virt-operator-tmp-webhook1234', generation: 1 };
  assert.equal(record(list, 'ValidatingWebhookConfiguration', temporary), list);
});

test('a hash is stored beside the generation and replaced with it', () => {
  const list = recordGeneration(
    [],
    'Deployment',
    { apiVersion: '', kind: '', metadata: { name: 'a', generation: 1 } },
    'x',
  );
  assert.deepEqual(list, [{ ...entry('a', 1), hash: 'x' }]);
  assert.deepEqual(record([...list], 'Deployment', { name: 'a', generation: 2 }), [entry('a', 2)]);
});
