import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { wait } from './wait.ts';

const INTERVAL_MS = 2000;

/** Writes something that nobody reads; rejects when Redis is out of reach, and when it refuses writes for lack of memory or as a replica. */
export async function tryWrite({ impatient, prefix }: Pick<RedisConnections, 'impatient' | 'prefix'>): Promise<void> {
  await impatient.set(`${prefix}:usable`, '1', 'PX', 60_000);
}

/** What watching over an outage needs. */
export interface OutageOptions {
  redis: RedisConnections;
  log: Log;
  signal: AbortSignal;
  /** How often to try; default 2,000 ms. */
  intervalMs?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** How long Redis has been unusable. */
export interface Outage {
  /** Milliseconds since a write was last known to be possible; 0 while it is. */
  durationMs(): number;
}

/**
 * Tries until `signal` aborts whether Redis takes a write. One that answers and refuses writes, for lack of memory or because it is a replica, is as
 * unusable as one that is away (design decision 3).
 */
export function watchOutage(options: OutageOptions): Outage {
  const { redis, log, signal, intervalMs = INTERVAL_MS, now = () => performance.now() } = options;
  let goodAt = now();
  let isUsable = true;
  const look = async () => {
    try {
      await tryWrite(redis);
      isUsable = true;
      goodAt = now();
    } catch (error) {
      if (isUsable) log.debug({ error: errorText(error) }, 'Redis takes no writes');
      isUsable = false;
    }
  };
  void (async () => {
    while (!signal.aborted) {
      await look();
      await wait(intervalMs, signal);
    }
  })();
  return { durationMs: () => (isUsable ? 0 : now() - goodAt) };
}
