import { Job, type Queue } from 'bullmq';
import type { Cause } from '../api/causes.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisClient } from './connection.ts';
import { parseJobData, type JobData } from './job-data.ts';

/** What `failStranded` needs. */
export interface StrandedOptions {
  /** Fails fast. */
  redis: RedisClient;
  queue: Queue<JobData>;
  log: Log;
  add: (key: string, cause: Cause) => Promise<void>;
}

/**
 * Ends every active job and queues its key again. Only a leader that runs no job may call this: whatever is active then was left by a worker that
 * died, lost its lock or could not reach Redis. Faster than BullMQ's stall check, which besides gives up after repeated kills (design decision 5).
 */
export async function failStranded(options: StrandedOptions, why: string): Promise<void> {
  const { redis, queue } = options;
  const active = queue.toKey('active');
  for (const id of await redis.lrange(active, 0, -1)) {
    const job = await Job.fromId<JobData>(queue, id);
    if (job === undefined) await redis.lrem(active, 0, id);
    else await failOne(options, job, why);
  }
}

async function failOne({ redis, queue, log, add }: StrandedOptions, job: Job<JobData>, why: string): Promise<void> {
  const id = job.id ?? '';
  const parsed = parseJobData(job.data);
  if (parsed.type === 'ours') {
    log.info({ key: parsed.key, job: id }, `a pass did not end (${why}); its key is queued again`);
    // Before the job ends: a kill in between must not lose the key.
    await add(parsed.key, { type: 'recovered', note: why, at: Date.now() });
  }
  // BullMQ takes the token `0` for "whoever holds the job".
  const token = (await redis.get(`${queue.toKey(id)}:lock`)) ?? '0';
  try {
    if (parsed.type === 'newer') await job.moveToWait(token);
    else await job.moveToFailed(new Error(`the pass did not end: ${why}`), token, false);
  } catch (error) {
    // Its worker is alive after all and has settled it in this very moment; if not, the next look finds it again.
    log.debug({ job: id, error: errorText(error) }, 'a stranded job could not be failed');
  }
}
