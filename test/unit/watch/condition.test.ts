import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortable, Condition } from '../../../src/watch/condition.ts';

const never = new AbortController().signal;

test('condition: resolves when it is true, at the latest check', async () => {
  const condition = new Condition();
  let value = 0;
  const waiting = condition.until(() => value === 2, never);
  value = 1;
  condition.notify();
  value = 2;
  condition.notify();
  assert.equal(await waiting, true);
  assert.equal(await condition.until(() => true, never, 0), true);
});

test('condition: gives up after the time-out', async () => {
  assert.equal(await new Condition().until(() => false, never, 5), false);
});

test('condition: rejects with the reason of the signal', async () => {
  const condition = new Condition();
  const abort = new AbortController();
  const waiting = assert.rejects(
    condition.until(() => false, abort.signal, 60_000),
    /enough/,
  );
  abort.abort(new Error('enough'));
  await waiting;
  await assert.rejects(
    condition.until(() => true, abort.signal),
    /enough/,
  );
});

test('condition: listeners are told until they leave', () => {
  const condition = new Condition();
  let calls = 0;
  const leave = condition.listen(() => {
    calls += 1;
  });
  condition.notify();
  leave();
  condition.notify();
  assert.equal(calls, 1);
});

test('abortable: the first of promise and signal decides', async () => {
  assert.equal(await abortable(Promise.resolve(7), never), 7);
  await assert.rejects(abortable(Promise.reject(new Error('failed')), never), /failed/);
  const abort = new AbortController();
  const waiting = assert.rejects(abortable(new Promise(() => undefined), abort.signal), /enough/);
  abort.abort(new Error('enough'));
  await waiting;
});
