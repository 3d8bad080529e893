import { randomUUID } from 'node:crypto';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisClient } from './connection.ts';
import { wait } from './wait.ts';

/** What happened to Redis: it came (back) into reach or takes writes again, or it has lost what it held. */
export type Recovery = 'reconnected' | 'emptied';

const INTERVAL_MS = 2000;

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
 * Calls `onRecovered` until `signal` aborts: when Redis was out of reach and is back (also when it comes into reach for the first time, because
 * adds have failed until then), when it takes writes again after it has refused them, and when it was emptied (design decision 3: nothing is lost
 * with Redis).
 */
export function watchRecovery(options: RecoveryOptions): void {
  const watch = new RecoveryWatch(options);
  const { redis, signal } = options;
  const onReady = (): void => {
    void watch.look('reconnected');
  };
  redis.on('ready', onReady);
  signal.addEventListener(
    'abort',
    () => {
      redis.off('ready', onReady);
    },
    { once: true },
  );
  void watch.keepLooking();
}

class RecoveryWatch {
  readonly #options: RecoveryOptions;
  /** The epoch at the last look that succeeded. */
  #epoch: string | undefined;
  /** What a look that succeeds has to report besides. */
  #owed: Recovery | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  async keepLooking(): Promise<void> {
    const { redis, signal, intervalMs } = this.#options;
    while (!signal.aborted) {
      if (redis.status === 'ready') await this.look();
      await wait(intervalMs ?? INTERVAL_MS, signal);
    }
  }

  /** Looks once and reports what it finds, or `known`, which is reported in any case as soon as a look succeeds. */
  async look(known?: Recovery): Promise<void> {
    this.#owed = known ?? this.#owed;
    const epoch = await this.#readEpoch();
    if (this.#options.signal.aborted) return;
    if (epoch === undefined) {
      this.#owed ??= 'reconnected';
      return;
    }
    const found = this.#epoch !== undefined && this.#epoch !== epoch ? 'emptied' : this.#owed;
    this.#epoch = epoch;
    this.#owed = undefined;
    if (found !== undefined) this.#options.onRecovered(found);
  }

  async #readEpoch(): Promise<string | undefined> {
    const { redis, prefix, log } = this.#options;
    try {
      return String(await redis.eval(READ_EPOCH, 1, `${prefix}:epoch`, randomUUID()));
    } catch (error) {
      log.debug({ error: errorText(error) }, 'could not look whether Redis was emptied');
      return undefined;
    }
  }
}
