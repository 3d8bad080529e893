import { after, before, test } from 'node:test';
import { reconcileOften } from '../../integration/queue/growth.ts';
import { startRedis, type TestRedis } from '../../integration/fixtures/redis.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

test('L05: over 100,000 reconciles the memory of Redis levels off', (t) => reconcileOften(t, server.url, 100_000));
