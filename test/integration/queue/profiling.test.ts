import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { Profiling, type Profiled } from '../../../src/queue/profiling.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { openParts, testLog } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

/** A process that notes what it is told; `isEnabled` is the cluster's switch as it sees it. */
async function join(t: TestContext, given: { uid: string; name: string; isEnabled?: () => boolean; slow?: boolean }) {
  const { uid, name, isEnabled = () => true, slow = false } = given;
  const { redis } = await openParts(t, server.url, uid);
  const told: string[] = [];
  const note = (what: string) => () => Promise.resolve(void told.push(what));
  const profiled: Profiled = {
    start: note('start'),
    stop: note('stop'),
    dump: () => (slow ? new Promise(() => undefined) : Promise.resolve({ 'cpu.pprof': Buffer.from(name) })),
  };
  const profiling = new Profiling({ redis, name, profiled, isEnabled, log: testLog() });
  t.after(profiling.listen());
  await eventually(
    async () => (await redis.impatient.pubsub('NUMSUB', `${redis.prefix}:profiler`))[1],
    (listeners) => Number(listeners) > 0,
  );
  return { profiling, told, redis };
}

test('a command reaches every other process of the cluster, and nobody else', async (t) => {
  const uid = freshUid();
  const asking = await join(t, { uid, name: 'functions.a' });
  const worker = await join(t, { uid, name: 'worker.b' });
  const stranger = await join(t, { uid: freshUid(), name: 'worker.c' });
  await eventually(
    async () => (await asking.redis.impatient.pubsub('NUMSUB', `${asking.redis.prefix}:profiler`))[1],
    (listeners) => Number(listeners) === 2,
  );
  await asking.profiling.tell('start');
  await asking.profiling.tell('stop');
  await eventually(
    () => worker.told.length,
    (count) => count === 2,
  );
  assert.deepEqual(worker.told, ['start', 'stop']);
  assert.deepEqual([asking.told, stranger.told], [[], []]);
});

test('profiles of all others are collected as soon as they are there; equal names are numbered', async (t) => {
  const uid = freshUid();
  const asking = await join(t, { uid, name: 'all.a' });
  for (const name of ['worker.b', 'worker.b', 'gateway.c']) await join(t, { uid, name });
  let begun = 0;
  const collected = await eventually(
    () => {
      begun = performance.now();
      return asking.profiling.collect();
    },
    (all) => Object.keys(all).length === 3,
  );
  assert.ok(performance.now() - begun < 2500, 'nobody is waited for who has answered');
  assert.deepEqual(Object.keys(collected).sort(), ['gateway.c', 'worker.b', 'worker.b-2']);
  assert.equal(collected['gateway.c']?.['cpu.pprof']?.toString(), 'gateway.c');
  assert.deepEqual(
    await asking.redis.impatient.keys(`${asking.redis.prefix}:profiler:*`),
    [],
    'nothing stays in Redis',
  );
});

test('a process whose switch is off, or that does not come to an end, is not waited for without end', async (t) => {
  const uid = freshUid();
  const asking = await join(t, { uid, name: 'all.a' });
  const off = await join(t, { uid, name: 'worker.b', isEnabled: () => false });
  await join(t, { uid, name: 'worker.c', slow: true });
  await asking.profiling.tell('start');
  const begun = performance.now();
  assert.deepEqual(await asking.profiling.collect(), {});
  assert.ok(performance.now() - begun < 15_000);
  assert.deepEqual(off.told, []);
});

test('alone, there is nobody to wait for', async (t) => {
  const { profiling } = await join(t, { uid: freshUid(), name: 'all.a' });
  const begun = performance.now();
  assert.deepEqual(await profiling.collect(), {});
  assert.ok(performance.now() - begun < 2500);
});
