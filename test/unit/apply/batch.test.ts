import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';

import { MAX_PARALLEL, runBatch } from '../../../src/apply/batch.ts';
import { ApiError } from '../../../src/errors.ts';
import type { Action } from '../../../src/plan/types.ts';

const actions = (count: number): Action[] =>
  Array.from({ length: count }, (_, i) => ({ verb: 'delete', kind: 'Secret', name: String(i) }));
const nameOf = (action: Action) => (action.verb === 'delete' ? Number(action.name) : -1);

test('runs every action once, never more than the limit at a time', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await runBatch(actions(50), async (action) => {
    most = Math.max(most, ++running);
    await setImmediate();
    running--;
    done.push(nameOf(action));
  });
  assert.equal(most, MAX_PARALLEL);
  assert.deepEqual(
    done.sort((a, b) => a - b),
    actions(50).map(nameOf),
  );
});

test('a real failure starts nothing more but awaits what runs', async () => {
  const begun: number[] = [];
  const done: number[] = [];
  const failed = await runBatch(actions(50), async (action) => {
    begun.push(nameOf(action));
    await setImmediate();
    if (nameOf(action) === 3) throw new ApiError('no', { status: 500, reason: 'InternalError' });
    await setImmediate();
    done.push(nameOf(action));
  });
  assert.deepEqual(
    failed.map(({ action }) => nameOf(action)),
    [3],
  );
  assert.ok(begun.length < 50, `${begun.length} begun`);
  assert.equal(done.length, begun.length - 1);
});

test('stale answers are collected and stop nothing', async () => {
  const failed = await runBatch(actions(40), (action) =>
    nameOf(action) % 10 === 0
      ? Promise.reject(new ApiError('conflict', { status: 409, reason: 'Conflict' }))
      : Promise.resolve(),
  );
  assert.deepEqual(
    failed.map(({ action }) => nameOf(action)).sort((a, b) => a - b),
    [0, 10, 20, 30],
  );
});

test('nothing to do is done', async () => {
  assert.deepEqual(await runBatch([], () => Promise.reject(new Error('called'))), []);
});
