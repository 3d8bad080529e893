import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildKeys } from '../../../src/queue/keys.ts';
import { readCounts } from '../../../src/queue/counts.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { causesOf, KEY, startWorker, type TestWorker } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

async function idle({ redis, queue }: TestWorker): Promise<void> {
  await eventually(
    () => readCounts(redis, queue.queue),
    (counts) => counts?.waiting === 0 && counts.active === 0,
  );
}

async function readDue({ redis }: TestWorker): Promise<number | undefined> {
  const score = await redis.impatient.zscore(buildKeys(redis.prefix).due, KEY);
  return score === null ? undefined : Number(score);
}

test('done: the job is completed, the wake-up armed, the pass in the history', async (t) => {
  const at = new Date(Date.now() + 3_600_000);
  const report = { steps: [{ name: 'RBAC', actions: 3, durationMs: 5 }] };
  const w = await startWorker(t, {
    url: server.url,
    pass: () => ({ type: 'done', wrote: 3, wakeUp: { at, reason: 'the certificate of virt-api' }, report }),
  });
  await w.queue.add(KEY, { type: 'added', kind: 'KubeVirt', name: 'kubevirt', resourceVersion: '7', at: 1 });
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 1,
  );
  assert.equal(await readDue(w), at.getTime());
  const [record] = await w.history.read();
  const { startedAt, durationMs, id, ...rest } = record!;
  assert.ok(startedAt > 0 && durationMs >= 0 && id !== '');
  assert.deepEqual(rest, {
    key: KEY,
    causes: [{ type: 'added', kind: 'KubeVirt', name: 'kubevirt', resourceVersion: '7', at: 1 }],
    causesTotal: 1,
    outcome: 'done',
    reason: 'the certificate of virt-api',
    writes: 3,
    worker: 'w',
    steps: report.steps,
  });
  assert.deepEqual(w.passes[0]?.work.versions, { KubeVirt: '7' });
  const [job] = await w.queue.queue.getCompleted();
  assert.equal((job?.returnvalue as { outcome: string }).outcome, 'done');
});

test('done without a wake-up takes an armed one away', async (t) => {
  const w = await startWorker(t, { url: server.url, pass: () => ({ type: 'done', wrote: 0 }) });
  await w.timers.arm(KEY, { at: new Date(Date.now() + 60_000), reason: 'old' });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => readDue(w),
    (due) => due === undefined,
  );
});

test('later: the key comes again at that time, nothing failed', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: (count) =>
      count === 1
        ? { type: 'later', wrote: 1, at: new Date(Date.now() + 150), reason: 'the strategy Job runs' }
        : { type: 'done', wrote: 0 },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 2,
  );
  assert.deepEqual(causesOf(w.passes[1]), ['timer']);
  assert.equal(w.passes[1]?.work.causes[0]?.note, 'the strategy Job runs');
  assert.equal((await w.queue.queue.getFailed()).length, 0);
});

test('retry: the job fails visibly, the key comes again, and a success forgets the failure', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    random: () => 0.999,
    pass: (count) =>
      count === 1
        ? { type: 'retry', error: new Error('cannot create Secret', { cause: new Error('quota') }) }
        : { type: 'done', wrote: 1 },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 2,
  );
  const waited = (w.passes[1]?.began ?? 0) - (w.passes[0]?.ended ?? 0);
  assert.ok(waited > 700 && waited < 4500, `${waited} ms: the first retry, and not at an idle turn`);
  assert.deepEqual(causesOf(w.passes[1]), ['retry']);
  const [failed] = await w.queue.queue.getFailed();
  assert.equal(failed?.failedReason, 'cannot create Secret');
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 2,
  );
  assert.equal((await w.history.read())[1]?.reason, 'cannot create Secret: quota');
  assert.equal(await w.redis.impatient.hget(buildKeys(w.redis.prefix).failures, KEY), null);
});

const THROWN = [
  { name: 'an error', pass: () => Promise.reject(new Error('boom')), want: 'boom' },
  {
    name: 'something that is no error',
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is what is tested
    pass: () => Promise.reject('boom'),
    want: 'a pass threw something that is not an error',
  },
];

for (const { name, pass, want } of THROWN) {
  test(`a pass that throws ${name} is retried`, async (t) => {
    const w = await startWorker(t, { url: server.url, pass });
    await w.queue.add(KEY, { type: 'added', at: 1 });
    await eventually(
      () => w.queue.queue.getFailed(),
      (failed) => failed.length > 0,
    );
    assert.equal((await w.queue.queue.getFailed())[0]?.failedReason, want);
    assert.notEqual(await readDue(w), undefined);
  });
}

test('never: the job fails, nothing is armed, an event brings the key back', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: () => ({ type: 'never', error: new Error('no such type') }),
  });
  await w.timers.arm(KEY, { at: new Date(Date.now() + 60_000), reason: 'old' });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 1,
  );
  assert.equal(await readDue(w), undefined);
  await w.queue.add(KEY, { type: 'modified', at: 1 });
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 2,
  );
});

test('answers to our own writes cause no pass', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: async () => {
      // The event overtakes the answer to the write that caused it.
      await w.queue.add(KEY, { type: 'added', kind: 'Secret', name: 'ca', resourceVersion: '42', at: 1 });
      await w.queue.recordWrite('Secret', '42');
      return { type: 'done', wrote: 1 };
    },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.queue.queue.getCompleted(),
    (done) => done.length === 2,
  );
  await idle(w);
  assert.equal(w.passes.length, 1);
  const outcomes = (await w.queue.queue.getCompleted()).map((job) => (job.returnvalue as { outcome: string }).outcome);
  assert.deepEqual(outcomes.toSorted(), ['done', 'skipped']);
});

test('an event during a failing pass runs next, not after the retry delay', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: async (count) => {
      if (count > 1) return { type: 'done', wrote: 1 };
      await w.queue.add(KEY, { type: 'modified', at: 1 });
      return { type: 'retry', error: new Error('no') };
    },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.passes.length,
    (count) => count === 2,
  );
  assert.deepEqual(causesOf(w.passes[1]), ['modified']);
  const waited = (w.passes[1]?.began ?? 0) - (w.passes[0]?.ended ?? 0);
  assert.ok(waited >= 45, `${waited} ms`);
  await eventually(
    () => readDue(w),
    (due) => due === undefined,
  );
});

test('an event and a timer that come while a pass runs are one more pass', async (t) => {
  const w = await startWorker(t, {
    url: server.url,
    pass: async (count) => {
      if (count === 1) {
        await w.timers.arm(KEY, { at: new Date(), reason: 'certificate' });
        const causes = `${w.redis.prefix}:causes:${KEY}`;
        await eventually(
          () => w.redis.impatient.llen(causes),
          (length) => length === 1,
        );
        await w.queue.add(KEY, { type: 'modified', at: 1 });
      }
      return { type: 'done', wrote: 1 };
    },
  });
  await w.queue.add(KEY, { type: 'added', at: 1 });
  await eventually(
    () => w.history.read(),
    (passes) => passes.length === 2,
  );
  await idle(w);
  assert.equal(w.passes.length, 2);
  assert.deepEqual(causesOf(w.passes[1]), ['timer', 'modified']);
});

test('two keys are run one after the other', async (t) => {
  const w = await startWorker(t, { url: server.url, pass: () => ({ type: 'done', wrote: 1 }) });
  await Promise.all([w.queue.add(KEY, { type: 'added', at: 1 }), w.queue.add('b/kubevirt', { type: 'added', at: 1 })]);
  await eventually(
    () => w.passes.length,
    (count) => count === 2,
  );
  assert.ok((w.passes[0]?.ended ?? Infinity) <= (w.passes[1]?.began ?? 0));
});

test('a storm of events on a failing pass costs a bounded number of passes', async (t) => {
  const w = await startWorker(t, { url: server.url, pass: () => ({ type: 'retry', error: new Error('no') }) });
  const end = performance.now() + 2000;
  let events = 0;
  while (performance.now() < end) {
    await w.queue.add(KEY, { type: 'modified', at: events });
    events += 1;
  }
  assert.ok(events > 100, `${events} events`);
  // 0, 50, 150, 350, 750 and 1,550 ms after the first one.
  assert.ok(w.passes.length >= 5 && w.passes.length <= 7, `${w.passes.length} passes`);
  await eventually(
    () => w.passes.at(-1)?.work.causes.at(-1)?.at,
    (last) => last === events - 1,
  );
});
