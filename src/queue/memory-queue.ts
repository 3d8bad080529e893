import type { Cause } from '../api/causes.ts';
import type { ResourceVersions } from '../api/store.ts';
import { highestVersions, isComparable, withoutOwnWrites, type Taken } from './causes.ts';
import type { OwnWrites } from './own-writes.ts';
import type { ActiveJob, PassQueue } from './types.ts';
import { Bell } from './wait.ts';

/** Causes kept per key; a pass that learns of more than these learns that there were more. */
const CAUSES_MAX = 1000;
/** How long an empty queue waits before it looks again; a bell wakes it up earlier. */
const IDLE_MS = 60_000;

/** What is known of one key since its causes were last taken. */
interface Pending {
  causes: Cause[];
  dropped: number;
}

/**
 * The queue of a worker that goes on without Redis (design decision 3): the same rules as in Redis, in the memory of this process and for its one leader.
 */
export class MemoryQueue implements PassQueue {
  readonly #own: OwnWrites;
  readonly #pending = new Map<string, Pending>();
  /** Keys in the order of their turn. */
  readonly #waiting = new Set<string>();
  readonly #bell = new Bell();
  #versions: ResourceVersions = {};
  #count = 0;

  /** `own`: what this process has written, shared with the queue in Redis. */
  constructor(own: OwnWrites) {
    this.#own = own;
  }

  /** Keys that wait for their turn. */
  get size(): number {
    return this.#waiting.size;
  }

  add(key: string, causes: Cause | readonly Cause[]): Promise<void> {
    const added = Array.isArray(causes) ? (causes as readonly Cause[]) : [causes as Cause];
    const { causes: known, dropped } = this.#pending.get(key) ?? { causes: [], dropped: 0 };
    const all = [...known, ...added];
    const kept = all.slice(-CAUSES_MAX);
    this.#pending.set(key, { causes: kept, dropped: dropped + all.length - kept.length });
    for (const cause of added) this.#raise(cause);
    this.#waiting.add(key);
    this.#bell.ring();
    return Promise.resolve();
  }

  #raise({ kind, resourceVersion }: Cause): void {
    if (kind === undefined || !isComparable(resourceVersion)) return;
    this.#versions = highestVersions(this.#versions, { [kind]: resourceVersion });
  }

  takeCauses(key: string): Promise<Taken> {
    const now = Date.now();
    const { causes, dropped } = this.#pending.get(key) ?? { causes: [], dropped: 0 };
    this.#pending.delete(key);
    const forgotten: Cause[] =
      dropped === 0 ? [] : [{ type: 'resync', note: `${dropped} earlier causes are not listed`, at: now }];
    return Promise.resolve({
      causes: withoutOwnWrites([...forgotten, ...causes], (name) => this.#own.has(name)),
      versions: highestVersions(this.#versions, this.#own.versions()),
      deletes: this.#own.deletes(now),
    });
  }

  async *jobs(signal: AbortSignal): AsyncGenerator<ActiveJob, void, undefined> {
    while (!signal.aborted) {
      const [key] = this.#waiting;
      if (key === undefined) await this.#bell.wait(IDLE_MS, signal);
      else yield* this.#handOut(key);
    }
  }

  /** A job that nobody settles counts as left behind: its key gets another turn. */
  async *#handOut(key: string): AsyncGenerator<ActiveJob, void, undefined> {
    this.#waiting.delete(key);
    this.#count++;
    const job = new MemoryJob(`memory-${this.#count}`, key, () => this.#waiting.add(key));
    yield job;
    if (!job.isSettled()) await this.add(key, { type: 'recovered', note: 'a pass was left behind', at: Date.now() });
  }

  /** Forgets every key: whoever leads next has a queue of its own. */
  clear(): void {
    this.#waiting.clear();
    this.#pending.clear();
  }
}

class MemoryJob implements ActiveJob {
  readonly id: string;
  readonly key: string;
  readonly #putBack: () => void;
  #settled = false;

  constructor(id: string, key: string, putBack: () => void) {
    this.id = id;
    this.key = key;
    this.#putBack = putBack;
  }

  isSettled(): boolean {
    return this.#settled;
  }

  complete(): Promise<void> {
    this.#settled = true;
    return Promise.resolve();
  }

  fail(): Promise<void> {
    return this.complete();
  }

  putBack(): Promise<void> {
    this.#putBack();
    return this.complete();
  }
}
