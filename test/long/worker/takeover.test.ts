import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startRedis, type TestRedis } from '../../integration/fixtures/redis.ts';
import { openParts } from '../../integration/queue/harness.ts';
import { KEY } from '../../integration/worker/harness.ts';
import { findOverlaps, listRuns, openCrew } from '../../integration/worker/processes.ts';

// With the times of the product: 10 s to live, renewed every 3 s.

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

const ENDS = [
  { name: 'SIGKILL: within 12 s', signal: 'SIGKILL', withinMs: 12_000 },
  { name: 'SIGTERM: within 1.5 s', signal: 'SIGTERM', withinMs: 1500 },
] as const;

for (const { name, signal, withinMs } of ENDS) {
  test(`the next worker goes on after ${name}`, async (t) => {
    const gate = `gate-${signal}`;
    const crew = await openCrew(t, server.url, { gate });
    const { queue, redis } = await openParts(t, server.url, crew.uid);
    const workers = new Map([crew.start('a'), crew.start('b')].map((worker) => [worker.name, worker]));
    await queue.add(KEY, { type: 'added', at: 1 });
    const [first] = await crew.see((lines) => lines.length === 1);
    const leader = workers.get(first?.worker ?? '');
    const ended = Date.now();
    leader?.kill(signal);
    const runs = listRuns(await crew.see((lines) => listRuns(lines).length === 2));
    const took = (runs[1]?.began ?? Infinity) - ended;
    t.diagnostic(`taken over after ${took} ms`);
    assert.ok(took <= withinMs, `${took} ms`);
    await redis.impatient.set(gate, 1);
    await crew.see((lines) => lines.some(({ event }) => event === 'end'));
    assert.deepEqual(findOverlaps(await crew.lines(), new Map([[leader?.name ?? '', ended]])), []);
  });
}

test('two workers with thousands of events and a Redis that is emptied now and then: no overlap, no loss', async (t) => {
  const crew = await openCrew(t, server.url, { passMs: 50, gateway: true });
  const { queue, redis } = await openParts(t, server.url, crew.uid);
  crew.start('a');
  crew.start('b');
  await queue.add(KEY, { type: 'added', at: 1 });
  await crew.see((lines) => lines.length > 0);
  for (let round = 0; round < 10; round += 1) {
    for (let i = 0; i < 500; i += 1) await queue.add(KEY, { type: 'modified', at: i });
    await redis.impatient.flushall();
    const emptiedAt = Date.now();
    await crew.see((lines) => listRuns(lines).some(({ began, event }) => began >= emptiedAt && event === 'end'));
  }
  assert.deepEqual(findOverlaps(await crew.lines()), []);
});
