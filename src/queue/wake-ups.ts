import type { RedisConnections } from './connection.ts';
import { buildKeys } from './keys.ts';

/** A pass that is planned for later. */
export interface ArmedWakeUp {
  /** `namespace/name` of the KubeVirt object. */
  key: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** For people. */
  reason: string;
}

/** The armed wake-ups, soonest first. Rejects when Redis is out of reach. */
export async function readWakeUps(redis: RedisConnections): Promise<ArmedWakeUp[]> {
  const { due, dueReasons } = buildKeys(redis.prefix);
  const [scores, reasons] = await Promise.all([
    redis.impatient.zrangebyscore(due, '-inf', '+inf', 'WITHSCORES'),
    redis.impatient.hgetall(dueReasons),
  ]);
  return Array.from({ length: scores.length / 2 }, (_, index) => {
    const key = scores[2 * index] ?? '';
    return { key, at: Number(scores[2 * index + 1]), reason: parseReason(reasons[key]) };
  });
}

function parseReason(text: string | undefined): string {
  try {
    const { reason } = JSON.parse(text ?? '{}') as { reason?: unknown };
    return typeof reason === 'string' ? reason : '';
  } catch {
    // For people alone; when it is due stands in the sorted set.
    return '';
  }
}
