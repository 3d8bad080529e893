import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readCounts } from '../../../src/queue/counts.ts';
import { PassLog, type PassRecord } from '../../../src/queue/pass-log.ts';
import { ProgressBoard, type Progress } from '../../../src/queue/progress.ts';
import { SituationBoard, type Situation } from '../../../src/queue/situation.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { openParts, takeJobs } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

function pass(id: number, causes = 1): PassRecord {
  return {
    id: String(id),
    key: 'kubevirt/kubevirt',
    causes: Array.from({ length: causes }, (_, at) => ({ type: 'modified', at })),
    causesTotal: causes,
    startedAt: id,
    durationMs: 5,
    outcome: 'done',
    writes: 0,
    worker: 'w',
  };
}

function progress(objectsDone: number): Progress {
  return {
    key: 'kubevirt/kubevirt',
    phase: 'Deploying',
    step: 'RBAC',
    objectsDone,
    objectsTotal: 150,
    workloadsReady: 0,
    workloadsTotal: 5,
    pass: '1',
    updatedAt: 1,
  };
}

test('the last two hundred passes are kept, newest first, with fifty causes each', async (t) => {
  const { redis, log } = await openParts(t, server.url);
  const history = new PassLog(redis, log);
  for (let id = 1; id <= 205; id += 1) await history.append(pass(id, 60));
  const passes = await history.read();
  assert.deepEqual([passes.length, passes[0]?.id, passes.at(-1)?.id], [200, '205', '6']);
  assert.deepEqual([passes[0]?.causes.length, passes[0]?.causesTotal], [50, 60]);
  assert.deepEqual(
    (await history.read(2)).map(({ id }) => id),
    ['205', '204'],
  );
});

test('progress is kept and told to those who follow', async (t) => {
  const { redis, log } = await openParts(t, server.url);
  const board = new ProgressBoard(redis, log);
  assert.equal(await board.read(), undefined);
  const seen: number[] = [];
  const stop = new AbortController();
  await board.follow(({ objectsDone }) => seen.push(objectsDone), stop.signal);
  await board.write(progress(1));
  await board.write(progress(2));
  await eventually(
    () => seen,
    (numbers) => numbers.length === 2,
  );
  assert.deepEqual(await board.read(), progress(2));
  stop.abort();
  await board.write(progress(3));
  await eventually(
    () => board.read(),
    (last) => last?.objectsDone === 3,
  );
  assert.deepEqual(seen, [1, 2]);
});

test('jobs are counted by state', async (t) => {
  const parts = await openParts(t, server.url);
  const next = takeJobs(t, parts.queue);
  await parts.queue.add('a/a', { type: 'added', at: 1 });
  await (await next()).fail(new Error('no'));
  await parts.queue.add('b/b', { type: 'added', at: 1 });
  const running = await next();
  await parts.queue.add('c/c', { type: 'added', at: 1 });
  await parts.timers.arm('d/d', { at: new Date(Date.now() + 60_000), reason: 'x' });
  const want = { waiting: 1, active: 1, delayed: 0, completed: 0, failed: 1 };
  assert.deepEqual(await readCounts(parts.redis, parts.queue.queue), want);
  assert.equal((await readCounts(parts.redis, parts.timers.queue))?.delayed, 1);
  await running.complete({});
});

test('display does not fail, and does not wait, while Redis is away', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const { redis, log, queue } = await openParts(t, own.url);
  await own.crash();
  const began = performance.now();
  await new PassLog(redis, log).append(pass(1));
  await new ProgressBoard(redis, log).write(progress(1));
  await eventually(
    () => readCounts(redis, queue.queue),
    (counts) => counts === undefined,
  );
  assert.ok(performance.now() - began < 10_000);
});

function situation(change: Partial<Situation> = {}): Situation {
  return {
    key: 'kubevirt/kubevirt',
    phase: 'Deploying',
    version: { target: 'v1.9.0', observed: '' },
    conditions: [{ type: 'Created', status: 'False', reason: '', message: '' }],
    components: [
      { kind: 'Deployment', name: 'virt-api', state: 'rolling', wanted: 2, updated: 2, ready: 0, crashing: 0 },
    ],
    certificates: [{ secret: 'kubevirt-ca', isAuthority: true, notBefore: 1, notAfter: 2 }],
    ...change,
  };
}

test('the situation of each object is kept, told when it is news, and forgotten', async (t) => {
  const { redis, log } = await openParts(t, server.url);
  const board = new SituationBoard(redis, log);
  const told: string[] = [];
  redis.subscriber().on('message', (_channel: string, key: string) => told.push(key));
  await redis.subscriber().subscribe(`${redis.prefix}:situations`);
  await board.write(situation());
  await board.write(situation());
  await board.write(situation({ phase: 'Deployed' }));
  await board.write(situation({ key: 'a/a' }));
  assert.deepEqual(await board.read(), [situation({ key: 'a/a' }), situation({ phase: 'Deployed' })]);
  await board.remove('a/a');
  assert.deepEqual(await board.read(), [situation({ phase: 'Deployed' })]);
  await eventually(
    () => told,
    (keys) => keys.length === 4,
  );
  assert.deepEqual(told, ['kubevirt/kubevirt', 'kubevirt/kubevirt', 'a/a', 'a/a']);
});

test('what another build has written in another form is left out, and emptied Redis is filled by the next write', async (t) => {
  const { redis, log } = await openParts(t, server.url);
  const board = new SituationBoard(redis, log);
  await board.write(situation());
  await redis.impatient.hset(`${redis.prefix}:situations`, 'b/b', '{"key":"b/b"}', 'c/c', 'no JSON');
  assert.deepEqual(await board.read(), [situation()]);
  await redis.impatient.del(`${redis.prefix}:situations`);
  await board.write(situation());
  assert.deepEqual(await board.read(), [situation()]);
});

test('the progress of an object that is gone is forgotten, that of another one is not', async (t) => {
  const { redis, log } = await openParts(t, server.url);
  const board = new ProgressBoard(redis, log);
  await board.write(progress(1));
  await board.clear('other/object');
  assert.deepEqual(await board.read(), progress(1));
  await board.clear('kubevirt/kubevirt');
  assert.equal(await board.read(), undefined);
});
