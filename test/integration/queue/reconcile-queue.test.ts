import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Cause } from '../../../src/api/causes.ts';
import type { KindName } from '../../../src/api/kinds.ts';
import { deduplicationIdOf, JOB_VERSION } from '../../../src/queue/job-data.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import type { ReconcileQueue } from '../../../src/queue/reconcile-queue.ts';
import { eventually } from '../fixtures/eventually.ts';
import { openParts, takeJobs } from './harness.ts';

const KEY = 'kubevirt/kubevirt';
let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

function modified(kind: KindName, resourceVersion: string): Cause {
  return { type: 'modified', kind, name: 'x', resourceVersion, at: 1 };
}

test('two hundred adds during a run give exactly one more run, with all their causes', async (t) => {
  const { queue } = await openParts(t, server.url);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  const first = await next();
  assert.equal((await queue.takeCauses(KEY)).causes.length, 1);
  await Promise.all(Array.from({ length: 200 }, (_, at) => queue.add(KEY, { type: 'modified', at })));
  await first.complete({});
  const second = await next();
  assert.equal((await queue.takeCauses(KEY)).causes.length, 200);
  await second.complete({});
  assert.deepEqual(await queue.queue.getJobCounts('waiting', 'active', 'delayed', 'completed'), {
    waiting: 0,
    active: 0,
    delayed: 0,
    completed: 2,
  });
});

test('a waiting key waits once, two keys are two jobs', async (t) => {
  const { queue } = await openParts(t, server.url);
  const cause: Cause = { type: 'resync', at: 1 };
  await Promise.all([queue.add(KEY, cause), queue.add(KEY, cause), queue.add('other/kubevirt', cause)]);
  assert.deepEqual(await queue.queue.getJobCounts('waiting'), { waiting: 2 });
});

test('causes are taken once, in order, each as it was added', async (t) => {
  const { queue } = await openParts(t, server.url);
  const causes: Cause[] = [
    { type: 'timer', note: 'certificate', at: 1 },
    { type: 'modified', kind: 'Pod', name: 'a', namespace: 'kubevirt', resourceVersion: '7', at: 2 },
  ];
  for (const cause of causes) await queue.add(KEY, cause);
  await queue.add('other/kubevirt', { type: 'resync', at: 3 });
  assert.deepEqual((await queue.takeCauses(KEY)).causes, causes);
  assert.deepEqual((await queue.takeCauses(KEY)).causes, []);
});

test('more causes than are kept leave a cause that says how many', async (t) => {
  const { queue } = await openParts(t, server.url);
  const causes = Array.from({ length: 1005 }, (_, at): Cause => ({ type: 'modified', at }));
  await queue.add(KEY, causes);
  const taken = (await queue.takeCauses(KEY)).causes;
  assert.equal(taken.length, 1001);
  assert.match(taken[0]?.note ?? '', /^5 /);
  assert.equal(taken.at(-1)?.at, 1004);
  assert.deepEqual((await queue.takeCauses(KEY)).causes, []);
});

const RAISES = [
  { name: 'a longer number is higher', add: ['9', '10'], want: '10' },
  { name: 'a shorter number is lower', add: ['10', '9'], want: '10' },
  { name: 'equally long numbers', add: ['100', '101', '099x', '100'], want: '101' },
  { name: 'beyond the precision of a double', add: ['9007199254740992', '9007199254740993'], want: '9007199254740993' },
  {
    name: 'beyond 64 bits',
    add: ['98765432109876543210987', '98765432109876543210988'],
    want: '98765432109876543210988',
  },
  { name: 'what is no number raises nothing', add: ['7', 'abc', '', '0'], want: '7' },
];

for (const { name, add, want } of RAISES) {
  test(`the highest version of a kind: ${name}`, async (t) => {
    const { queue } = await openParts(t, server.url);
    for (const version of add) await queue.add(KEY, modified('Secret', version));
    assert.deepEqual((await queue.takeCauses(KEY)).versions, { Secret: want });
  });
}

test('versions hold per kind and for every later pass, own writes raise them too', async (t) => {
  const { queue } = await openParts(t, server.url);
  await queue.add(KEY, [modified('Secret', '5'), modified('Pod', '70')]);
  await queue.recordWrite('Secret', '12');
  await queue.recordWrite('ConfigMap', '13');
  const want = { Secret: '12', Pod: '70', ConfigMap: '13' };
  assert.deepEqual((await queue.takeCauses(KEY)).versions, want);
  assert.deepEqual((await queue.takeCauses(KEY)).versions, want);
});

test('another process sees the writes and deletes of this one', async (t) => {
  const uid = crypto.randomUUID();
  const { queue } = await openParts(t, server.url, uid);
  const { queue: other } = await openParts(t, server.url, uid);
  await queue.recordWrite('Secret', '12');
  await queue.recordDelete('Secret', 'u-1');
  await queue.add(KEY, [modified('Secret', '12'), modified('Secret', '11')]);
  const taken = await other.takeCauses(KEY);
  assert.deepEqual(taken.causes, [modified('Secret', '11')]);
  assert.deepEqual(taken.versions, { Secret: '12' });
  assert.deepEqual(taken.deletes, [{ kind: 'Secret', uid: 'u-1' }]);
});

const OWN = [
  { name: 'the answer to an own write is no cause', kind: 'Secret', before: true, want: 0 },
  { name: 'nor when its event came before the write was recorded', kind: 'Secret', before: false, want: 0 },
  { name: 'a Deployment counts whoever wrote it', kind: 'Deployment', before: true, want: 1 },
  { name: 'a DaemonSet counts whoever wrote it', kind: 'DaemonSet', before: true, want: 1 },
  { name: 'a Pod counts whoever wrote it', kind: 'Pod', before: true, want: 1 },
  { name: 'a KubeVirt counts whoever wrote it', kind: 'KubeVirt', before: true, want: 1 },
] as const;

for (const { name, kind, before: recordedFirst, want } of OWN) {
  test(`own writes: ${name}`, async (t) => {
    const { queue } = await openParts(t, server.url);
    if (recordedFirst) await queue.recordWrite(kind, '42');
    await queue.add(KEY, modified(kind, '42'));
    if (!recordedFirst) await queue.recordWrite(kind, '42');
    assert.equal((await queue.takeCauses(KEY)).causes.length, want);
  });
}

test('a write of another kind with the same version is no answer to ours', async (t) => {
  const { queue } = await openParts(t, server.url);
  await queue.recordWrite('Secret', '42');
  await queue.add(KEY, modified('ConfigMap', '42'));
  assert.equal((await queue.takeCauses(KEY)).causes.length, 1);
});

test('own writes and deletes outlive a Redis that was emptied', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const { queue, redis } = await openParts(t, own.url);
  await queue.recordWrite('Secret', '42');
  await queue.recordDelete('Secret', 'u-1');
  await redis.impatient.flushall();
  await queue.add(KEY, modified('Secret', '42'));
  const taken = await queue.takeCauses(KEY);
  assert.deepEqual(taken, { causes: [], versions: { Secret: '42' }, deletes: [{ kind: 'Secret', uid: 'u-1' }] });
});

test('adding fails fast while Redis is away, recording does not fail at all', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const { queue } = await openParts(t, own.url);
  await own.crash();
  const began = performance.now();
  await assert.rejects(queue.add(KEY, { type: 'resync', at: 1 }));
  assert.ok(performance.now() - began < 8000);
  await queue.recordWrite('Secret', '42');
  await queue.recordDelete('Secret', 'u-1');
});

test('a failed job is visible with its error and does not come back by itself', async (t) => {
  const { queue } = await openParts(t, server.url);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  const job = await next();
  await job.fail(new Error('the API server said no'));
  const [failed] = await queue.queue.getFailed();
  assert.equal(failed?.failedReason, 'the API server said no');
  assert.deepEqual(await queue.queue.getJobCounts('waiting', 'active', 'delayed'), {
    waiting: 0,
    active: 0,
    delayed: 0,
  });
});

test('an event during a failing pass runs next, without any delay', async (t) => {
  const { queue } = await openParts(t, server.url);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  const job = await next();
  await queue.takeCauses(KEY);
  await queue.add(KEY, { type: 'modified', at: 2 });
  await job.fail(new Error('no'));
  const again = await next();
  assert.deepEqual((await queue.takeCauses(KEY)).causes, [{ type: 'modified', at: 2 }]);
  await again.complete({});
});

test('a job that was put back runs next', async (t) => {
  const { queue } = await openParts(t, server.url);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  await queue.add('other/kubevirt', { type: 'added', at: 1 });
  await (await next()).putBack();
  const again = await next();
  assert.equal(again.key, KEY);
  await again.complete({});
});

test('a failed job that a person runs again has a cause', async (t) => {
  const { queue } = await openParts(t, server.url);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  const job = await next();
  await queue.takeCauses(KEY);
  await job.fail(new Error('no'));
  const [failed] = await queue.queue.getFailed();
  await failed?.retry();
  const again = await next();
  assert.deepEqual(
    (await queue.takeCauses(KEY)).causes.map(({ type }) => type),
    ['requested'],
  );
  await again.complete({});
});

test('a job of a newer release is left alone, and found again by the next leader', async (t) => {
  const { queue } = await openParts(t, server.url);
  const data = { version: 2, key: KEY, more: 'that we do not know' };
  await queue.queue.add('reconcile', data, { deduplication: { id: KEY, keepLastIfActive: true } });
  const next = takeJobs(t, queue);
  await queue.add('other/kubevirt', { type: 'added', at: 1 });
  const ours = await next();
  assert.equal(ours.key, 'other/kubevirt');
  await ours.complete({});
  const [newer] = await queue.queue.getDelayed();
  assert.deepEqual(newer?.data, data);
  assert.equal(newer.attemptsStarted, 1);
  // A new leader looks at it once, and puts it off again if it is no newer itself.
  const nextLeader = takeJobs(t, queue);
  await assert.rejects(Promise.race([nextLeader(), secondLook(queue)]), /looked/);
});

test('a job of a newer release does not keep this one from the same key, after a way back for example', async (t) => {
  const { queue } = await openParts(t, server.url);
  const deduplication = { id: deduplicationIdOf(KEY, JOB_VERSION + 1), keepLastIfActive: true };
  await queue.queue.add('reconcile', { version: JOB_VERSION + 1, key: KEY }, { deduplication });
  const next = takeJobs(t, queue)();
  await eventually(
    () => queue.queue.getDelayedCount(),
    (delayed) => delayed === 1,
  );
  await queue.add(KEY, { type: 'added', at: 1 });
  const ours = await next;
  assert.equal(ours.key, KEY);
  await ours.complete({});
});

/** Rejects when the only delayed job was looked at twice. */
async function secondLook({ queue }: ReconcileQueue): Promise<never> {
  await eventually(
    async () => (await queue.getDelayed()).at(0)?.attemptsStarted,
    (looks) => looks === 2,
  );
  throw new Error('looked');
}

test('a job that nobody can read fails and is in nobody’s way', async (t) => {
  const { queue } = await openParts(t, server.url);
  await queue.queue.add('reconcile', { nonsense: true } as never);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  const job = await next();
  assert.equal(job.key, KEY);
  assert.equal((await queue.queue.getFailed()).length, 1);
  await job.complete({});
});

test('a new leader fails the job of a dead one and queues its key again', async (t) => {
  const { queue } = await openParts(t, server.url);
  const dead = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  await dead();
  await queue.takeCauses(KEY);
  const began = performance.now();
  const next = takeJobs(t, queue);
  const job = await next();
  assert.ok(performance.now() - began < 4500, 'at once, not at the first idle turn, which comes after five seconds');
  assert.equal(job.key, KEY);
  assert.deepEqual(
    (await queue.takeCauses(KEY)).causes.map(({ type }) => type),
    ['recovered'],
  );
  await job.complete({});
  const [failed] = await queue.queue.getFailed();
  assert.match(failed?.failedReason ?? '', /did not end/);
});

test('a job whose result Redis did not take counts as left behind', async (t) => {
  const { queue } = await openParts(t, server.url);
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  await next();
  const again = await next();
  assert.equal(again.key, KEY);
  assert.equal((await queue.takeCauses(KEY)).causes.at(-1)?.type, 'recovered');
  await again.complete({});
});
