import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PassAborted } from '../../../src/errors.ts';
import { buildKeys } from '../../../src/queue/keys.ts';
import { watchRecovery } from '../../../src/queue/recovery.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { causesOf, KEY, startWorker, untilAborted, type TestWorker } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

test('a lost lock aborts the pass; the worker waits, leads again and runs the key again', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: (count, { signal }) => (count === 1 ? untilAborted(signal) : { type: 'done', wrote: 1 }),
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 1,
  );
  await w.redis.impatient.set(buildKeys(w.redis.prefix).lock, 'thief/1', 'PX', 700);
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 2,
  );
  const [second, first] = await w.history.read();
  assert.deepEqual([first?.outcome, second?.outcome], ['aborted', 'done']);
  assert.ok(w.passes[0]?.work.signal.reason instanceof PassAborted);
  assert.ok((w.passes[1]?.work.fence ?? 0) > w.passes[0].work.fence);
  assert.ok(causesOf(w.passes[1]).includes('added'), 'the causes were put back');
});

test('an outcome that comes after the lock was lost does not count', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: async (count, { signal }) => {
      if (count > 1) return { type: 'done', wrote: 1 };
      await untilAborted(signal).catch(() => undefined);
      return { type: 'never', error: new Error('too late') };
    },
  });
  const at = new Date(Date.now() + 60_000);
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 1,
  );
  // What the next leader armed must stay.
  await w.timers.arm(KEY, { at, reason: 'armed by the next leader' });
  await w.redis.impatient.set(buildKeys(w.redis.prefix).lock, 'thief/1', 'PX', 1000);
  await eventually(
    () => w.passes[0]?.ended,
    (ended) => ended !== undefined,
  );
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 1,
  );
  assert.equal(await w.redis.impatient.zscore(buildKeys(w.redis.prefix).due, KEY), String(at.getTime()));
  await eventually(
    () => w.passes.length,
    (count) => count === 2,
  );
});

test('a pass that does not end is reported some time after the lock was lost, and only then', async (t) => {
  const stuck: { why: string; at: number }[] = [];
  const release = Promise.withResolvers<undefined>();
  const w = await startWorker(t, {
    url: server.url,
    settleMs: 200,
    onStuck: (why) => stuck.push({ why, at: performance.now() }),
    pass: async (count) => {
      if (count === 1) await release.promise;
      return { type: 'done', wrote: 1 };
    },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 1,
  );
  await w.redis.impatient.set(buildKeys(w.redis.prefix).lock, 'thief/1', 'PX', 300);
  await eventually(() => w.passes[0]?.work.signal.aborted, Boolean);
  const aborted = performance.now();
  await eventually(
    () => stuck.length,
    (count) => count === 1,
  );
  assert.match(stuck[0]?.why ?? '', /kubevirt\/kubevirt/);
  assert.ok((stuck[0]?.at ?? 0) - aborted > 150);
  // Where nobody ends the process, the worker waits for the pass and then goes on.
  assert.equal(w.passes.length, 1);
  release.resolve(undefined);
  await eventually(
    () => w.passes.length,
    (count) => count === 2,
  );
  assert.equal(stuck.length, 1);
});

test('a new leader looks at every key, though nothing has happened since the last pass of the former one', async (t) => {
  const uid = freshUid();
  const options = { url: server.url, uid, keys: () => [KEY] };
  const old = await startWorker(t, { ...options, pass: () => ({ type: 'done', wrote: 1 }) });
  await eventually(
    () => old.history.read(),
    (passes) => passes.length === 1,
  );
  await old.worker.stop();
  // It may be of another release, whose objects differ.
  const next = await startWorker(t, { ...options, pass: () => ({ type: 'done', wrote: 1 }) });
  await eventually(
    () => next.passes.length,
    (count) => count === 1,
  );
  assert.deepEqual(causesOf(next.passes[0]), ['resync']);
});

test('stopping ends a pass, gives key and lock back, and is quick', async (t) => {
  const uid = freshUid();
  const w = await startWorker(t, { url: server.url, uid, pass: (_count, { signal }) => untilAborted(signal) });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 1,
  );
  const asked = performance.now();
  await w.worker.stop();
  assert.ok(performance.now() - asked < 4000, 'sooner than a pass that does not end is given up');
  assert.equal(await w.redis.impatient.exists(buildKeys(w.redis.prefix).lock), 0);
  const next = await startWorker(t, { url: server.url, uid, pass: () => ({ type: 'done', wrote: 1 }) });
  await eventually(
    () => next.passes.length,
    (count) => count === 1,
  );
  assert.deepEqual(causesOf(next.passes[0]), ['added']);
});

test('a pass that ends in order while the process stops is settled, not repeated', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: async (_count, { signal }) => {
      await untilAborted(signal).catch(() => undefined);
      return { type: 'done', wrote: 1 };
    },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 1,
  );
  await w.worker.stop();
  assert.deepEqual(await w.queue.queue.getJobCounts('waiting', 'active', 'completed'), {
    waiting: 0,
    active: 0,
    completed: 1,
  });
});

test('an idle worker stops at once', async (t) => {
  const w = await startWorker(t, { url: server.url, pass: () => ({ type: 'done', wrote: 1 }) });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.queue.queue.getCompleted(),
    (done) => done.length === 1,
  );
  const asked = performance.now();
  await w.worker.stop();
  assert.ok(performance.now() - asked < 4000, 'it does not wait for the end of an idle turn');
});

test('a worker stops although Redis is away', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const w = await startWorker(t, { url: own.url, pass: (_count, { signal }) => untilAborted(signal) });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 1,
  );
  await own.crash();
  const asked = performance.now();
  await w.worker.stop();
  assert.ok(performance.now() - asked < 10_000, `${performance.now() - asked} ms`);
});

const LOSSES = [
  { name: 'crashes and comes back empty in mid-pass', lose: (redis: TestRedis) => redis.restart() },
  {
    name: 'is away for longer than the lock lives',
    lose: async (redis: TestRedis, w: TestWorker) => {
      await redis.crash();
      await eventually(() => w.passes[0]?.work.signal.aborted, Boolean);
      await redis.restart();
    },
  },
  {
    name: 'refuses writes for longer than the lock lives',
    lose: async (_redis: TestRedis, w: TestWorker) => {
      await w.redis.impatient.config('SET', 'maxmemory', '1');
      await eventually(() => w.passes[0]?.work.signal.aborted, Boolean);
      await w.redis.impatient.config('SET', 'maxmemory', '0');
    },
  },
  {
    name: 'is emptied',
    lose: async (_redis: TestRedis, w: TestWorker) => {
      await w.redis.impatient.flushall();
    },
  },
];

for (const { name, lose } of LOSSES) {
  test(`nothing is lost when Redis ${name}`, async (t) => {
    const own = await startRedis({ own: true });
    t.after(() => own.stop());
    const lost = Promise.withResolvers<undefined>();
    const w = await startWorker(t, {
      url: own.url,
      pass: async (count, { signal }) => {
        if (count === 1) await Promise.race([lost.promise, untilAborted(signal)]);
        return { type: 'done', wrote: 1 };
      },
    });
    const stop = new AbortController();
    t.after(() => {
      stop.abort();
    });
    const onRecovered = (): void => {
      w.queue.add(KEY, { type: 'recovered', at: Date.now() }).catch((error: unknown) => {
        lost.reject(error);
      });
    };
    watchRecovery({ redis: w.redis.impatient, prefix: w.redis.prefix, log: w.log, signal: stop.signal, onRecovered });
    await w.queue.add(KEY, { type: 'added', at: 1 });
    await eventually(
      () => w.passes.length,
      (count) => count === 1,
    );
    await lose(own, w);
    lost.resolve(undefined);
    await eventually(
      () => w.passes.at(-1),
      (last) => causesOf(last).includes('recovered'),
    );
    const [first, second] = w.passes;
    assert.ok((first?.ended ?? Infinity) <= (second?.began ?? 0));
    await eventually(
      () => w.queue.queue.getGlobalConcurrency(),
      (concurrency) => concurrency === 1,
    );
  });
}
