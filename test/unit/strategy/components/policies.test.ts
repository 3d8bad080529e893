import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { buildPodDisruptionBudget } from '../../../../src/strategy/components/policies.ts';

const deployment = (replicas: number | undefined): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'virt-api', namespace: 'kubevirt' },
  spec: { ...(replicas === undefined ? {} : { replicas }), selector: { matchLabels: { 'kubevirt.io': 'virt-api' } } },
});

describe('buildPodDisruptionBudget', () => {
  test('keeps all replicas but one', () => {
    assert.deepEqual(buildPodDisruptionBudget(deployment(3)), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'virt-api-pdb', namespace: 'kubevirt', labels: { 'kubevirt.io': 'virt-api-pdb' } },
      spec: { minAvailable: 2, selector: { matchLabels: { 'kubevirt.io': 'virt-api' } } },
    });
  });
  const rows: [number | undefined, number | undefined][] = [
    [undefined, 1],
    [2, 1],
    [1, undefined],
    [0, undefined],
  ];
  for (const [replicas, want] of rows) {
    test(`${String(replicas)} replicas`, () => {
      assert.equal(buildPodDisruptionBudget(deployment(replicas))?.spec?.['minAvailable'], want);
    });
  }
});
