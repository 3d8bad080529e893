import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLabelValue } from '../../../src/api/label-value.ts';

test('isLabelValue', () => {
  const valid = ['', 'a', 'A.b_c-9', 'a'.repeat(63)];
  const invalid = ['-a', 'a.', 'a b', 'ä', 'a'.repeat(64), 'a\n'];
  assert.deepEqual(
    valid.filter((text) => !isLabelValue(text)),
    [],
  );
  assert.deepEqual(invalid.filter(isLabelValue), []);
});
