import { randomUUID } from 'node:crypto';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { buildKeys, type Keys } from './keys.ts';
import { ACQUIRE, RELEASE, RENEW } from './lock-scripts.ts';
import { Tenure, type LockTimes } from './tenure.ts';
import type { Lock, Term } from './types.ts';
import { Bell, wait } from './wait.ts';

/** Design decision 5: others may lead 10 s after the last renewal, the holder gives up 2 s before that. */
const TIMES: LockTimes = { ttlMs: 10_000, renewMs: 3000, marginMs: 2000, pollMs: 1000, permissionMs: 2000 };

/** What a leader's lock needs. */
export interface LeaderLockOptions {
  redis: RedisConnections;
  log: Log;
  /** Name of this worker, for people: the pod's name. */
  holder: string;
  /**
   * Asked after the lock was taken and while it is held: nothing, or why this worker must not lead, for example because another process holds the
   * Lease `virt-operator` (design decision 3). A rejection counts as a reason.
   */
  mayLead?: () => Promise<string | undefined>;
  times?: Partial<LockTimes>;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** Who leads, as Redis knows it. */
export interface LeaderInfo {
  holder: string;
  fence: number;
  /** Milliseconds since the tenure began. */
  ageMs: number;
}

/** Another holder, as this worker has last seen it. */
interface FormerHolder {
  token: string;
  /** By `now`: when its tenure ends for certain if it is not renewed. */
  until: number;
}

type Answer = { taken: true; fence: number; released: string } | { taken: false; holder: string; leftMs: number };

/** A lock that was taken. */
interface Held {
  token: string;
  /** When the request was sent, by `now`. */
  takenAt: number;
  fence: number;
  released: string;
}

type OnLead = (term: Term) => Promise<void>;

/** The lock in Redis that decides who leads. One object serves one `run` at a time. */
export class LeaderLock implements Lock {
  readonly #options: LeaderLockOptions;
  readonly #times: LockTimes;
  readonly #keys: Keys;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #bell = new Bell();
  #former: FormerHolder | undefined;
  /** The token whose tenure was last said to be over. */
  #lastReleased: string | undefined;
  #tenure: Tenure | undefined;
  #leadingSince: number | undefined;
  /** What was last said about waiting; each reason is logged once. */
  #said: string | undefined;

  constructor(options: LeaderLockOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#keys = buildKeys(options.redis.prefix);
    this.#now = options.now ?? (() => performance.now());
    this.#log = options.log;
  }

  /** True while this process leads. */
  isLeading(): boolean {
    return this.#leadingSince !== undefined && this.#tenure?.signal.aborted === false;
  }

  /** Milliseconds since this process began to lead; absent when it does not. */
  leadingForMs(): number | undefined {
    return this.#leadingSince === undefined ? undefined : this.#now() - this.#leadingSince;
  }

  async run({ signal, onLead }: { signal: AbortSignal; onLead: OnLead }): Promise<void> {
    const stopListening = this.#listen();
    try {
      while (!signal.aborted) {
        const held = await this.#acquire(signal);
        if (held !== undefined) await this.#hold(held, signal, onLead);
      }
    } finally {
      stopListening();
    }
  }

  /** Hears of taken and released locks; without it, polling finds the same a second later. */
  #listen(): () => void {
    const subscriber = this.#options.redis.subscriber();
    const { lockEvents } = this.#keys;
    const onMessage = (channel: string, message: string): void => {
      if (channel !== lockEvents) return;
      const [event, token] = message.split(' ');
      if (event === 'released') this.#lastReleased = token;
      this.#tenure?.check();
      this.#bell.ring();
    };
    subscriber.on('message', onMessage);
    subscriber.subscribe(lockEvents).catch((error: unknown) => {
      this.#log.debug({ error: errorText(error) }, 'no lock events; the lock is polled');
    });
    return () => {
      subscriber.off('message', onMessage);
    };
  }

  /** Waits for the lock; nothing when `signal` aborts first. The token stays the same over all tries: the answer to one may have been lost. */
  async #acquire(signal: AbortSignal): Promise<Held | undefined> {
    const token = `${this.#options.holder}/${randomUUID()}`;
    while (!signal.aborted) {
      const takenAt = this.#now();
      const answer = await this.#tryAcquire(token);
      if (answer?.taken === true) return { token, takenAt, ...answer };
      await this.#bell.wait(this.#pauseAfter(answer), signal);
    }
    return undefined;
  }

  async #tryAcquire(token: string): Promise<Answer | undefined> {
    const { lock, fence, released, lockEvents } = this.#keys;
    const { impatient } = this.#options.redis;
    try {
      const answer = await impatient.eval(ACQUIRE, 3, lock, fence, released, token, this.#times.ttlMs, lockEvents);
      const [holder, number, lastReleased = ''] = answer as [string, number, string?];
      if (holder === token) return { taken: true, fence: number, released: lastReleased };
      this.#former = { token: holder, until: this.#now() + (number < 0 ? this.#times.ttlMs : number) };
      this.#say(`waiting: ${parseHolder(holder)} leads`);
      return { taken: false, holder, leftMs: number };
    } catch (error) {
      this.#say(`waiting: the lock cannot be asked for: ${errorText(error)}`);
      return undefined;
    }
  }

  /** Until the next try: the usual pause, or less when the holder's time to live ends before that. */
  #pauseAfter(answer: Answer | undefined): number {
    if (answer?.taken !== false || answer.leftMs < 0) return this.#times.pollMs;
    return Math.min(this.#times.pollMs, answer.leftMs + 1);
  }

  /** One tenure, from the moment the lock is taken until it is given back. */
  async #hold(held: Held, signal: AbortSignal, onLead: OnLead): Promise<void> {
    const tenure = this.#beginTenure(held);
    const onStop = (): void => {
      tenure.windDown('the process stops');
    };
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) onStop();
    try {
      await this.#waitOutFormer(tenure, held.released);
      if (await this.#mayLead(tenure)) {
        if (!tenure.signal.aborted) await this.#lead(tenure, onLead);
        return;
      }
    } finally {
      signal.removeEventListener('abort', onStop);
      this.#tenure = undefined;
      tenure.stop();
      await this.#release(held.token);
    }
    await wait(this.#times.permissionMs, signal);
  }

  #beginTenure({ token, takenAt, fence }: Held): Tenure {
    const { lock, fence: fenceKey } = this.#keys;
    const { impatient } = this.#options.redis;
    const renew = async (): Promise<boolean> =>
      (await impatient.eval(RENEW, 2, lock, fenceKey, token, this.#times.ttlMs, fence)) === 1;
    this.#tenure = new Tenure({ fence, times: this.#times, now: this.#now, takenAt, renew, log: this.#log });
    return this.#tenure;
  }

  /**
   * When the lock was free although the holder that we saw neither ended its tenure in order nor can have let it expire, Redis has lost the lock: it was
   * emptied, or a fail-over has lost the last writes. That holder may not know yet that the lock is ours. It says so when its pass is settled; at
   * the latest its own clock has ended its tenure when the time to live that we saw is over.
   */
  async #waitOutFormer(tenure: Tenure, released: string): Promise<void> {
    const former = this.#former;
    if (former === undefined || former.token === released) return;
    while (!tenure.signal.aborted && this.#lastReleased !== former.token && this.#now() < former.until) {
      await this.#bell.wait(former.until - this.#now(), tenure.signal);
    }
  }

  async #lead(tenure: Tenure, onLead: OnLead): Promise<void> {
    this.#said = undefined;
    this.#leadingSince = this.#now();
    this.#log.info({ fence: tenure.fence }, 'this worker leads');
    const over = new AbortController();
    const asking = this.#keepAsking(tenure, over.signal);
    try {
      await onLead(tenure);
    } catch (error) {
      this.#log.error({ error: errorText(error) }, 'the leader failed');
      await wait(this.#times.pollMs, tenure.signal);
    } finally {
      this.#leadingSince = undefined;
      over.abort();
      await asking;
      this.#log.info({ fence: tenure.fence }, 'this worker does not lead any more');
    }
  }

  /** Ends the tenure when someone else has come to lead in another way. */
  async #keepAsking(tenure: Tenure, over: AbortSignal): Promise<void> {
    if (this.#options.mayLead === undefined) return;
    const ended = AbortSignal.any([over, tenure.signal]);
    for (;;) {
      await wait(this.#times.permissionMs, ended);
      if (ended.aborted) return;
      if (!(await this.#mayLead(tenure))) tenure.windDown('this worker may not lead any more');
    }
  }

  async #mayLead(tenure: Tenure): Promise<boolean> {
    if (this.#options.mayLead === undefined || tenure.signal.aborted) return true;
    const reason = await this.#options.mayLead().catch((error: unknown) => errorText(error));
    if (reason !== undefined) this.#say(`waiting: ${reason}`);
    return reason === undefined;
  }

  async #release(token: string): Promise<void> {
    const { lock, released, lockEvents } = this.#keys;
    try {
      await this.#options.redis.impatient.eval(RELEASE, 2, lock, released, token, lockEvents);
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, 'the lock could not be given back; it ends by itself');
    }
  }

  #say(text: string): void {
    if (this.#said !== text) this.#log.info(text);
    this.#said = text;
  }
}

/** Reads who leads; absent when nobody does. Rejects when Redis is out of reach. */
export async function readLeader(redis: RedisConnections, now = Date.now()): Promise<LeaderInfo | undefined> {
  const { lock, fence } = buildKeys(redis.prefix);
  const [token, number] = await redis.impatient.mget(lock, fence);
  if (token == null) return undefined;
  const began = Number(number ?? now);
  return { holder: parseHolder(token), fence: began, ageMs: Math.max(0, now - began) };
}

/** The holder's name in a token `holder/random`. */
function parseHolder(token: string): string {
  return token.slice(0, Math.max(0, token.lastIndexOf('/'))) || token;
}
