/** Lets callers wait until something is true, checked again at each `notify`. */
export class Condition {
  readonly #listeners = new Set<() => void>();

  /** Something may have changed. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` at each `notify`; returns the way to stop it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Resolves true once `isTrue` holds, false when `timeoutMs` has passed before that; rejects with the signal's reason. */
  async until(isTrue: () => boolean, signal: AbortSignal, timeoutMs?: number): Promise<boolean> {
    signal.throwIfAborted();
    if (isTrue()) return true;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const check = (): void => {
      if (isTrue()) resolve(true);
    };
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs, false);
    this.#listeners.add(check);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(check);
      signal.removeEventListener('abort', abort);
    }
  }
}

/** The same promise, given up with the signal's reason when that aborts first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
