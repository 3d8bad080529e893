import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import { readCounts } from '../../../src/queue/counts.ts';
import { readLeader } from '../../../src/queue/lock.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { KEY, startWorker } from './harness.ts';

/** Makes a server of our own a whole Redis Cluster. */
async function giveAllSlots({ url }: TestRedis): Promise<void> {
  const redis = new Redis(url);
  await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await eventually(
    () => redis.call('CLUSTER', 'INFO'),
    (info) => String(info).includes('cluster_state:ok'),
  );
  redis.disconnect();
}

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true, args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] });
  await giveAllSlots(server);
});
after(() => server.stop());

test('lock, queue, timers and passes work on a Redis Cluster', async (t) => {
  const { hostname, port } = new URL(server.url);
  const w = await startWorker(t, {
    redis: { cluster: [{ host: hostname, port: Number(port) }] },
    pass: (count) =>
      count === 1
        ? { type: 'later', wrote: 1, at: new Date(Date.now() + 100), reason: 'x' }
        : { type: 'done', wrote: 1, wakeUp: { at: new Date(Date.now() + 60_000), reason: 'x' } },
  });
  await w.queue.recordWrite('Secret', '7');
  await w.queue.add(KEY, { type: 'modified', kind: 'Secret', resourceVersion: '9', at: 1 });
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 2,
  );
  assert.deepEqual(w.passes[0]?.work.versions, { Secret: '9' });
  assert.equal((await readLeader(w.redis))?.holder, 'w');
  assert.equal((await readCounts(w.redis, w.timers.queue))?.delayed, 1);
});
