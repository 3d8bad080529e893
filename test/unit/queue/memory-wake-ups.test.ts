import assert from 'node:assert/strict';
import { mock, test, type TestContext } from 'node:test';

import type { Cause } from '../../../src/api/causes.ts';
import { MemoryWakeUps } from '../../../src/queue/memory-wake-ups.ts';

const SECOND = 1000;

/** Wake-ups under a clock that stands still until it is told. */
function open(t: TestContext) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
  t.after(() => {
    mock.timers.reset();
  });
  const added: string[] = [];
  const add = (key: string, { type, note }: Cause) => {
    added.push(`${Date.now()} ${key} ${type} ${note ?? ''}`);
    return Promise.resolve();
  };
  const wakeUps = new MemoryWakeUps({ add, random: () => 0 });
  return { wakeUps, added };
}

const at = (milliseconds: number, reason: string) => ({ at: new Date(milliseconds), reason });

test('of two wake-ups the earlier one goes off, once', async (t) => {
  const { wakeUps, added } = open(t);
  await wakeUps.arm('a', at(5 * SECOND, 'first'));
  await wakeUps.arm('a', at(9 * SECOND, 'later'));
  await wakeUps.arm('a', at(3 * SECOND, 'earlier'));
  mock.timers.tick(60 * SECOND);
  assert.deepEqual(added, ['60000 a timer earlier']);
});

test('a wake-up goes off when its time has come', async (t) => {
  const { wakeUps, added } = open(t);
  await wakeUps.arm('a', at(3 * SECOND, 'x'));
  mock.timers.tick(2999);
  assert.deepEqual(added, []);
  mock.timers.tick(1);
  assert.deepEqual(added, ['3000 a timer x']);
});

test('replacing takes whatever is armed away', async (t) => {
  const { wakeUps, added } = open(t);
  await wakeUps.arm('a', at(3 * SECOND, 'x'));
  await wakeUps.replace('a', at(9 * SECOND, 'y'));
  await wakeUps.arm('b', at(3 * SECOND, 'z'));
  await wakeUps.replace('b', undefined);
  mock.timers.tick(9 * SECOND);
  assert.deepEqual(added, ['9000 a timer y']);
});

test('retries come after waits that double, until a success', async (t) => {
  const { wakeUps } = open(t);
  const waits: number[] = [];
  for (let i = 0; i < 3; i++) waits.push((await wakeUps.armRetry('a', 'x')).getTime());
  await wakeUps.resetFailures('a');
  waits.push((await wakeUps.armRetry('a', 'x')).getTime());
  assert.deepEqual(waits, [1000, 2000, 4000, 1000]);
});

test('a time beyond what a timer can hold is reached all the same', async (t) => {
  const { wakeUps, added } = open(t);
  const days = 30 * 86_400 * SECOND;
  await wakeUps.arm('a', at(days, 'x'));
  for (let hour = 0; hour < 30 * 24; hour++) {
    mock.timers.tick(3600 * SECOND);
    await Promise.resolve();
  }
  assert.deepEqual(added, [`${days} a timer x`]);
});

test('cleared, nothing goes off', async (t) => {
  const { wakeUps, added } = open(t);
  await wakeUps.arm('a', at(3 * SECOND, 'x'));
  wakeUps.clear();
  mock.timers.tick(60 * SECOND);
  assert.deepEqual(added, []);
});

test('B06: retries that may not come late do not', async (t) => {
  const { wakeUps } = open(t);
  for (let i = 0; i < 12; i++) await wakeUps.armRetry('a', 'x', 30_000);
  assert.equal((await wakeUps.armRetry('b', 'x')).getTime(), 1000);
  assert.equal((await wakeUps.armRetry('a', 'x', 30_000)).getTime(), 30_000);
  assert.equal((await wakeUps.armRetry('a', 'x')).getTime(), 64_000);
});
