import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ComponentConfig } from '../../../src/api/kubevirt.ts';
import type { JsonObject } from '../../../src/api/objects.ts';
import { injectPlacement } from '../../../src/customize/placement.ts';

const term = (key: string): JsonObject => ({ matchExpressions: [{ key, operator: 'Exists' }] });
const required = (...terms: JsonObject[]): JsonObject => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
});

/** A placement with lists that are easier to tell apart than real ones. */
const placed = (nodePlacement: JsonObject): ComponentConfig => ({ nodePlacement });

describe('injectPlacement', () => {
  test('infra goes to control-plane nodes by default', () => {
    const pod = injectPlacement({ tolerations: [{ key: 'own' }] }, undefined, 'infra');
    assert.deepEqual(pod, {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [term('node-role.kubernetes.io/control-plane'), term('node-role.kubernetes.io/master')],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              preference: { matchExpressions: [{ key: 'node-role.kubernetes.io/worker', operator: 'DoesNotExist' }] },
            },
          ],
        },
      },
      tolerations: [
        { key: 'own' },
        { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'node-role.kubernetes.io/master', operator: 'Exists', effect: 'NoSchedule' },
      ],
    });
  });

  test('workloads go anywhere by default', () => {
    assert.deepEqual(injectPlacement({}, { replicas: 3 }, 'workloads'), {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
    });
  });

  test('a placement of the user replaces the default whole', () => {
    const pod = injectPlacement(
      {},
      { nodePlacement: { nodeSelector: { 'kubernetes.io/os': 'windows', a: '1' } } },
      'infra',
    );
    assert.deepEqual(pod, { nodeSelector: { 'kubernetes.io/os': 'windows', a: '1' } });
  });

  test('selectors of the pod win', () => {
    const own = { nodeSelector: { a: 'pod' } };
    const pod = injectPlacement(own, { nodePlacement: { nodeSelector: { a: 'user', b: 'user' } } }, 'workloads');
    assert.deepEqual(pod['nodeSelector'], { 'kubernetes.io/os': 'linux', a: 'pod', b: 'user' });
  });

  test('affinities are joined term by term, the own ones first', () => {
    const own = { affinity: { ...required(term('own')), podAntiAffinity: { preferred: [1] } } };
    const user = {
      ...required(term('user')),
      podAntiAffinity: { preferred: [2], required: [3] },
      podAffinity: { x: [4] },
    };
    const pod = injectPlacement(own, placed({ affinity: user }), 'workloads');
    assert.deepEqual(pod['affinity'], {
      ...required(term('own'), term('user')),
      podAntiAffinity: { preferred: [1, 2], required: [3] },
      podAffinity: { x: [4] },
    });
  });

  test('changes neither the pod nor the placement', () => {
    const own = Object.freeze({
      affinity: Object.freeze({ nodeAffinity: Object.freeze({ list: Object.freeze(['a']) as string[] }) }),
    });
    const placement = placed({ affinity: { nodeAffinity: { list: ['b'] } }, tolerations: [{ key: 'x' }] });
    const before = structuredClone(placement);
    const pod = injectPlacement(own, placement, 'infra');
    assert.deepEqual(pod['affinity'], { nodeAffinity: { list: ['a', 'b'] } });
    assert.deepEqual(placement, before);
    assert.deepEqual(own.affinity.nodeAffinity.list, ['a']);
  });
});
