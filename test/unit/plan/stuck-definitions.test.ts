import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { planNudges } from '../../../src/plan/stuck-definitions.ts';

const NAME = 'virtualmachines.kubevirt.io';
const NOW = new Date('2026-08-01T10:00:20Z');
const condition = (type: string, status: string, lastTransitionTime: string, reason = 'Reason') => ({
  type,
  status,
  reason,
  lastTransitionTime,
});
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

const FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** A CRD that is being deleted, and why its instances are still there. */
function dying(reason: string, more: Partial<KubernetesObject['metadata']> = {}): KubernetesObject {
  const status = reason === 'InstanceDeletionCompleted' ? 'False' : 'True';
  const metadata = { deletionTimestamp: EARLY, finalizers: [FINALIZER], ...more };
  return definition([...established, condition('Terminating', status, EARLY, reason)], metadata);
}
const cleanUpNudged = (time: string) => ({ annotations: { 'kubevirt.io/nudged-to-clean-up': time } });

const ESTABLISH_ROWS: { name: string; live: KubernetesObject | undefined; want: string | undefined }[] = [
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

for (const { name, live, want } of ESTABLISH_ROWS) {
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

const CLEAN_UP_ROWS: { name: string; live: KubernetesObject; isNudged: boolean }[] = [
  { name: 'instances could not be read', live: dying('InstanceDeletionFailed'), isNudged: true },
  { name: 'instances have stayed', live: dying('InstanceDeletionCheck'), isNudged: true },
  { name: 'instances are going', live: dying('InstanceDeletionInProgress'), isNudged: false },
  { name: 'instances are gone', live: dying('InstanceDeletionCompleted'), isNudged: false },
  { name: 'only others hold it', live: dying('InstanceDeletionFailed', { finalizers: ['other'] }), isNudged: false },
  {
    name: 'nudged a moment ago',
    live: dying('InstanceDeletionFailed', cleanUpNudged('2026-08-01T10:00:19.000Z')),
    isNudged: false,
  },
  {
    name: 'nudged half a minute ago',
    live: dying('InstanceDeletionFailed', cleanUpNudged('2026-08-01T09:59:50.000Z')),
    isNudged: true,
  },
  {
    name: 'with a time that nobody understands',
    live: dying('InstanceDeletionFailed', cleanUpNudged('yesterday')),
    isNudged: true,
  },
];

for (const { name, live, isNudged } of CLEAN_UP_ROWS) {
  test(`being deleted, ${name}`, () => {
    const actions = planNudges([NAME], { world: { get: () => live, list: () => [] }, now: NOW });
    const operations = actions.flatMap((action) => (action.verb === 'patch' ? action.operations : []));
    const nudge = {
      op: 'add',
      path: '/metadata/annotations/kubevirt.io~1nudged-to-clean-up',
      value: '2026-08-01T10:00:20.000Z',
    };
    const guard = { op: 'test', path: '/metadata/resourceVersion', value: '7' };
    assert.deepEqual(operations, isNudged ? [guard, nudge] : []);
  });
}

test('being deleted, without any annotation', () => {
  const live = dying('InstanceDeletionFailed');
  delete live.metadata.annotations;
  const [action] = planNudges([NAME], { world: { get: () => live, list: () => [] }, now: NOW });
  assert.ok(action?.verb === 'patch');
  assert.deepEqual(action.operations.at(-1), {
    op: 'add',
    path: '/metadata/annotations',
    value: { 'kubevirt.io/nudged-to-clean-up': '2026-08-01T10:00:20.000Z' },
  });
});
