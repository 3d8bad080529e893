import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { PassContext, Step } from '../../../src/plan/types.ts';
import { withFailures } from '../../../src/worker/customize-failures.ts';

const STEPS: readonly Step[] = [{ name: 'workloads', plan: () => ({ actions: [], stop: 'something' }) }];
const context = {} as PassContext;

test('without failures the steps stay the very same', () => {
  assert.equal(withFailures(STEPS, []), STEPS);
});

test('B34: every failure is told once, before the steps, and ends none of them', () => {
  const failure = {
    object: { kind: 'Deployment', namespace: 'kubevirt', name: 'virt-api' },
    patch: 'spec.customizeComponents.patches[0]',
    message: 'patches[0] cannot be applied',
  };
  const [first, ...others] = withFailures(STEPS, [failure, failure, { ...failure, message: 'patches[1]' }]);
  assert.deepEqual(first?.plan(context), { actions: [], problems: ['patches[0] cannot be applied', 'patches[1]'] });
  assert.deepEqual(others, STEPS);
});
