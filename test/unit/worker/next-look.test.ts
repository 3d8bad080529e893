import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lookAfterStop } from '../../../src/worker/next-look.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const stop = { step: 'Definitions', awaited: 'a CRD to be gone', isResumedAtOnce: false };

const rows = [
  { name: 'an event is awaited', given: stop, want: after(30) },
  { name: 'an event is awaited, for so long', given: stop, deadline: after(7), want: after(7) },
  {
    name: 'only its own write was awaited, of which no event tells',
    given: { ...stop, isResumedAtOnce: true },
    want: NOW,
  },
];
for (const { name, given, deadline, want } of rows) {
  test(`the pass after one that ended at a step, when ${name}`, () => {
    const { at, reason } = lookAfterStop(given, NOW, deadline);
    assert.equal(at.toISOString(), want.toISOString());
    assert.match(reason, /a CRD to be gone/);
  });
}
