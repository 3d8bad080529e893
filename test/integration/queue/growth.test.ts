import { after, before, test } from 'node:test';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { reconcileOften } from './growth.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

test('L05: after a few hundred reconciles Redis does not grow any more; jobs are small and hold no manifests', (t) =>
  reconcileOften(t, server.url, 1600));
