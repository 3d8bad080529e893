import { Worker, type Queue } from 'bullmq';
import type { Cause } from '../api/causes.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisClient, RedisConnections } from './connection.ts';
import { forgetFailures } from './failures.ts';
import { buildKeys, TIMERS_QUEUE, type Keys } from './keys.ts';
import { openQueue } from './reconcile-queue.ts';
import { countFailure, retryDelay } from './retry-delay.ts';
import { ARM, CLAIM, DISARM, FORGET } from './timer-scripts.ts';
import type { WakeUps, Wish } from './types.ts';

/** Data of an alarm: for people who look at the queue `timers`; what is due stands in the sorted set alone. */
interface AlarmData {
  version: number;
  key: string;
  at: string;
  reason: string;
}

/** What timers need. */
export interface TimersOptions {
  redis: RedisConnections;
  log: Log;
  /** Queues a key. */
  add: (key: string, cause: Cause) => Promise<void>;
  /** In [0, 1). */
  random?: () => number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/**
 * Wake-ups in Redis. A sorted set says per key when it is due: one script decides which of two is earlier, so that two who arm at once cannot both
 * win. The alarm is a delayed job of the queue `timers`, visible there; when it goes off, every key that is due is queued. An alarm that was
 * overtaken finds nothing due and does nothing.
 */
export class Timers implements WakeUps {
  readonly #options: TimersOptions;
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #now: () => number;
  /** BullMQ's own view, for those who show or count jobs. */
  readonly queue: Queue<AlarmData>;

  constructor(options: TimersOptions) {
    this.#options = options;
    this.#redis = options.redis.impatient;
    this.#keys = buildKeys(options.redis.prefix);
    this.#now = options.now ?? Date.now;
    this.queue = openQueue(options.redis, TIMERS_QUEUE);
  }

  async arm(key: string, wish: Wish): Promise<void> {
    await this.#set(key, wish, 'earliest');
  }

  async replace(key: string, wish: Wish | undefined): Promise<void> {
    if (wish === undefined) await this.disarm(key);
    else await this.#set(key, wish, 'replace');
  }

  /** Takes the wake-up of a key away. */
  async disarm(key: string): Promise<void> {
    const gone = await this.#redis.eval(DISARM, 2, this.#keys.due, this.#keys.dueReasons, key);
    await this.#removeAlarm(key, String(gone));
  }

  async armRetry(key: string, reason: string, longestMs?: number): Promise<Date> {
    const counted = await this.#redis.hincrby(this.#keys.failures, key, 1);
    const failures = countFailure(counted - 1, longestMs);
    if (failures !== counted) await this.#redis.hset(this.#keys.failures, key, failures);
    const delay = retryDelay(failures, (this.#options.random ?? Math.random)(), longestMs);
    const at = new Date(this.#now() + delay);
    await this.arm(key, { at, reason: `retry ${failures}: ${reason}`, type: 'retry' });
    return at;
  }

  async resetFailures(key: string): Promise<void> {
    await forgetFailures(this.#options.redis, key);
  }

  async fireDue(): Promise<void> {
    const { due, dueReasons, firing } = this.#keys;
    const claimed = (await this.#redis.eval(CLAIM, 3, due, dueReasons, firing, this.#now())) as string[];
    for (let i = 0; i < claimed.length; i += 2) await this.#fire(claimed[i] ?? '', claimed[i + 1] ?? '');
  }

  /** Queues first and forgets then: a kill in between repeats the wake-up instead of losing it. */
  async #fire(key: string, reason: string): Promise<void> {
    await this.#options.add(key, parseReason(reason, this.#now()));
    await this.#redis.eval(FORGET, 1, this.#keys.firing, key, reason);
  }

  async #set(key: string, wish: Wish, mode: 'earliest' | 'replace'): Promise<void> {
    // A time that is past means "as soon as possible"; never the very time of an alarm that is going off now.
    const at = Math.max(wish.at.getTime(), this.#now() + 1);
    const reason = JSON.stringify({ type: wish.type ?? 'timer', reason: wish.reason, at });
    const { due, dueReasons } = this.#keys;
    const answer = await this.#redis.eval(ARM, 2, due, dueReasons, key, at, reason, mode);
    const [holds, gaveWay] = answer as [string, string];
    // Also when nothing changed: whoever armed it may have died before it set the alarm.
    await this.#addAlarm(key, Number(holds), wish.reason);
    await this.#removeAlarm(key, gaveWay);
  }

  async #addAlarm(key: string, at: number, reason: string): Promise<void> {
    await this.queue.add(
      TIMERS_QUEUE,
      { version: 1, key, at: new Date(at).toISOString(), reason },
      {
        jobId: buildAlarmId(key, String(at)),
        delay: Math.max(0, at - this.#now()),
        removeOnComplete: true,
        removeOnFail: true,
      },
    );
  }

  async #removeAlarm(key: string, at: string): Promise<void> {
    if (at !== '') await this.queue.remove(buildAlarmId(key, at));
  }

  /**
   * Lets alarms go off in this process until the returned function is called. Any number of processes may do so. An alarm that could not be served is
   * served by the next `fireDue`.
   */
  start(): () => Promise<void> {
    const { redis, log } = this.#options;
    const worker = new Worker<AlarmData>(TIMERS_QUEUE, () => this.fireDue(), {
      connection: redis.patient(),
      prefix: redis.prefix,
      lockDuration: 10_000,
      stalledInterval: 5000,
      maxStalledCount: 100,
      // No skipVersionCheck: without Redis's version BullMQ blocks for whole seconds, and alarms go off a second late.
    });
    worker.on('error', (error) => {
      log.debug({ error: errorText(error) }, 'BullMQ reported an error');
    });
    worker.on('failed', (_job, error) => {
      log.warn({ error: errorText(error) }, 'an alarm could not queue its key; the leader does so later');
    });
    return () => worker.close(true);
  }

  /** Lets go of BullMQ's listeners; the connections belong to whoever opened them. */
  async close(): Promise<void> {
    await this.queue.close();
  }
}

/** The id of an alarm. BullMQ's ids hold no colon. */
function buildAlarmId(key: string, at: string): string {
  return `${key.replaceAll(':', '_')}@${at}`;
}

/** The cause that a wake-up is. */
function parseReason(text: string, now: number): Cause {
  const { type, reason } = JSON.parse(text) as { type: 'timer' | 'retry'; reason: string };
  return { type, note: reason, at: now };
}
