import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { readWakeUps } from '../../../src/queue/wake-ups.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { takeJobs } from '../queue/harness.ts';
import { ask, openDashboard, type Ask, type TestDashboard } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

const load = createRequire(import.meta.url);
const isLoaded = () => Object.keys(load.cache).some((path) => path.includes('@bull-board'));

const WRITER: Ask = { method: 'PUT', headers: { authorization: 'Bearer writer' } };
const KEY = 'kubevirt/kubevirt';

/** A failed job, a done one, and a wake-up; the id of the failed job. */
async function fill(t: Parameters<typeof takeJobs>[0], { queue, timers }: TestDashboard): Promise<string> {
  const next = takeJobs(t, queue);
  await queue.add(KEY, { type: 'added', at: 1 });
  const failed = await next();
  await failed.fail(new Error('denied'));
  await queue.add('other/object', { type: 'added', at: 1 });
  await (await next()).complete({ outcome: 'done' });
  for (const key of [KEY, 'other/object']) await queue.takeCauses(key);
  await timers.arm(KEY, { at: new Date(Date.now() + 3_600_000), reason: 'renewal' });
  return failed.id;
}

async function causesOf({ queue }: TestDashboard, key = KEY): Promise<string[]> {
  const { causes } = await queue.takeCauses(key);
  return causes.map(({ type, note = '' }) => `${type} ${note}`);
}

// The first test of this file, and files have processes of their own: nothing has loaded it before.
test('Bull Board is loaded at its first visit', async (t) => {
  const { url } = await openDashboard(t, server.url);
  assert.equal((await ask(url, '/')).status, 200);
  assert.equal(isLoaded(), false);
  const { status, text } = await ask(url, '/queues/');
  assert.equal(status, 200);
  assert.match(text, /<div id="root">/);
  assert.equal(isLoaded(), true);
});

test('Bull Board shows both queues, read-only to those who may not write', async (t) => {
  const dashboard = await openDashboard(t, server.url, { write: 'writer' });
  await fill(t, dashboard);
  const read = async (headers: Record<string, string>) => {
    const { text } = await ask(dashboard.url, '/queues/api/queues?activeQueue=reconcile&status=failed', { headers });
    const { queues } = JSON.parse(text) as {
      queues: { name: string; readOnlyMode: boolean; counts: { failed: number } }[];
    };
    return queues.map(({ name, readOnlyMode, counts }) => [name, readOnlyMode, counts.failed]);
  };
  assert.deepEqual(await read({}), [
    ['reconcile', true, 1],
    ['timers', true, 0],
  ]);
  assert.deepEqual(await read({ authorization: 'Bearer writer' }), [
    ['reconcile', false, 1],
    ['timers', false, 0],
  ]);
});

interface Route {
  method: string | string[];
  route: string;
}

/** Every request by which the installed Bull Board changes something; the addresses are those that its page would ask for. */
function listChanges(job: string): { method: string; path: string }[] {
  const { appRoutes } = load(join(dirname(load.resolve('@bull-board/api')), 'routes.js')) as {
    appRoutes: { api: Route[] };
  };
  return appRoutes.api
    .flatMap(({ method, route }) => [method].flat().map((each) => ({ method: each.toUpperCase(), route })))
    .filter(({ method }) => method !== 'GET')
    .map(({ method, route }) => {
      const values: Record<string, string> = {
        queueName: 'reconcile',
        jobId: job,
        queueStatus: 'failed',
        schedulerId: 'x',
      };
      return { method, path: `/queues${route.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? name)}` };
    });
}

test('L27: whatever its page sends, nothing but retry and promote is taken, 401 without a session, 403 for readers, and the queue stays as it is', async (t) => {
  const dashboard = await openDashboard(t, server.url, { read: 'reader', write: 'writer' });
  const { url, queue, timers } = dashboard;
  const job = await fill(t, dashboard);
  const changes = listChanges(job);
  assert.ok(changes.length >= 20, `${changes.length} changes`);
  const before = await queue.queue.getJobCounts();
  const taken: string[] = [];
  for (const { method, path } of changes) {
    const body = JSON.stringify({
      name: 'x',
      data: {},
      options: {},
      priority: 1,
      delay: 1,
      max: 1,
      duration: 1,
      concurrency: 9,
    });
    const headers = { ...WRITER.headers, 'content-type': 'application/json' };
    const { status, text } = await ask(url, path, { method, headers, body });
    if (status < 300) taken.push(`${method} ${path}`);
    else
      assert.deepEqual(
        [status, Object.keys(JSON.parse(text) as object)],
        [status === 404 ? 404 : 403, ['error']],
        path,
      );
    const refused: [headers: Record<string, string>, want: number][] = [
      [{}, 401],
      [{ authorization: 'Bearer reader' }, 403],
      [{ ...WRITER.headers, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...WRITER.headers, origin: 'http://example.com' }, 403],
    ];
    for (const [given, want] of refused) {
      assert.equal((await ask(url, path, { method, headers: given, body })).status, want, path);
    }
  }
  const base = '/queues/api/queues/reconcile';
  assert.deepEqual(taken, [
    `PUT ${base}/retry/failed`,
    `PUT ${base}/promote`,
    `PUT ${base}/${job}/retry`,
    `PUT ${base}/${job}/promote`,
  ]);
  assert.equal(await queue.queue.isPaused(), false);
  assert.equal((await timers.queue.getJobCounts()).delayed, 1);
  const counts = await queue.queue.getJobCounts();
  assert.deepEqual([counts.failed, counts.completed], [before.failed, before.completed]);
});

test('a retried job queues its key with a cause of its own, and stays on record', async (t) => {
  const dashboard = await openDashboard(t, server.url, { write: 'writer' });
  const { url, queue } = dashboard;
  const job = await fill(t, dashboard);
  const { status } = await ask(url, `/queues/api/queues/reconcile/${job}/retry`, WRITER);
  assert.equal(status, 204);
  await eventually(
    () => queue.queue.getJobCounts('waiting', 'failed'),
    ({ waiting, failed }) => waiting === 1 && failed === 1,
  );
  assert.deepEqual(await causesOf(dashboard), ['requested by hand, in the dashboard']);
});

test('L28: a retried job starts afresh: its failures are forgotten, so that the next one is the first again', async (t) => {
  const dashboard = await openDashboard(t, server.url, { write: 'writer' });
  const { url, timers, redis } = dashboard;
  const job = await fill(t, dashboard);
  for (let count = 0; count < 9; count += 1) await timers.armRetry(KEY, 'denied');
  assert.equal((await ask(url, `/queues/api/queues/reconcile/${job}/retry`, WRITER)).status, 204);
  await timers.disarm(KEY);
  const at = await timers.armRetry(KEY, 'denied');
  assert.ok(at.getTime() - Date.now() < 1500, 'the shortest wait');
  assert.deepEqual(
    (await readWakeUps(redis)).map(({ reason }) => reason),
    ['retry 1: denied'],
  );
});

test('all failed jobs are retried by their keys, each once', async (t) => {
  const dashboard = await openDashboard(t, server.url, { write: 'writer' });
  const { url, queue } = dashboard;
  await fill(t, dashboard);
  const answer = await ask(url, '/queues/api/queues/reconcile/retry/failed', WRITER);
  assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { retried: 1, skipped: 0 }]);
  assert.deepEqual(await causesOf(dashboard), ['requested by hand, in the dashboard']);
  assert.deepEqual(await causesOf(dashboard, 'other/object'), []);
  assert.equal((await queue.queue.getJobCounts()).failed, 1);
});

test('a promoted wake-up queues its key at once, and stays armed', async (t) => {
  const dashboard = await openDashboard(t, server.url, { write: 'writer' });
  const { url, timers, redis } = dashboard;
  await fill(t, dashboard);
  const [alarm] = await timers.queue.getDelayed();
  const path = `/queues/api/queues/timers/${encodeURIComponent(alarm?.id ?? '')}/promote`;
  assert.equal((await ask(url, path, WRITER)).status, 204);
  assert.deepEqual(await causesOf(dashboard), ['requested by hand, in the dashboard']);
  assert.deepEqual(
    (await readWakeUps(redis)).map(({ key, reason }) => `${key}: ${reason}`),
    [`${KEY}: renewal`],
  );
});

test('a job that is not there is told', async (t) => {
  const { url } = await openDashboard(t, server.url, { write: 'writer' });
  for (const path of ['/queues/api/queues/reconcile/77/retry', '/queues/api/queues/nothing/1/retry']) {
    const { status, text } = await ask(url, path, WRITER);
    assert.equal(status, 404, path);
    assert.match(text, /there is no job/);
  }
});

test('while Redis is away Bull Board answers at once, with a sentence', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const { url, redis } = await openDashboard(t, own.url, { write: 'writer' });
  await own.crash();
  await eventually(
    () => redis.impatient.status,
    (status) => status !== 'ready',
  );
  for (const [path, how] of [
    ['/queues/', {}],
    ['/queues/api/queues', {}],
    ['/queues/api/queues/reconcile/1/retry', WRITER],
    ['/queues/api/queues/reconcile/promote', WRITER],
  ] as const) {
    const began = performance.now();
    const { status, text } = await ask(url, path, how);
    assert.equal(status, 503, path);
    assert.match((JSON.parse(text) as { error: string }).error, /^Redis is not reachable/);
    assert.ok(performance.now() - began < 2500, 'sooner than a command of Redis is given up');
  }
});
