import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CustomizeComponents } from '../../../src/api/kubevirt.ts';
import { ApiError, errorText } from '../../../src/errors.ts';
import type { PassContext, Step } from '../../../src/plan/types.ts';
import { namePatches, withFailures } from '../../../src/worker/customize-failures.ts';

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

const patch = { resourceType: 'deployment', type: 'merge', patch: '{}' };
const CUSTOMIZED: CustomizeComponents = {
  patches: [
    { ...patch, resourceName: 'virt-controller' },
    { ...patch, resourceName: '*' },
  ],
  flags: { api: { v: '5' } },
};
const answers: readonly { name: string; object: string | undefined; status: number; want: string }[] = [
  {
    name: 'a refused object names its patches and flags',
    object: 'Deployment kubevirt/virt-api',
    status: 422,
    want: 'cannot patch it, changed by spec.customizeComponents.patches[1], spec.customizeComponents.flags.api: no',
  },
  {
    name: 'an object without patches names none',
    object: 'DaemonSet kubevirt/virt-handler',
    status: 422,
    want: 'cannot patch it: no',
  },
  {
    name: 'another answer is not about the patches',
    object: 'Deployment kubevirt/virt-api',
    status: 403,
    want: 'cannot patch it: no',
  },
  { name: 'a failure without an object', object: undefined, status: 422, want: 'cannot patch it: no' },
];
for (const { name, object, status, want } of answers) {
  test(`B34: ${name}`, () => {
    const error = new Error('cannot patch it', { cause: new ApiError('no', { status, reason: '' }) });
    const [failure] = namePatches([{ step: 's', object, error }], CUSTOMIZED);
    assert.equal(errorText(failure?.error), want);
  });
}
