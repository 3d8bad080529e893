import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import type { Outcome } from '../../../src/worker/outcome.ts';
import { KEY, startWorker, type TestWorker } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);

const DONE: Outcome = { type: 'done', wrote: 1 };
const FAILED: Outcome = { type: 'never', error: new Error('on purpose') };

/** Adds an event and resolves with the milliseconds until a pass with its cause begins. */
async function untilRun({ queue, passes }: TestWorker, note: string): Promise<number> {
  const added = performance.now();
  await queue.add(KEY, { type: 'modified', note, at: Date.now() });
  const pass = await eventually(
    () => passes.find(({ work }) => work.causes.some((cause) => cause.note === note)),
    (found) => found !== undefined,
    10_000,
  );
  assert.ok(pass);
  return pass.began - added;
}

for (const { name, outcome, state } of [
  { name: 'a finished', outcome: DONE, state: 'completed' },
  { name: 'a failed', outcome: FAILED, state: 'failed' },
] as const) {
  test(`L02: with ${name} job of the same KubeVirt kept for history, a new event starts a run within a second`, async (t) => {
    const worker = await startWorker(t, { url: server.url, pass: () => outcome });
    for (const note of ['one', 'two', 'three']) {
      const milliseconds = await untilRun(worker, note);
      assert.ok(milliseconds < 1000, `${milliseconds} ms`);
      await eventually(
        () => worker.queue.queue.getJobCounts(state, 'active', 'waiting'),
        (counts) => counts['active'] === 0 && counts['waiting'] === 0,
      );
    }
    assert.equal((await worker.queue.queue.getJobCounts(state))[state], 3, 'all of them are kept');
  });
}

test(`L02: an add that the queue drops leaves a trace: each of 300 events is in the causes of a pass that began after it (TEST_SEED=${seed})`, async (t) => {
  const worker = await startWorker(t, {
    url: server.url,
    pass: async (count) => {
      // Passes of every length, so that events meet waiting, running and finished jobs alike.
      await pause((count * 7) % 23);
      return count % 5 === 0 ? FAILED : DONE;
    },
  });
  const addedAt = new Map<string, number>();
  let state = seed;
  for (let index = 0; index < 300; index++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const note = `event ${index}`;
    addedAt.set(note, performance.now());
    await worker.queue.add(KEY, { type: 'modified', note, at: Date.now() });
    await pause(state % 12);
  }
  const begunWith = () =>
    new Map(worker.passes.flatMap(({ began, work }) => work.causes.map(({ note = '' }) => [note, began] as const)));
  const begun = await eventually(begunWith, (seen) => [...addedAt.keys()].every((note) => seen.has(note)), 10_000);
  for (const [note, at] of addedAt) {
    const wait = (begun.get(note) ?? 0) - at;
    assert.ok(wait > 0 && wait < 1500, `${note}: ${wait} ms`);
  }
  assert.ok(worker.passes.length < 300, 'some adds were dropped');
});
