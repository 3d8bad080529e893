/** A wait that others can end early. Rung while nobody waits, it does nothing: callers look at their condition before they wait. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  /** Ends every wait that is going on. */
  ring(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves after `ms` milliseconds, when the bell rings, or when `signal` aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
      this.#waiting.add(end);
    });
  }
}

/** Resolves after `ms` milliseconds or when `signal` aborts; never rejects. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Bell().wait(ms, signal);
}

/**
 * The result of `promise`, or a rejection when `signal` has been aborted for `graceMs` and it is still pending: a patient Redis connection
 * holds its commands back for as long as Redis is away, but a leader that has to go must not wait for that.
 */
export async function orGiveUp<T>(promise: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const settled = new AbortController();
  const late = async (): Promise<never> => {
    await whenAborted(signal, settled.signal);
    await wait(graceMs, settled.signal);
    throw new Error('Redis did not answer in time', { cause: signal.reason });
  };
  try {
    return await Promise.race([promise, late()]);
  } finally {
    settled.abort();
  }
}

/**
 * Resolves when `signal` aborts, at once when it already has; earlier when `cancel` aborts. Leaves nothing behind on either signal, as
 * `AbortSignal.any` would on one that lives long.
 */
export function whenAborted(signal: AbortSignal, cancel?: AbortSignal): Promise<void> {
  if (signal.aborted || cancel?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      cancel?.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end);
    cancel?.addEventListener('abort', end);
  });
}
