import assert from 'node:assert/strict';
import { test } from 'node:test';

import { withFinalizer, withoutFinalizer } from '../../../src/worker/finalizer.ts';

const OURS = 'kubevirt.io/foregroundDeleteKubeVirt';
const OLD = 'foregroundDeleteKubeVirt';

const ROWS: { name: string; given: string[]; set: string[]; unset: string[] }[] = [
  { name: 'none', given: [], set: [OURS], unset: [] },
  { name: 'ours already', given: [OURS], set: [OURS], unset: [] },
  { name: 'the old name is replaced', given: [OLD], set: [OURS], unset: [] },
  { name: 'foreign ones stay, ours goes last', given: [OURS, 'a/b'], set: ['a/b', OURS], unset: ['a/b'] },
  { name: 'all of them', given: ['a/b', OLD, 'c/d', OURS], set: ['a/b', 'c/d', OURS], unset: ['a/b', 'c/d'] },
];

for (const { name, given, set, unset } of ROWS) {
  test(name, () => {
    assert.deepEqual(withFinalizer(given), set);
    assert.deepEqual(withoutFinalizer(given), unset);
  });
}
