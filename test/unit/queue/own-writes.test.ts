import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DELETE_AWAITED_MS, OwnWrites } from '../../../src/queue/own-writes.ts';

test('a delete is awaited for five minutes', () => {
  const own = new OwnWrites();
  own.recordDelete('Secret', 'u-1', 0);
  own.recordDelete('Secret', 'u-2', 1000);
  assert.equal(own.deletes(DELETE_AWAITED_MS).length, 2);
  assert.deepEqual(own.deletes(DELETE_AWAITED_MS + 1), [{ kind: 'Secret', uid: 'u-2' }]);
});

test('the last five thousand writes are remembered, the highest version for ever', () => {
  const own = new OwnWrites();
  for (let version = 5100; version >= 1; version -= 1) own.recordWrite('Secret', String(version));
  assert.equal(own.has('Secret/5100'), false);
  assert.equal(own.has('Secret/5000'), true);
  assert.equal(own.has('Secret/1'), true);
  assert.deepEqual(own.versions(), { Secret: '5100' });
});
