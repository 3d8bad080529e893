import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { planNudges } from '../../../src/plan/stuck-definitions.ts';

const NAME = 'virtualmachines.kubevirt.io';
const NOW = new Date('2026-08-01T10:00:20Z');
const condition = (type: string, status: string, lastTransitionTime: string) => ({ type, status, lastTransitionTime });
const EARLY = '2026-08-01T10:00:00Z';
const LATE = '2026-08-01T10:00:15Z';

function definition(
  conditions: ReturnType<typeof condition>[],
  more: Partial<KubernetesObject['metadata']> = {},
): KubernetesObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: NAME, resourceVersion: '7', annotations: { 'a/b': 'c' }, ...more },
    status: { conditions },
  };
}
const nudged = { annotations: { 'a/b': 'c', 'kubevirt.io/nudged-to-establish': '' } };
const accepted = (time: string) => [condition('NamesAccepted', 'True', time), condition('Established', 'False', time)];
const established = [condition('NamesAccepted', 'True', EARLY), condition('Established', 'True', EARLY)];

const ROWS: { name: string; live: KubernetesObject | undefined; want: string | undefined }[] = [
  { name: 'not there', live: undefined, want: undefined },
  { name: 'just created', live: definition([]), want: undefined },
  { name: 'names accepted a moment ago', live: definition(accepted(LATE)), want: undefined },
  { name: 'names accepted long ago', live: definition(accepted(EARLY)), want: 'add' },
  { name: 'nudged already', live: definition(accepted(EARLY), nudged), want: undefined },
  { name: 'nudged and established', live: definition(established, nudged), want: 'remove' },
  { name: 'established', live: definition(established), want: undefined },
  { name: 'names refused', live: definition([condition('NamesAccepted', 'False', EARLY)]), want: undefined },
  { name: 'going', live: definition(accepted(EARLY), { deletionTimestamp: EARLY }), want: undefined },
];

for (const { name, live, want } of ROWS) {
  test(name, () => {
    const actions = planNudges([NAME], { world: { get: () => live, list: () => [] }, now: NOW });
    assert.equal(actions.length, want === undefined ? 0 : 1);
    for (const action of actions) {
      assert.ok(action.verb === 'patch' && action.unrecorded === true);
      assert.deepEqual(
        action.operations.map(({ op, path }) => `${op} ${path}`),
        ['test /metadata/resourceVersion', `${String(want)} /metadata/annotations/kubevirt.io~1nudged-to-establish`],
      );
    }
  });
}
