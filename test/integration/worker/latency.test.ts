import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRedis } from '../fixtures/redis.ts';
import { measureStartLatency } from './latency.ts';

test('a pass starts within 50 ms of its change, in 99 of 100 cases', async (t) => {
  const server = await startRedis();
  t.after(() => server.stop());
  const latency = await measureStartLatency(t, server.url, 101);
  t.diagnostic(JSON.stringify(latency));
  assert.ok(latency.p99 <= 50, JSON.stringify(latency));
});
