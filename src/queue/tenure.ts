import { errorText, PassAborted } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Term } from './types.ts';
import { Bell } from './wait.ts';

/** Milliseconds. */
export interface LockTimes {
  /** After this time without a renewal others may lead. */
  ttlMs: number;
  renewMs: number;
  /** So long before the TTL ends, the holder's own clock ends the tenure: time for the pass to settle. */
  marginMs: number;
  /** How often a waiting worker tries. */
  pollMs: number;
  /** How often a leader asks whether it still may lead, and how long one that may not waits. */
  permissionMs: number;
}

/** What a tenure needs. */
export interface TenureOptions {
  fence: number;
  times: LockTimes;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
  /** When the request that took the lock was sent, by `now`: the TTL runs from then at the earliest. */
  takenAt: number;
  /** Prolongs the lock; false when someone else has it. */
  renew: () => Promise<boolean>;
  log: Log;
}

/** Pause after a failed renewal: some tries fit into the time that is left. */
const RETRY_MS = 300;

const TOO_LATE = 'the lock could not be renewed in time';

/** Holds the lock: renews it, and ends the tenure when someone else has it or when it could not be renewed in time. */
export class Tenure implements Term {
  readonly fence: number;
  readonly #options: TenureOptions;
  readonly #ended = new AbortController();
  readonly #stopped = new AbortController();
  readonly #bell = new Bell();
  /** By the holder's clock; the tenure is over then. */
  #deadline = Infinity;
  #deadlineTimer: NodeJS.Timeout | undefined;

  constructor(options: TenureOptions) {
    this.fence = options.fence;
    this.#options = options;
    this.#setDeadline(options.takenAt);
    void this.#keep();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  isHeld(): boolean {
    // A process that was stopped for a while hears of answers before it hears of its timers.
    if (this.#options.now() >= this.#deadline) this.#lose(TOO_LATE);
    return !this.#isStopped();
  }

  /** Asks the leader to come to an end; the lock is still renewed until `stop`. */
  windDown(reason: string): void {
    if (!this.#ended.signal.aborted) this.#ended.abort(new PassAborted(reason));
  }

  /** Renews at once: someone says that the lock was taken. */
  check(): void {
    this.#bell.ring();
  }

  /** Ends the renewals. */
  stop(): void {
    clearTimeout(this.#deadlineTimer);
    this.#stopped.abort();
    this.windDown('the tenure is over');
  }

  /** The lock is gone: nothing is renewed any more. */
  #lose(reason: string): void {
    if (this.#isStopped()) return;
    this.#options.log.warn({ fence: this.fence, reason }, 'the lock is lost');
    this.windDown(reason);
    this.stop();
  }

  #setDeadline(sentAt: number): void {
    const { times, now } = this.#options;
    clearTimeout(this.#deadlineTimer);
    this.#deadline = sentAt + times.ttlMs - times.marginMs;
    this.#deadlineTimer = setTimeout(() => {
      this.#lose(TOO_LATE);
    }, this.#deadline - now());
  }

  async #keep(): Promise<void> {
    let renewed = true;
    for (;;) {
      await this.#bell.wait(renewed ? this.#options.times.renewMs : RETRY_MS, this.#stopped.signal);
      if (this.#isStopped()) return;
      renewed = await this.#renew();
    }
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** False when the lock may still be ours, but Redis did not say so. */
  async #renew(): Promise<boolean> {
    const sentAt = this.#options.now();
    try {
      const ours = await this.#options.renew();
      if (this.#isStopped()) return ours;
      if (ours) this.#setDeadline(sentAt);
      else this.#lose('another worker has taken the lock');
      return true;
    } catch (error) {
      this.#options.log.debug({ error: errorText(error) }, 'the lock could not be renewed; trying again');
      return false;
    }
  }
}
