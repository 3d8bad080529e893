import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { after, before, test } from 'node:test';

import type { RedisState } from '../../../src/dashboard/live.ts';
import type { Overview, ShownPass } from '../../../src/dashboard/overview.ts';
import { startDashboard } from '../../../src/dashboard/server.ts';
import { LeaderLock } from '../../../src/queue/lock.ts';
import { PassLog, type PassRecord } from '../../../src/queue/pass-log.ts';
import { ProgressBoard, type Progress } from '../../../src/queue/progress.ts';
import { SituationBoard, type Situation } from '../../../src/queue/situation.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from '../queue/harness.ts';
import { ask, openDashboard, openStream } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

const KEY = 'kubevirt/kubevirt';

function buildPass(id: number, change: Partial<PassRecord> = {}): PassRecord {
  return {
    id: String(id),
    key: KEY,
    causes: [{ type: 'modified', at: 1 }],
    causesTotal: 1,
    startedAt: 1000 * id,
    durationMs: 5,
    outcome: 'done',
    writes: 0,
    worker: 'w',
    ...change,
  };
}

function buildProgress(objectsDone: number): Progress {
  return {
    key: KEY,
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

const SITUATION: Situation = {
  key: KEY,
  phase: 'Deployed',
  version: { target: 'v1.9.0', observed: 'v1.9.0' },
  conditions: [],
  components: [],
  certificates: [],
};

test('a page is told everything when it opens, and an empty cluster in so many words', async (t) => {
  const { url } = await openDashboard(t, server.url, { write: 'writer' });
  const stream = await openStream(t, url);
  const hello = await stream.until<Record<string, unknown>>('hello', () => true);
  assert.deepEqual({ ...hello, now: 0 }, { access: 'read', canSignIn: true, isSignedIn: false, now: 0 });
  assert.ok(Math.abs(Number(hello['now']) - Date.now()) < 5000);
  await stream.until<ShownPass[]>('passes', () => true);
  assert.deepEqual(Object.fromEntries(stream.events.slice(1).map(({ event, data }) => [event, data])), {
    redis: { state: 'ready' },
    progress: null,
    situations: [],
    leader: null,
    queue: { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0 },
    wakeUps: [],
    passes: [],
  });
});

test('every part is told when it changes, not at the next look, and only then', async (t) => {
  const { url, redis, log, timers, queue } = await openDashboard(t, server.url);
  const stream = await openStream(t, url);
  await stream.until('passes', () => true);
  const quick = async (event: string, change: () => Promise<unknown>, want: (data: unknown) => boolean) => {
    const began = performance.now();
    await change();
    await stream.until(event, want);
    return performance.now() - began;
  };
  const took = [
    await quick(
      'progress',
      () => new ProgressBoard(redis, log).write(buildProgress(7)),
      (data) => (data as Progress | null)?.objectsDone === 7,
    ),
    await quick(
      'situations',
      () => new SituationBoard(redis, log).write(SITUATION),
      (data) => (data as Situation[]).length === 1,
    ),
    await quick(
      'passes',
      () => new PassLog(redis, log).append(buildPass(1)),
      (data) => (data as ShownPass[]).length === 1,
    ),
  ];
  // One that came with the looks, every two seconds, would come two seconds after the one before.
  assert.ok(Math.max(...took) < 1500, took.map(Math.round).join(' ms, '));
  const before = stream.events.length;
  await new SituationBoard(redis, log).write(SITUATION);
  await quick(
    'wakeUps',
    () => timers.arm(KEY, { at: new Date(9_000_000_000_000), reason: 'x' }),
    (data) => (data as unknown[]).length === 1,
  );
  const told = stream.events.slice(before).filter(({ event }) => event !== 'beat');
  assert.deepEqual(
    told.map(({ event }) => event),
    ['wakeUps'],
    'what is no news is not told',
  );
  assert.deepEqual(told[0]?.data, [{ key: KEY, at: 9_000_000_000_000, reason: 'x' }]);
  await quick(
    'queue',
    () => queue.add(KEY, { type: 'added', at: 1 }),
    (data) => (data as Overview['queue']).waiting === 1,
  );
});

test('who leads is told, since when, and that nobody does', async (t) => {
  const { url, redis, log } = await openDashboard(t, server.url);
  const stream = await openStream(t, url);
  await stream.until('leader', (leader) => leader === null);
  const stop = new AbortController();
  const lock = new LeaderLock({ redis, log, holder: 'virt-operator-1' });
  const began = Date.now();
  const led = lock.run({
    signal: stop.signal,
    onLead: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      }),
  });
  const leader = await stream.until<NonNullable<Overview['leader']>>('leader', (data) => (data as unknown) !== null);
  assert.equal(leader.holder, 'virt-operator-1');
  assert.ok(Math.abs(leader.since - began) < 5000);
  stop.abort();
  await led;
  await stream.until('leader', (data) => data === null);
});

test('the last passes are told, all that are kept can be asked for, and long lists are cut with their numbers', async (t) => {
  const { url, redis, log } = await openDashboard(t, server.url);
  const history = new PassLog(redis, log);
  const errors = Array.from({ length: 30 }, (_, n) => ({ object: `ConfigMap a/${n}`, error: 'denied' }));
  const causes = Array.from({ length: 60 }, (_, at) => ({ type: 'modified' as const, at }));
  const written = Array.from({ length: 70 }, (_, n) => ({ verb: 'patch', object: `ConfigMap a/${n}` }));
  for (let id = 1; id <= 40; id += 1) await history.append(buildPass(id, { errors, causes, causesTotal: 60, written }));
  const stream = await openStream(t, url);
  const passes = await stream.until<ShownPass[]>('passes', () => true);
  assert.deepEqual(
    passes.map(({ id }) => Number(id)),
    Array.from({ length: 12 }, (_, index) => 40 - index),
  );
  for (const { causes: listed, errors: shown = [], causesTotal, errorsTotal, written: objects = [] } of passes) {
    assert.deepEqual([listed.length, causesTotal, shown.length, errorsTotal, objects.length], [20, 60, 20, 30, 20]);
  }
  assert.equal((await history.read(1))[0]?.written?.length, 50, 'a pass of an installation must not fill Redis');
  const all = JSON.parse((await ask(url, '/api/passes')).text) as ShownPass[];
  assert.deepEqual(
    all.map(({ id }) => Number(id)),
    Array.from({ length: 40 }, (_, index) => 40 - index),
  );
});

test('while no page is open nothing is asked of Redis', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { url, redis } = await openDashboard(t, own.url);
  const stream = await openStream(t, url);
  await stream.until('passes', () => true);
  const countCommands = async () =>
    Number(/total_commands_processed:(\d+)/.exec(await redis.impatient.info('stats'))?.[1]);
  const during = await countCommands();
  t.mock.timers.tick(2000);
  await eventually(countCommands, (commands) => commands > during + 10);
  await stream.close();
  // The look that was under way when the page closed ends.
  await eventually(
    async () => [await countCommands(), await countCommands()],
    ([one = 0, two = 0]) => two - one === 1,
  );
  const before = await countCommands();
  t.mock.timers.tick(60_000);
  await turn();
  assert.equal((await countCommands()) - before, 1);
});

test('Redis that goes away is told with its reason, and so is that it is back with what it then holds', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const { url, redis, log } = await openDashboard(t, own.url);
  await new SituationBoard(redis, log).write(SITUATION);
  const stream = await openStream(t, url);
  await stream.until<Situation[]>('situations', (situations) => situations.length === 1);
  await own.crash();
  const away = await stream.until<RedisState>('redis', ({ state }) => state === 'away');
  assert.ok(away.state === 'away' && away.since <= Date.now());
  await stream.until<RedisState>('redis', (state) => state.state === 'away' && /ECONNREFUSED/.test(state.reason));
  assert.equal((await ask(url, '/api/passes')).status, 503);
  assert.equal((await ask(url, '/')).status, 200);
  await own.restart();
  await stream.until<RedisState>('redis', ({ state }) => state === 'ready');
  await stream.until<Situation[]>('situations', (situations) => situations.length === 0);
});

test('before the queue of a cluster is found, pages are served and say so', async (t) => {
  const dashboard = await startDashboard({ host: '127.0.0.1', port: 0, tokens: {}, log: testLog() });
  t.after(() => dashboard.stop());
  const stream = await openStream(t, dashboard.url);
  await stream.until<RedisState>('redis', ({ state }) => state === 'searching');
  for (const path of ['/api/passes', '/queues/']) assert.equal((await ask(dashboard.url, path)).status, 503, path);
  const { redis } = await openDashboard(t, server.url);
  assert.equal(redis.impatient.status, 'ready');
});

test('a page too many is refused with a sentence, and taken when another one has closed', async (t) => {
  const { url } = await openDashboard(t, server.url);
  const streams = [];
  for (let count = 0; count < 50; count += 1) streams.push(await openStream(t, url));
  const refused = await ask(url, '/events');
  assert.deepEqual([refused.status, JSON.parse(refused.text)], [503, { error: '50 pages are open; close one' }]);
  await streams[0]?.close();
  await eventually(
    () => openStream(t, url).then(() => true),
    (isOpen) => isOpen,
  );
});

test('stopping ends open pages at once, and may be done twice', async (t) => {
  const dashboard = await startDashboard({ host: '127.0.0.1', port: 0, tokens: {}, log: testLog() });
  await openStream(t, dashboard.url);
  const began = performance.now();
  await dashboard.stop();
  await dashboard.stop();
  assert.ok(performance.now() - began < 4000);
});
