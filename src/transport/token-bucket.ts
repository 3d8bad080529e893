/** Size of a token bucket: tokens per second, and how many may be saved up. */
export interface BucketSize {
  qps: number;
  burst: number;
}

/**
 * A token bucket without a clock of its own: every method gets the time in milliseconds, which must not run backwards.
 * Starts full.
 */
export class TokenBucket {
  readonly #size: BucketSize;
  #tokens: number;
  #at: number;

  constructor(size: BucketSize, now: number) {
    this.#size = size;
    this.#tokens = size.burst;
    this.#at = now;
  }

  /** Takes a token if there is one. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until `take` can succeed; 0 when it can now. */
  wait(now: number): number {
    this.#fill(now);
    if (this.#tokens >= 1) return 0;
    const wait = Math.max(0, this.#at - now) + ((1 - this.#tokens) / this.#size.qps) * 1000;
    // Whole milliseconds for a timer; rounding errors of the division are no reason for another one.
    return Math.ceil(wait - 1e-6);
  }

  /** Throws the saved tokens away and gives none before `until`: afterwards calls go on at the steady rate, not as a burst. */
  pause(until: number): void {
    this.#tokens = 0;
    this.#at = Math.max(this.#at, until);
  }

  #fill(now: number): void {
    // During a pause #at lies in the future: nothing is gained until then.
    if (now <= this.#at) return;
    this.#tokens = Math.min(this.#size.burst, this.#tokens + ((now - this.#at) * this.#size.qps) / 1000);
    this.#at = now;
  }
}
