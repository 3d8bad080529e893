import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnWrites } from '../../../src/watch/own-writes.ts';

test('own writes: versions are known per kind, the latest ones only', () => {
  const writes = createOwnWrites(2);
  writes.record('Secret', '1');
  writes.record('Secret', '2');
  assert.equal(writes.has('Secret', '1'), true);
  assert.equal(writes.has('ConfigMap', '1'), false);
  writes.record('ConfigMap', '3');
  assert.equal(writes.has('Secret', '1'), false, 'forgotten');
  assert.equal(writes.has('Secret', '2'), true);
  assert.equal(writes.has('ConfigMap', '3'), true);
});
