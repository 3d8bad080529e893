import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Action, PassContext, Step } from '../../../src/plan/types.ts';
import { leaveAlone } from '../../../src/worker/customize-failures.ts';

const remove = (name: string): Action => ({ verb: 'delete', kind: 'Deployment', name, namespace: 'kubevirt' });
const create = (name: string): Action => ({
  verb: 'create',
  kind: 'Deployment',
  object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'kubevirt' } },
});
const STEPS: readonly Step[] = [
  { name: 'workloads', plan: () => ({ actions: [create('virt-api'), create('virt-controller')], stop: 'something' }) },
  { name: 'clean-up', plan: () => ({ actions: [remove('virt-api'), remove('old')] }) },
];
const context = {} as PassContext;

test('without failures the steps stay the very same', () => {
  assert.equal(leaveAlone(STEPS, []), STEPS);
});

test('an object with an unusable patch is neither written nor removed; the others are, and the failure is told once', () => {
  const failure = {
    object: { kind: 'Deployment', namespace: 'kubevirt', name: 'virt-api' },
    patch: 'spec.customizeComponents.patches[0]',
    message: 'patches[0] cannot be applied',
  };
  const steps = leaveAlone(STEPS, [failure, { ...failure, patch: 'spec.customizeComponents.patches[1]' }]);
  const [first, ...others] = steps.map((step) => ({ name: step.name, ...step.plan(context) }));
  assert.deepEqual(first, { name: 'customizations', actions: [], problems: ['patches[0] cannot be applied'] });
  assert.deepEqual(others, [
    { name: 'workloads', actions: [create('virt-controller')], stop: 'something' },
    { name: 'clean-up', actions: [remove('old')] },
  ]);
});
