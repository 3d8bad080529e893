import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { ClusterMetrics, type ClusterSnapshot } from '../../../functions/metrics/cluster-metrics.ts';

const log = pino({ level: 'silent' });
const counts = { waiting: 2, active: 1, delayed: 0, completed: 5, failed: 1 };
const snapshot: ClusterSnapshot = {
  queues: { reconcile: counts },
  leader: { holder: 'pod-a', fence: 1, ageMs: 1500 },
  lastPass: {
    id: '1',
    key: 'kubevirt/kubevirt',
    causes: [],
    causesTotal: 0,
    startedAt: 10_000,
    durationMs: 250,
    outcome: 'done',
    writes: 3,
    worker: 'pod-a',
  },
};
const show = (read: () => Promise<ClusterSnapshot | undefined>) => new ClusterMetrics({ read, log }).metrics();

test('what Redis knows is shown', async () => {
  const page = await show(() => Promise.resolve(snapshot));
  for (const line of [
    'virt_operator_redis_up 1',
    'virt_operator_queue_jobs{queue="reconcile",state="waiting"} 2',
    'virt_operator_queue_jobs{queue="reconcile",state="failed"} 1',
    'virt_operator_lock_held 1',
    'virt_operator_lock_holder{holder="pod-a"} 1',
    'virt_operator_lock_age_seconds 1.5',
    'virt_operator_last_pass_timestamp_seconds{outcome="done"} 10.25',
    'virt_operator_last_pass_duration_seconds 0.25',
    'virt_operator_last_pass_writes 3',
  ])
    assert.ok(page.split('\n').includes(line), line);
});

test('series of a former leader and of former outcomes do not stay', async () => {
  let current = snapshot;
  const metrics = new ClusterMetrics({ read: () => Promise.resolve(current), log });
  await metrics.metrics();
  current = { ...snapshot, leader: undefined, lastPass: { ...snapshot.lastPass!, outcome: 'retry' } };
  const page = await metrics.metrics();
  assert.match(page, /virt_operator_lock_held 0\n/);
  assert.doesNotMatch(page, /pod-a|outcome="done"/);
});

const failures: { name: string; read: () => Promise<ClusterSnapshot | undefined> }[] = [
  { name: 'is away', read: () => Promise.resolve(undefined) },
  { name: 'refuses', read: () => Promise.reject(new Error('OOM command not allowed')) },
  { name: 'does not answer', read: () => delay(60_000, undefined, { ref: false }) },
];
for (const { name, read } of failures) {
  test(`a Redis that ${name} is a metric, in less than a second`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const showing = show(read);
    await turn();
    context.mock.timers.tick(999);
    const page = await showing;
    assert.match(page, /^virt_operator_redis_up 0$/m);
    assert.doesNotMatch(page, /virt_operator_(?!redis_up)/);
    assert.ok(page.endsWith('\n'));
  });
}

test('scrapes at the same time share one look at Redis', async () => {
  let looks = 0;
  const metrics = new ClusterMetrics({
    read: () => {
      looks++;
      return Promise.resolve(snapshot);
    },
    log,
  });
  const pages = await Promise.all([metrics.metrics(), metrics.metrics(), metrics.metrics()]);
  assert.equal(new Set(pages).size, 1);
  assert.equal(looks, 1);
  await metrics.metrics();
  assert.equal(looks, 2);
});
