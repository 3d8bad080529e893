import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { openParts } from '../queue/harness.ts';
import { KEY, TIMES } from './harness.ts';
import { findOverlaps, listRuns, openCrew } from './processes.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

test('three workers killed one after the other in mid-pass: the next one goes on each time', async (t) => {
  const crew = await openCrew(t, server.url, { gate: 'gate-kills', times: TIMES });
  const { queue, redis } = await openParts(t, server.url, crew.uid);
  const workers = ['a', 'b', 'c', 'd'].map((name) => crew.start(name));
  await queue.add(KEY, { type: 'added', at: 1 });
  const killedAt = new Map<string, number>();
  for (let kills = 0; kills < 3; kills += 1) {
    const lines = await crew.see((seen) => seen.length === kills + 1);
    const victim = workers.find(({ name }) => name === lines[kills]?.worker);
    victim?.kill('SIGKILL');
    assert.equal(await victim?.exit, 'SIGKILL');
    killedAt.set(victim?.name ?? '', Date.now());
  }
  await crew.see((seen) => seen.length === 4);
  await redis.impatient.set('gate-kills', 1);
  const lines = await crew.see((seen) => seen.some(({ event }) => event === 'end'));
  assert.deepEqual(
    lines.map(({ event }) => event),
    ['start', 'start', 'start', 'start', 'end'],
  );
  assert.deepEqual(lines[3]?.causes, ['recovered']);
  assert.equal(new Set(lines.map(({ worker }) => worker)).size, 4, 'four workers in turn');
  assert.deepEqual(findOverlaps(lines, killedAt), []);
  const fences = lines.map(({ fence }) => fence);
  assert.deepEqual(
    fences.slice(0, 4),
    [...new Set(fences)].toSorted((x, y) => x - y),
  );
  assert.equal((await queue.queue.getFailed()).length, 3);
  for (const [index, line] of lines.slice(1, 4).entries()) {
    const took = line.at - [...killedAt.values()][index]!;
    assert.ok(took < 5000, `taken over after ${took} ms: soon after the second that the lock lives`);
  }
});

test('two workers never run at the same time, and no key is lost', async (t) => {
  const crew = await openCrew(t, server.url, { passMs: 30, times: TIMES });
  const { queue } = await openParts(t, server.url, crew.uid);
  const one = crew.start('a');
  await queue.add(KEY, { type: 'added', at: 1 });
  await crew.see((lines) => lines.length > 0);
  crew.start('b');
  for (let i = 0; i < 100; i += 1) {
    await queue.add(KEY, { type: 'modified', at: i });
    if (i === 50) one.kill('SIGTERM');
  }
  assert.equal(await one.exit, 0);
  await queue.add('last/kubevirt', { type: 'added', at: 1 });
  const last = await eventually(
    () => queue.queue.getJobCounts('waiting', 'active'),
    (counts) => counts['waiting'] === 0 && counts['active'] === 0,
  );
  assert.deepEqual(last, { waiting: 0, active: 0 });
  assert.deepEqual(findOverlaps(await crew.lines()), []);
});

test('SIGTERM in mid-pass: the next worker goes on at once, with the same causes', async (t) => {
  const crew = await openCrew(t, server.url, { gate: 'gate-term', times: { ...TIMES, ttlMs: 10_000, renewMs: 3000 } });
  const { queue, redis } = await openParts(t, server.url, crew.uid);
  const workers = new Map([crew.start('a'), crew.start('b')].map((worker) => [worker.name, worker]));
  await queue.add(KEY, { type: 'added', at: 1 });
  await queue.add(KEY, { type: 'timer', at: 2 });
  const [first] = await crew.see((lines) => lines.length === 1);
  const leader = workers.get(first?.worker ?? '');
  const asked = Date.now();
  leader?.kill('SIGTERM');
  const lines = await crew.see((seen) => seen.length === 3);
  assert.deepEqual(
    lines.map(({ event }) => event),
    ['start', 'abort', 'start'],
  );
  assert.deepEqual(lines[2]?.causes, first?.causes);
  assert.ok((lines[2]?.at ?? Infinity) - asked < 8000, 'before the lock runs out');
  assert.equal(await leader?.exit, 0);
  await redis.impatient.set('gate-term', 1);
  await crew.see((seen) => seen.at(-1)?.event === 'end');
});

test('L16: Redis is emptied in mid-pass, five times: no overlap, no loss', async (t) => {
  const crew = await openCrew(t, server.url, { passMs: 300, times: TIMES, gateway: true });
  const { queue, redis } = await openParts(t, server.url, crew.uid);
  crew.start('a');
  crew.start('b');
  for (let round = 0; round < 5; round += 1) {
    const before = (await crew.lines()).length;
    await queue.add(KEY, { type: 'modified', at: round });
    await crew.see((lines) => lines.slice(before).some(({ event }) => event === 'start'));
    await redis.impatient.flushall();
    const emptiedAt = Date.now();
    // Whatever was lost with Redis is done again: a whole pass after the loss.
    await crew.see((lines) => listRuns(lines).some(({ began, event }) => began >= emptiedAt && event === 'end'));
  }
  assert.deepEqual(findOverlaps(await crew.lines()), []);
});

test('L01: a leader that was stopped for longer than its time to live ends its pass when it wakes up', async (t) => {
  const crew = await openCrew(t, server.url, { gate: 'gate-stop', times: TIMES });
  const { queue, redis } = await openParts(t, server.url, crew.uid);
  const workers = new Map([crew.start('a'), crew.start('b')].map((worker) => [worker.name, worker]));
  await queue.add(KEY, { type: 'added', at: 1 });
  const [first] = await crew.see((lines) => lines.length === 1);
  const frozen = workers.get(first?.worker ?? '');
  frozen?.kill('SIGSTOP');
  await crew.see((lines) => lines.length === 2);
  frozen?.kill('SIGCONT');
  const lines = await crew.see((seen) => seen.length === 3);
  assert.equal(lines[2]?.event, 'abort');
  assert.equal(lines[2].worker, first?.worker);
  await redis.impatient.set('gate-stop', 1);
  const end = await crew.see((seen) => seen.some(({ event }) => event === 'end'));
  assert.notEqual(end.find(({ event }) => event === 'end')?.worker, first?.worker);
});
