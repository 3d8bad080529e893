import { setTimeout as sleep } from 'node:timers/promises';
import type { Cause, Enqueue } from '../api/causes.ts';
import { compareResourceVersions } from '../api/store.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import { Backoff, type BackoffLimits } from './backoff.ts';

const RETRY: BackoffLimits = { first: 500, longest: 10_000 };

/** A cause, and how many of the same type and kind it stands for. */
interface Merged {
  cause: Cause;
  count: number;
}

/**
 * Hands keys to the queue without losing one: what comes while the queue is busy or refuses is kept, one cause per type and kind with the highest
 * version, and handed over when it takes keys again. Memory stays bounded whatever happens outside.
 */
export class Outbox {
  readonly #enqueue: Enqueue;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #retry: BackoffLimits;
  readonly #pending = new Map<string, Map<string, Merged>>();
  readonly #sending = new Set<string>();

  constructor(options: { enqueue: Enqueue; log: Log; signal: AbortSignal; retry?: BackoffLimits }) {
    this.#enqueue = options.enqueue;
    this.#log = options.log;
    this.#signal = options.signal;
    this.#retry = options.retry ?? RETRY;
  }

  /** Number of keys that the queue has not taken yet. */
  get size(): number {
    return new Set([...this.#pending.keys(), ...this.#sending]).size;
  }

  /** Puts a cause on its way. */
  push(key: string, cause: Cause): void {
    const causes = this.#pending.get(key) ?? new Map<string, Merged>();
    this.#pending.set(key, causes);
    merge(causes, { cause, count: 1 });
    if (!this.#sending.has(key)) void this.#send(key);
  }

  async #send(key: string): Promise<void> {
    this.#sending.add(key);
    const backoff = new Backoff(this.#retry);
    while (this.#pending.has(key) && !this.#signal.aborted) {
      const causes = this.#pending.get(key) ?? new Map<string, Merged>();
      this.#pending.delete(key);
      const refused = await this.#offer(key, [...causes.values()], backoff);
      for (const merged of refused) this.#keep(key, merged);
      // The signal ends the wait early; the loop then ends as well.
      if (refused.length > 0) await sleep(backoff.next(), undefined, { signal: this.#signal }).catch(() => undefined);
    }
    this.#sending.delete(key);
  }

  /** Returns what the queue did not take. */
  async #offer(key: string, causes: Merged[], backoff: Backoff): Promise<Merged[]> {
    for (const [index, { cause, count }] of causes.entries()) {
      try {
        await this.#enqueue(key, count === 1 ? cause : { ...cause, note: note(cause, count) });
      } catch (error) {
        if (backoff.failures === 0)
          this.#log.warn({ key, reason: errorText(error) }, 'the queue takes no keys; they are kept');
        return causes.slice(index);
      }
    }
    if (backoff.failures > 0) this.#log.info({ key }, 'the queue takes keys again');
    backoff.reset();
    return [];
  }

  #keep(key: string, merged: Merged): void {
    const causes = this.#pending.get(key) ?? new Map<string, Merged>();
    this.#pending.set(key, causes);
    merge(causes, merged);
  }
}

function note(cause: Cause, count: number): string {
  const more = `and ${count - 1} more of this kind`;
  return cause.note === undefined ? more : `${cause.note}; ${more}`;
}

/** Of two causes of one type and kind the one with the higher version stays. */
function merge(causes: Map<string, Merged>, { cause, count }: Merged): void {
  const slot = `${cause.type} ${cause.kind ?? ''}`;
  const known = causes.get(slot);
  const isNewer =
    known === undefined || compareResourceVersions(cause.resourceVersion ?? '', known.cause.resourceVersion ?? '') >= 0;
  causes.set(slot, { cause: isNewer ? cause : known.cause, count: (known?.count ?? 0) + count });
}
