import { randomUUID } from 'node:crypto';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisClient } from './connection.ts';
import { wait } from './wait.ts';

/** What happened to Redis: it came (back) into reach, or it came into reach, or was within reach, without what it held. */
export type Recovery = 'reconnected' | 'emptied';

/** What `watchRecovery` needs. */
export interface RecoveryOptions {
  redis: RedisClient;
  prefix: string;
  log: Log;
  signal: AbortSignal;
  /** Called after each recovery; whoever adds keys adds them all again, settings kept in Redis are set again. */
  onRecovered: (what: Recovery) => void;
  /** How often to look whether Redis was emptied; default 2,000 ms. A flush breaks no connection, so only a look tells. */
  intervalMs?: number;
}

/**
 * The epoch of the data in Redis: a random value that only an emptied Redis lacks.
 * KEYS[1] the epoch. ARGV[1] the value to set when there is none. Returns the value that holds now.
 */
const READ_EPOCH = `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`;

/**
 * Calls `onRecovered` when Redis was out of reach and is back (also when it comes into reach for the first time, because adds have failed until
 * then), and when it was emptied, until `signal` aborts (design decision 3: nothing is lost with Redis).
 */
export function watchRecovery(options: RecoveryOptions): void {
  const epoch = { known: undefined as string | undefined };
  const onReady = (): void => {
    void look(options, epoch).then((emptied) => {
      options.onRecovered(emptied ? 'emptied' : 'reconnected');
    });
  };
  options.redis.on('ready', onReady);
  options.signal.addEventListener(
    'abort',
    () => {
      options.redis.off('ready', onReady);
    },
    { once: true },
  );
  void keepLooking(options, epoch);
}

async function keepLooking(options: RecoveryOptions, epoch: { known: string | undefined }): Promise<void> {
  while (!options.signal.aborted) {
    if (options.redis.status === 'ready' && (await look(options, epoch))) options.onRecovered('emptied');
    await wait(options.intervalMs ?? 2000, options.signal);
  }
}

/** True when the data is not what it was at the last look. */
async function look(options: RecoveryOptions, epoch: { known: string | undefined }): Promise<boolean> {
  try {
    const value = String(await options.redis.eval(READ_EPOCH, 1, `${options.prefix}:epoch`, randomUUID()));
    const emptied = epoch.known !== undefined && epoch.known !== value;
    epoch.known = value;
    return emptied;
  } catch (error) {
    options.log.debug({ error: errorText(error) }, 'could not look whether Redis was emptied');
    return false;
  }
}
