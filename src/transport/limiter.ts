import { TokenBucket, type BucketSize } from './token-bucket.ts';

/** Who waits for a token. */
interface Waiter {
  grant: () => void;
}

/** Milliseconds by a clock that never runs backwards. */
const monotonic = (): number => performance.now();

/** One lane of the client's rate limit: callers wait for tokens in the order in which they came. */
export class Limiter {
  readonly #bucket: TokenBucket;
  readonly #now: () => number;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(size: BucketSize, now: () => number = monotonic) {
    this.#bucket = new TokenBucket(size, now());
    this.#now = now;
  }

  /** Takes a token if nobody waits and one is there. */
  tryTake(): boolean {
    return this.#waiters.size === 0 && this.#bucket.take(this.#now());
  }

  /** Resolves with a token taken; rejects with the signal's reason when it aborts before that, and then takes none. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.tryTake()) return;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
      this.#schedule();
    });
  }

  /** No token for so many milliseconds, and no burst after them: the server has asked for it. */
  pause(milliseconds: number): void {
    this.#bucket.pause(this.#now() + milliseconds);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiters.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#grant();
      this.#schedule();
    }, this.#bucket.wait(this.#now()));
  }

  #grant(): void {
    for (const waiter of this.#waiters) {
      if (!this.#bucket.take(this.#now())) return;
      this.#waiters.delete(waiter);
      waiter.grant();
    }
  }
}
