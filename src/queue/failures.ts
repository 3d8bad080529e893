import type { RedisConnections } from './connection.ts';
import { buildKeys } from './keys.ts';

/** Forgets how often the passes of a key have failed in a row: the next failure is again the first one. Rejects when Redis is out of reach. */
export async function forgetFailures(redis: RedisConnections, key: string): Promise<void> {
  await redis.impatient.hdel(buildKeys(redis.prefix).failures, key);
}
