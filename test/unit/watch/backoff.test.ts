import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '../../../src/watch/backoff.ts';

const limits = { first: 100, longest: 1000 };

test('backoff: doubles up to the longest wait, and begins again after a success', () => {
  const backoff = new Backoff(limits, () => 1);
  assert.deepEqual(
    Array.from({ length: 6 }, () => backoff.next()),
    [100, 200, 400, 800, 1000, 1000],
  );
  assert.equal(backoff.failures, 6);
  backoff.reset();
  assert.equal(backoff.next(), 100);
});

test('backoff: chance takes away up to a half', () => {
  assert.equal(new Backoff(limits, () => 0).next(), 50);
  assert.equal(new Backoff(limits, () => 0.5).next(), 75);
});

test('backoff: a thousand failures still give a finite wait', () => {
  const backoff = new Backoff(limits, () => 1);
  for (let failures = 0; failures < 2000; failures += 1) backoff.next();
  assert.equal(backoff.next(), 1000);
});
