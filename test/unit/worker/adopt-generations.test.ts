import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { GenerationStatus } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { RunReport } from '../../../src/apply/execute.ts';
import { adoptGenerations } from '../../../src/worker/adopt-generations.ts';

const object = (kind: string, name: string, generation: number, more: object = {}): KubernetesObject => ({
  apiVersion: '',
  kind,
  metadata: { name, generation, ...more },
});
const entry = (resource: string, name: string, lastGeneration: number, hash?: string): GenerationStatus => ({
  group: 'apps',
  resource,
  name,
  lastGeneration,
  ...(hash === undefined ? {} : { hash }),
});

function adopt(live: KubernetesObject[], generations: GenerationStatus[], completed = true) {
  const list = (kind: string) => live.filter((each) => each.kind === kind);
  const report = { completed, generations, context: { world: { list } } } as unknown as RunReport;
  return adoptGenerations(report);
}

const known = [entry('deployments', 'virt-api', 3, 'abc')];

test('what is recorded stays as it is', () => {
  assert.equal(adopt([object('Deployment', 'virt-api', 3)], known), known);
});

test('what was written without an answer is recorded', () => {
  const live = [object('Deployment', 'virt-api', 4), object('PodDisruptionBudget', 'virt-api-pdb', 1)];
  assert.deepEqual(adopt(live, known), [
    entry('deployments', 'virt-api', 4),
    entry('poddisruptionbudgets', 'virt-api-pdb', 1),
  ]);
});

test('an unfinished run says nothing about what it did not write', () => {
  assert.equal(adopt([object('Deployment', 'virt-api', 4)], known, false), known);
});

test('of definitions, whose content nobody compares, only one that is as it was created is recorded', () => {
  const definitions = { ...entry('customresourcedefinitions', 'created', 1), group: 'apiextensions.k8s.io/v1' };
  const live = [object('CustomResourceDefinition', 'created', 1), object('CustomResourceDefinition', 'edited', 2)];
  assert.deepEqual(adopt(live, known), [...known, definitions]);
});

test('what is being deleted and kinds without a record are left out', () => {
  const live = [
    object('Deployment', 'virt-api', 4, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    object('Secret', 'x', 1),
    object('ValidatingWebhookConfiguration', 'virt-operator-tmp-webhook1', 1),
  ];
  assert.equal(adopt(live, known), known);
});
