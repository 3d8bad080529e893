import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import type { Cause } from '../../../src/api/causes.ts';
import { buildKeys } from '../../../src/queue/keys.ts';
import { Timers } from '../../../src/queue/timers.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { openParts, type Parts } from './harness.ts';

const KEY = 'kubevirt/kubevirt';
let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

/** Timers whose adds are written down, and whose alarms go off. */
async function openAlarms(
  t: TestContext,
  uid = freshUid(),
): Promise<Parts & { fired: { key: string; cause: Cause }[] }> {
  const parts = await openParts(t, server.url, uid);
  const fired: { key: string; cause: Cause }[] = [];
  const add = (key: string, cause: Cause): Promise<void> => {
    fired.push({ key, cause });
    return Promise.resolve();
  };
  const timers = new Timers({ redis: parts.redis, log: parts.log, add, random: () => 0 });
  const stop = timers.start();
  t.after(async () => {
    await stop();
    await timers.close();
  });
  return { ...parts, timers, fired };
}

async function readDue({ redis }: Parts, key = KEY): Promise<number | undefined> {
  const score = await redis.impatient.zscore(buildKeys(redis.prefix).due, key);
  return score === null ? undefined : Number(score);
}

function inMs(ms: number): Date {
  return new Date(Date.now() + ms);
}

test('a wake-up queues its key when it is due, not before, once', async (t) => {
  const parts = await openAlarms(t);
  const at = inMs(150);
  await parts.timers.arm(KEY, { at, reason: 'the certificate of virt-api' });
  await eventually(
    () => parts.fired.length,
    (count) => count === 1,
  );
  assert.ok(Date.now() >= at.getTime());
  assert.ok(Date.now() - at.getTime() < 4500, 'not at an idle turn');
  assert.equal(parts.fired[0]?.key, KEY);
  assert.deepEqual({ ...parts.fired[0].cause, at: 0 }, { type: 'timer', note: 'the certificate of virt-api', at: 0 });
  await eventually(
    () => readDue(parts),
    (due) => due === undefined,
  );
  await parts.timers.fireDue();
  assert.equal(parts.fired.length, 1);
});

const TWO = [
  { name: 'the earlier one first', first: 60_000, second: 90_000, want: 60_000 },
  { name: 'the later one first', first: 90_000, second: 60_000, want: 60_000 },
  { name: 'the same time twice', first: 60_000, second: 60_000, want: 60_000 },
];

for (const { name, first, second, want } of TWO) {
  test(`of two wake-ups the earlier one stays: ${name}`, async (t) => {
    const parts = await openParts(t, server.url);
    const base = Date.now();
    await parts.timers.arm(KEY, { at: new Date(base + first), reason: 'first' });
    await parts.timers.arm(KEY, { at: new Date(base + second), reason: 'second' });
    assert.equal(await readDue(parts), base + want);
    assert.equal(await parts.timers.queue.getDelayedCount(), 1);
  });
}

test('of many who arm at once, in two processes, exactly the earliest wins', async (t) => {
  const uid = freshUid();
  const one = await openParts(t, server.url, uid);
  const two = await openParts(t, server.url, uid);
  const base = Date.now() + 60_000;
  const times = Array.from({ length: 40 }, (_, i) => base + ((i * 17) % 40) * 100);
  await Promise.all(times.map((at, i) => (i % 2 === 0 ? one : two).timers.arm(KEY, { at: new Date(at), reason: 'x' })));
  assert.equal(await readDue(one), base);
  const delayed = await one.timers.queue.getDelayed();
  assert.ok(delayed.some((alarm) => alarm.data.at === new Date(base).toISOString()));
});

test('replacing sets exactly the new time, later or earlier, or none', async (t) => {
  const parts = await openParts(t, server.url);
  const base = Date.now();
  for (const ms of [60_000, 90_000, 30_000]) {
    await parts.timers.replace(KEY, { at: new Date(base + ms), reason: 'x' });
    assert.equal(await readDue(parts), base + ms);
    assert.equal(await parts.timers.queue.getDelayedCount(), 1);
  }
  await parts.timers.replace(KEY, undefined);
  assert.equal(await readDue(parts), undefined);
  assert.equal(await parts.timers.queue.getDelayedCount(), 0);
});

test('a wake-up that was disarmed does not come, that of another key does', async (t) => {
  const parts = await openAlarms(t);
  await parts.timers.arm(KEY, { at: inMs(60), reason: 'x' });
  await parts.timers.arm('other/kubevirt', { at: inMs(120), reason: 'x' });
  await parts.timers.disarm(KEY);
  await eventually(
    () => parts.fired.length,
    (count) => count > 0,
  );
  assert.deepEqual(
    parts.fired.map(({ key }) => key),
    ['other/kubevirt'],
  );
});

test('a time that is past comes at once, also when it is armed again and again', async (t) => {
  const parts = await openAlarms(t);
  const past = new Date(Date.now() - 5000);
  for (let i = 1; i <= 3; i += 1) {
    await parts.timers.arm(KEY, { at: past, reason: 'expired' });
    await eventually(
      () => parts.fired.length,
      (count) => count === i,
    );
    await eventually(
      () => readDue(parts),
      (due) => due === undefined,
    );
  }
});

test('a wake-up whose alarm was lost is found by the next look', async (t) => {
  const parts = await openAlarms(t);
  await parts.timers.arm(KEY, { at: inMs(60_000), reason: 'x' });
  await parts.timers.queue.obliterate({ force: true });
  await parts.redis.impatient.zadd(buildKeys(parts.redis.prefix).due, 'XX', Date.now(), KEY);
  await parts.timers.fireDue();
  assert.equal(parts.fired.length, 1);
});

test('a wake-up whose key cannot be queued goes off again', async (t) => {
  const parts = await openParts(t, server.url);
  const queued: string[] = [];
  let error: Error | undefined = new Error('no');
  const add = (key: string): Promise<void> => {
    if (error !== undefined) return Promise.reject(error);
    queued.push(key);
    return Promise.resolve();
  };
  let now = 1000;
  const timers = new Timers({ ...parts, add, now: () => now });
  t.after(() => timers.close());
  await timers.arm(KEY, { at: new Date(2000), reason: 'x' });
  now = 2000;
  await assert.rejects(timers.fireDue(), /no/);
  error = undefined;
  await timers.fireDue();
  await timers.fireDue();
  assert.deepEqual(queued, [KEY]);
});

test('a pass that is faster than the alarm that caused it can arm the next wake-up', async (t) => {
  const parts = await openParts(t, server.url);
  let now = 1000;
  const add = async (key: string): Promise<void> => {
    await timers.arm(key, { at: new Date(9000), reason: 'next' });
  };
  const timers: Timers = new Timers({ ...parts, add, now: () => now });
  t.after(() => timers.close());
  await timers.arm(KEY, { at: new Date(2000), reason: 'x' });
  now = 2000;
  await timers.fireDue();
  assert.equal(await readDue(parts), 9000);
});

test('retries come later and later, until a success', async (t) => {
  const parts = await openParts(t, server.url);
  const now = 1_800_000_000_000;
  const timers = new Timers({ ...parts, add: () => Promise.resolve(), random: () => 0, now: () => now });
  t.after(() => timers.close());
  const delays: number[] = [];
  for (let i = 0; i < 4; i += 1) delays.push((await timers.armRetry(KEY, 'no')).getTime() - now);
  assert.deepEqual(delays, [1000, 2000, 4000, 8000]);
  assert.equal(await readDue(parts), now + 1000, 'the earliest stays');
  await timers.resetFailures(KEY);
  assert.equal((await timers.armRetry(KEY, 'no')).getTime() - now, 1000);
});

test('B06: retries that may not come late do not', async (t) => {
  const parts = await openParts(t, server.url);
  const now = 1_800_000_000_000;
  const timers = new Timers({ ...parts, add: () => Promise.resolve(), random: () => 0, now: () => now });
  t.after(() => timers.close());
  const wait = async (longestMs?: number) => (await timers.armRetry(KEY, 'no', longestMs)).getTime() - now;
  for (let i = 0; i < 12; i += 1) await wait();
  assert.equal(await wait(30_000), 30_000);
  assert.equal(await wait(30_000), 30_000);
  assert.equal(await wait(), 64_000);
});

test('a retry does not push a nearer certificate timer out', async (t) => {
  const parts = await openAlarms(t);
  const at = inMs(300);
  await parts.timers.arm(KEY, { at, reason: 'certificate' });
  await parts.timers.armRetry(KEY, 'no');
  assert.equal(await readDue(parts), at.getTime());
  await eventually(
    () => parts.fired.length,
    (count) => count === 1,
  );
  assert.equal(parts.fired[0]?.cause.type, 'timer');
});
