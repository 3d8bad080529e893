import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';

import { isWorthRepeating, MAX_PARALLEL, runBatch } from '../../../src/apply/batch.ts';
import { ApiError, UnansweredCall } from '../../../src/errors.ts';
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
    if (nameOf(action) === 3) throw new ApiError('no', { status: 403, reason: 'Forbidden' });
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

const conflict = new ApiError('conflict', { status: 409, reason: 'Conflict' });
const internal = new ApiError('by chance', { status: 500, reason: 'InternalError' });
const forbidden = new ApiError('no', { status: 403, reason: 'Forbidden' });
const silence = new UnansweredCall('no answer');

test('errors of the server itself, and some calls without an answer, stop nothing', async () => {
  const failed = await runBatch(actions(100), (action) => {
    if (nameOf(action) % 10 === 0) return Promise.reject(internal);
    return nameOf(action) % 10 === 5 ? Promise.reject(silence) : Promise.resolve();
  });
  assert.equal(failed.length, 20);
});

for (const { name, error, again } of [
  { name: 'answers nothing', error: silence, again: false },
  { name: 'answers everything with an error of its own', error: internal, again: true },
]) {
  test(`a server that ${name} is not asked for the rest`, async () => {
    let begun = 0;
    const failed = await runBatch(actions(100), () => {
      begun++;
      return Promise.reject(error);
    });
    assert.ok(begun <= MAX_PARALLEL + 8, `${begun} begun`);
    assert.equal(isWorthRepeating(failed, 0), again);
  });
}

const rows: { name: string; errors: Error[]; attempts: number }[] = [
  { name: 'stale', errors: [conflict], attempts: 3 },
  { name: 'an error of the server', errors: [internal, conflict], attempts: 3 },
  { name: 'no answer to some', errors: [silence, internal], attempts: 2 },
  { name: 'no answer to any of many', errors: Array.from({ length: 8 }, () => silence), attempts: 0 },
  { name: 'one that was refused', errors: [conflict, forbidden], attempts: 0 },
  { name: 'an error of ours', errors: [new Error('no key')], attempts: 0 },
];
for (const { name, errors, attempts } of rows) {
  test(`repeated ${attempts} times: ${name}`, () => {
    const failed = errors.map((error, index) => ({ action: actions(errors.length)[index] as Action, error }));
    const worth = [0, 1, 2, 3, 4].filter((attempt) => isWorthRepeating(failed, attempt));
    assert.equal(worth.length, attempts);
  });
}
