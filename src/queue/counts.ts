import type { Queue } from 'bullmq';
import type { RedisConnections } from './connection.ts';

/** Jobs of one queue by state. */
export interface QueueCounts {
  waiting: number;
  active: number;
  delayed: number;
  completed: number;
  failed: number;
}

/** Counts the jobs of a queue, for metrics; absent when Redis is out of reach. */
export async function readCounts(redis: RedisConnections, queue: Queue): Promise<QueueCounts | undefined> {
  // Before its first connection BullMQ would wait for it.
  if (redis.impatient.status !== 'ready') return undefined;
  try {
    const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed');
    return {
      waiting: counts['waiting'] ?? 0,
      active: counts['active'] ?? 0,
      delayed: counts['delayed'] ?? 0,
      completed: counts['completed'] ?? 0,
      failed: counts['failed'] ?? 0,
    };
  } catch {
    // A missing metric says it: scraping must not fail because Redis is away.
    return undefined;
  }
}
