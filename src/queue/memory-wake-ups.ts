import type { Cause } from '../api/causes.ts';
import { countFailure, retryDelay } from './retry-delay.ts';
import type { WakeUps, Wish } from './types.ts';

/** Timers of Node run for 24 days at most; looking once an hour costs nothing. */
const LONGEST_MS = 3_600_000;

/** What wake-ups need. */
export interface MemoryWakeUpsOptions {
  /** Queues a key. */
  add: (key: string, cause: Cause) => Promise<void>;
  /** In [0, 1). */
  random?: () => number;
}

/** The wake-ups of a worker that goes on without Redis: the same rules, in the memory of this process (design decision 3). */
export class MemoryWakeUps implements WakeUps {
  readonly #options: MemoryWakeUpsOptions;
  readonly #due = new Map<string, Wish>();
  readonly #failures = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MemoryWakeUpsOptions) {
    this.#options = options;
  }

  arm(key: string, wish: Wish): Promise<void> {
    const armed = this.#due.get(key);
    if (armed === undefined || wish.at < armed.at) this.#due.set(key, wish);
    this.#schedule();
    return Promise.resolve();
  }

  replace(key: string, wish: Wish | undefined): Promise<void> {
    this.#due.delete(key);
    if (wish !== undefined) this.#due.set(key, wish);
    this.#schedule();
    return Promise.resolve();
  }

  async armRetry(key: string, reason: string, longestMs?: number): Promise<Date> {
    const failures = countFailure(this.#failures.get(key) ?? 0, longestMs);
    this.#failures.set(key, failures);
    const at = new Date(Date.now() + retryDelay(failures, (this.#options.random ?? Math.random)(), longestMs));
    await this.arm(key, { at, reason: `retry ${failures}: ${reason}`, type: 'retry' });
    return at;
  }

  resetFailures(key: string): Promise<void> {
    this.#failures.delete(key);
    return Promise.resolve();
  }

  async fireDue(): Promise<void> {
    const now = Date.now();
    for (const [key, { at, reason, type = 'timer' }] of this.#due) {
      if (at.getTime() > now) continue;
      this.#due.delete(key);
      await this.#options.add(key, { type, note: reason, at: now });
    }
    this.#schedule();
  }

  /** Takes every wake-up away: whoever leads next arms its own. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
    this.#failures.clear();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#due.size === 0) return;
    const earliest = Math.min(...Array.from(this.#due.values(), ({ at }) => at.getTime()));
    const delay = Math.max(0, Math.min(LONGEST_MS, earliest - Date.now()));
    this.#timer = setTimeout(() => void this.fireDue(), delay);
    this.#timer.unref();
  }
}
