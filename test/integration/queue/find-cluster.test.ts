import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConfigurationError } from '../../../src/errors.ts';
import { buildKeyPrefix, connectRedis, type RedisClient } from '../../../src/queue/connection.ts';
import { findClusters, waitForCluster } from '../../../src/queue/find-cluster.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from './harness.ts';

let server: TestRedis;
let redis: RedisClient;
before(async () => {
  server = await startRedis({ own: true });
  redis = connectRedis({ url: server.url }, { patience: 'patient', name: 'finder', log: testLog() });
});
after(async () => {
  redis.disconnect();
  await server.stop();
});

const never = new AbortController().signal;

test('waits until a cluster has a key, and finds it among the keys of others', async () => {
  await redis.mset(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`other:${i}`, '1'])));
  assert.deepEqual(await findClusters(redis), []);
  const waiting = waitForCluster(redis, testLog(), never);
  await redis.set(`${buildKeyPrefix('b')}:fence`, '1');
  await redis.set(`${buildKeyPrefix('b')}:reconcile:meta`, '1');
  assert.equal(await waiting, 'b');
});

test('of several clusters one has to be named', async () => {
  await redis.set(`${buildKeyPrefix('a')}:fence`, '1');
  assert.deepEqual(await findClusters(redis), ['a', 'b']);
  await assert.rejects(waitForCluster(redis, testLog(), never), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /CLUSTER_UID.*\(a, b\)/);
    return true;
  });
});

test('ends when the process is asked to', async () => {
  await redis.flushall();
  const ending = new AbortController();
  const waiting = waitForCluster(redis, testLog(), ending.signal);
  ending.abort(new Error('asked to end'));
  await assert.rejects(waiting);
});
