import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { openRedis, type RedisConnections } from '../../../src/queue/connection.ts';
import { watchRecovery, type Recovery } from '../../../src/queue/recovery.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

function watch(t: TestContext, uid: string): { redis: RedisConnections; seen: Recovery[] } {
  const log = testLog();
  const redis = openRedis({ url: server.url }, { clusterUid: uid, name: 'x', log });
  const stop = new AbortController();
  t.after(() => {
    stop.abort();
    redis.close();
  });
  const seen: Recovery[] = [];
  const onRecovered = (what: Recovery): void => {
    seen.push(what);
  };
  const { impatient, prefix } = redis;
  watchRecovery({ redis: impatient, prefix, log, signal: stop.signal, onRecovered, intervalMs: 30 });
  return { redis, seen };
}

test('the first connection counts: adds have failed until then', async (t) => {
  const { seen } = watch(t, freshUid());
  await eventually(
    () => seen,
    (what) => what.length > 0,
  );
  assert.deepEqual(seen, ['reconnected']);
});

test('an emptied Redis is noticed by everyone, once, although no connection broke', async (t) => {
  const uid = freshUid();
  const two = [watch(t, uid), watch(t, uid)];
  await eventually(() => two.every(({ seen }) => seen.length === 1), Boolean);
  // Both have to have seen the same data.
  await eventually(() => two[0]!.redis.impatient.exists(`${two[0]!.redis.prefix}:epoch`), Boolean);
  await two[0]!.redis.impatient.flushall();
  await eventually(() => two.every(({ seen }) => seen.length === 2), Boolean);
  await eventually(() => two[0]!.redis.impatient.exists(`${two[0]!.redis.prefix}:epoch`), Boolean);
  for (const { seen } of two) assert.deepEqual(seen, ['reconnected', 'emptied']);
});

test('a restart of Redis is noticed', async (t) => {
  const { seen } = watch(t, freshUid());
  await eventually(
    () => seen,
    (what) => what.length === 1,
  );
  await server.restart();
  await eventually(
    () => seen,
    (what) => what.length >= 2,
  );
  assert.ok(seen.includes('emptied'));
});

test('a Redis that takes writes again after it has refused them has recovered', async (t) => {
  const { redis, seen } = watch(t, freshUid());
  await eventually(
    () => seen,
    (what) => what.length === 1,
  );
  await eventually(() => redis.impatient.exists(`${redis.prefix}:epoch`), Boolean);
  await redis.impatient.config('SET', 'maxmemory', '1');
  const refused = async (): Promise<boolean> => {
    await redis.impatient.set(`${redis.prefix}:x`, 1);
    return false;
  };
  await assert.rejects(refused, /OOM/);
  await eventually(
    async () => Number(/errorstat_OOM:count=(\d+)/.exec(await redis.impatient.info('errorstats'))?.[1]),
    (count) => count >= 3,
  );
  await redis.impatient.config('SET', 'maxmemory', '0');
  await eventually(
    () => seen,
    (what) => what.length === 2,
  );
  assert.deepEqual(seen, ['reconnected', 'reconnected']);
});
