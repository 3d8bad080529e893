import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideSpacing, nextSpacing, type Spacing } from '../../../src/worker/spacing.ts';

const WAITS: { name: string; last: Spacing | undefined; now: number; want: number }[] = [
  { name: 'the first pass runs at once', last: undefined, now: 5, want: 0 },
  { name: 'after a pass that wrote', last: { endedAt: 100, idlePasses: 0 }, now: 100, want: 0 },
  { name: 'after one idle pass', last: { endedAt: 100, idlePasses: 1 }, now: 100, want: 50 },
  { name: 'it doubles', last: { endedAt: 100, idlePasses: 3 }, now: 100, want: 200 },
  { name: 'time that went by counts', last: { endedAt: 100, idlePasses: 3 }, now: 250, want: 50 },
  { name: 'more time than that', last: { endedAt: 100, idlePasses: 3 }, now: 900, want: 0 },
  { name: 'one second at most', last: { endedAt: 100, idlePasses: 6 }, now: 100, want: 1000 },
  { name: 'one second at most, for ever', last: { endedAt: 100, idlePasses: 5000 }, now: 100, want: 1000 },
];

for (const { name, last, now, want } of WAITS) {
  test(`spacing: ${name}`, () => {
    assert.equal(decideSpacing(last, now), want);
  });
}

const NEXT: { name: string; last: Spacing | undefined; startedAt: number; wrote: boolean; want: number }[] = [
  { name: 'the first idle pass', last: undefined, startedAt: 0, wrote: false, want: 1 },
  { name: 'one more idle pass', last: { endedAt: 0, idlePasses: 4 }, startedAt: 400, wrote: false, want: 5 },
  { name: 'a pass that wrote', last: { endedAt: 0, idlePasses: 4 }, startedAt: 400, wrote: true, want: 0 },
  { name: 'an idle pass after a rest', last: { endedAt: 0, idlePasses: 4 }, startedAt: 2000, wrote: false, want: 1 },
];

for (const { name, last, startedAt, wrote, want } of NEXT) {
  test(`spacing, counted: ${name}`, () => {
    assert.deepEqual(nextSpacing(last, { startedAt, endedAt: startedAt + 10, wrote }), {
      endedAt: startedAt + 10,
      idlePasses: want,
    });
  });
}

test('a storm of events on a failing pass of 5 ms costs 14 passes in 10 seconds', () => {
  let last: Spacing | undefined;
  let now = 0;
  let passes = 0;
  for (;;) {
    now += decideSpacing(last, now);
    if (now >= 10_000) break;
    passes += 1;
    last = nextSpacing(last, { startedAt: now, endedAt: now + 5, wrote: false });
    now += 5;
  }
  assert.equal(passes, 14);
});
