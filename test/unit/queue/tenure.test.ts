import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLog } from '../../../src/log.ts';
import { Tenure } from '../../../src/queue/tenure.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';
const TIMES = { ttlMs: 10_000, renewMs: 3000, marginMs: 2000, pollMs: 1000, permissionMs: 0 };

const rows = [
  { name: 'within its time', at: 7999, want: true },
  { name: 'at the end of its time', at: 8000, want: false },
  { name: 'long after', at: 60_000, want: false },
];
for (const { name, at, want } of rows) {
  test(`L01: a tenure is ${want ? '' : 'not '}held ${name}, by the clock, although no timer has fired`, () => {
    let now = 0;
    const tenure = new Tenure({
      fence: 1,
      times: TIMES,
      now: () => now,
      takenAt: 0,
      renew: () => Promise.resolve(true),
      log,
    });
    now = at;
    assert.equal(tenure.isHeld(), want);
    assert.equal(tenure.signal.aborted, !want);
    tenure.stop();
  });
}
