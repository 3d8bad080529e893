import assert from 'node:assert/strict';
import { test } from 'node:test';

import { generationIdentity, isSameGenerationIdentity } from '../../../src/api/generations.ts';

test('recorded kinds are named with the group that upstream writes, the others not at all', () => {
  const groups = {
    CustomResourceDefinition: 'apiextensions.k8s.io/v1',
    MutatingWebhookConfiguration: 'admissionregistration.k8s.io',
    ValidatingWebhookConfiguration: 'admissionregistration.k8s.io',
    PodDisruptionBudget: 'apps',
    Deployment: 'apps',
    DaemonSet: 'apps',
    Secret: undefined,
  } as const;
  for (const [kind, group] of Object.entries(groups)) {
    assert.equal(generationIdentity(kind as keyof typeof groups, { name: 'x' })?.group, group, kind);
  }
});

test('an absent namespace and an empty one are the same, another is not', () => {
  const identity = generationIdentity('Deployment', { name: 'a' });
  assert.ok(identity !== undefined);
  assert.ok(isSameGenerationIdentity(identity, { ...identity, namespace: '' }));
  assert.ok(!isSameGenerationIdentity(identity, { ...identity, namespace: 'kubevirt' }));
});
