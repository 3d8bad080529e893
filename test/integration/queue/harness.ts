import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createLog, type Log } from '../../../src/log.ts';
import { openRedis, type RedisConfig, type RedisConnections } from '../../../src/queue/connection.ts';
import { ReconcileQueue } from '../../../src/queue/reconcile-queue.ts';
import { Timers } from '../../../src/queue/timers.ts';
import type { ActiveJob, PassQueue } from '../../../src/queue/types.ts';
import { freshUid } from '../fixtures/redis.ts';

/** A log that shows errors only, unless TEST_LOG asks for more. */
export function testLog(): Log {
  const log = createLog({ role: 'test', verbosity: 9 });
  log.level = process.env['TEST_LOG'] ?? 'fatal';
  return log;
}

/** The queue parts of one process. */
export interface Parts {
  redis: RedisConnections;
  queue: ReconcileQueue;
  timers: Timers;
  log: Log;
}

/** Opens the queue parts under a prefix of their own, and closes them after the test. */
export async function openParts(t: TestContext, where: string | RedisConfig, clusterUid = freshUid()): Promise<Parts> {
  const log = testLog();
  const redis = openRedis(typeof where === 'string' ? { url: where } : where, { clusterUid, name: 'test', log });
  const queue = new ReconcileQueue({ redis, log });
  const timers = new Timers({ redis, log, add: queue.add.bind(queue) });
  t.after(async () => {
    await queue.close();
    await timers.close();
    redis.close();
  });
  if (redis.impatient.status !== 'ready') await new Promise((resolve) => redis.impatient.once('ready', resolve));
  return { redis, queue, timers, log };
}

/** Takes jobs one by one as a leader would; the test settles them. The leader ends with the test. */
export function takeJobs(t: TestContext, queue: PassQueue): () => Promise<ActiveJob> {
  const stop = new AbortController();
  const jobs = queue.jobs(stop.signal)[Symbol.asyncIterator]();
  t.after(async () => {
    stop.abort();
    await jobs.return?.();
  });
  return async () => {
    const taken = await jobs.next();
    assert.ok(taken.done !== true, 'the jobs have ended');
    return taken.value;
  };
}
