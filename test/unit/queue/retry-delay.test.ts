import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFailure, retryDelay } from '../../../src/queue/retry-delay.ts';

const ROWS = [
  { name: 'the first failure', failures: 1, random: 0, want: 1000 },
  { name: 'the second doubles', failures: 2, random: 0, want: 2000 },
  { name: 'the tenth', failures: 10, random: 0, want: 512_000 },
  { name: 'the longest', failures: 11, random: 0, want: 1_000_000 },
  { name: 'no more than the longest', failures: 5000, random: 0, want: 1_000_000 },
  { name: 'chance makes it a fifth shorter at most', failures: 1, random: 0.999_999, want: 800 },
  { name: 'chance also at the longest', failures: 20, random: 0.5, want: 900_000 },
  { name: 'a count that was lost is a first failure', failures: 0, random: 0, want: 1000 },
];

for (const { name, failures, random, want } of ROWS) {
  test(`retry delay: ${name}`, () => {
    assert.equal(retryDelay(failures, random), want);
  });
}

test('B06: waits that have a limit grow up to it, and what fails otherwise goes on from there', () => {
  const longestMs = 30_000;
  const counts: number[] = [];
  for (let i = 0, count = 0; i < 9; i++) counts.push((count = countFailure(count, longestMs)));
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6, 6, 6, 6]);
  assert.deepEqual(
    counts.map((count) => retryDelay(count, 0, longestMs) / 1000),
    [1, 2, 4, 8, 16, 30, 30, 30, 30],
  );
  assert.equal(retryDelay(countFailure(6), 0), 64_000);
  assert.equal(countFailure(11, longestMs), 6, 'also after failures that had none');
});
