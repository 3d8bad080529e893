import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { RedisClient } from '../../../src/queue/connection.ts';
import { buildKeys } from '../../../src/queue/keys.ts';
import { PassLog } from '../../../src/queue/pass-log.ts';
import { openParts, takeJobs, type Parts } from './harness.ts';

const KEY = 'kubevirt/kubevirt';

/** Bytes that the keys of one prefix take, largest first. */
async function measureKeys(redis: RedisClient, prefix: string): Promise<{ key: string; bytes: number }[]> {
  const keys = await redis.keys(`${prefix.replace(/[{}[\]*?\\]/g, '\\$&')}*`);
  const sizes = await Promise.all(
    keys.map(async (key) => ({ key, bytes: Number(await redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0')) })),
  );
  return sizes.sort((a, b) => b.bytes - a.bytes);
}

const sum = (sizes: readonly { bytes: number }[]): number => sizes.reduce((total, { bytes }) => total + bytes, 0);

/**
 * Runs so many reconciles through the queue, each with causes, own writes and a record of its pass, and fails when Redis grows in the second half
 * (spec/field-reports.md L05).
 */
export async function reconcileOften(t: TestContext, url: string, reconciles: number): Promise<void> {
  const parts = await openParts(t, url);
  const { redis, queue } = parts;
  // The record of own writes is full after 5,000: as many as an operator makes in a day or two.
  for (let count = 0; count < 5000; count++) await queue.recordWrite('Secret', String(count));
  const reconcile = openReconciler(t, parts);
  const measure = async () => sum(await measureKeys(redis.impatient, redis.prefix));
  for (let count = 0; count < reconciles / 2; count++) await reconcile();
  const half = await measure();
  for (let count = 0; count < reconciles / 2; count++) await reconcile();
  const whole = await measure();
  assert.ok(whole <= half * 1.05, `${half} bytes after the first half, ${whole} after the second`);
  await assertBounded(redis.impatient, redis.prefix);
  await assertSmall(queue.queue);
}

/** Returns what one event does to Redis: its job, its causes, a write, a delete, the record of the pass; every third pass fails. */
function openReconciler(t: TestContext, { redis, queue, log }: Parts): () => Promise<void> {
  const history = new PassLog(redis, log);
  const next = takeJobs(t, queue);
  let count = 0;
  return async () => {
    count += 1;
    const at = Date.now();
    await queue.add(KEY, { type: 'modified', kind: 'Pod', name: `pod-${count}`, resourceVersion: String(count), at });
    const job = await next();
    const { causes } = await queue.takeCauses(KEY);
    await queue.recordWrite('Deployment', String(count));
    // Awaited for five minutes; the number of objects of an installation bounds it.
    await queue.recordDelete('Job', `uid-${count % 150}`);
    const times = { startedAt: at, durationMs: 1 };
    const record = { id: job.id, key: KEY, causes, causesTotal: causes.length, ...times };
    await history.append({ ...record, outcome: 'done', writes: 1, worker: 'w' });
    if (count % 3 === 0) await job.fail(new Error('on purpose'));
    else await job.complete({ outcome: 'done' });
  };
}

async function assertSmall(queue: Parts['queue']['queue']): Promise<void> {
  const { completed = Infinity, failed = Infinity } = await queue.getJobCounts('completed', 'failed');
  assert.ok(completed <= 200 && failed <= 200, `${completed} completed, ${failed} failed`);
  const [job] = await queue.getCompleted(0, 0);
  assert.ok(job !== undefined);
  assert.deepEqual(Object.keys(job.data).toSorted(), ['key', 'version'], 'no manifest in the data of a job');
  assert.ok(JSON.stringify(job.data).length < 4096);
  for (const keep of [job.opts.removeOnComplete, job.opts.removeOnFail])
    assert.deepEqual(keep, { age: 86_400, count: 200 }, 'bounded by number and by age');
}

/** What would grow for ever if nobody bounded it. */
async function assertBounded(redis: RedisClient, prefix: string): Promise<void> {
  const events = await redis.xlen(`${prefix}:reconcile:events`);
  // Redis trims a stream by whole nodes.
  assert.ok(events > 0 && events < 2500, `${events} events`);
  const keys = buildKeys(prefix);
  assert.ok((await redis.zcard(keys.ownWrites)) <= 5000);
  for (const { key, bytes } of await measureKeys(redis, prefix)) assert.ok(bytes < 1_000_000, `${key}: ${bytes} bytes`);
}
