import type { ApiConnection } from '../api/connection.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { compareResourceVersions } from '../api/store.ts';
import { ApiError, errorText, isInitializing, isNotFound, isSilence } from '../errors.ts';
import type { Log } from '../log.ts';
import { Backoff, type BackoffLimits } from './backoff.ts';
import { Collection, type CollectionEvent, type Project } from './collection.ts';
import { abortable, Condition } from './condition.ts';
import { isExpired, readList, readWatch, type WatchEvent, type WatchLimits, type WatchSource } from './watch.ts';

/** Measures of an informer; tests make them short. */
export interface InformerLimits extends WatchLimits {
  /** Waits after failures. */
  backoff: BackoffLimits;
  /** Waits while a kind is not served although its CRD exists. */
  expectedBackoff: BackoffLimits;
  /** How often a kind that is not served is asked for without any sign of it, in milliseconds. */
  absentMs: number;
  /** How long `reach` waits for the watch before it lists, in milliseconds. */
  reachMs: number;
}

/**
 * The figures of production (design decision 7). Pages are small because whole objects of a page are in memory at the same time: with 5,000 pods pages
 * of 500 cost 70 MB more than pages of 100, and save half a second (docs/decisions/memory-of-the-client.md).
 */
export const INFORMER_LIMITS: InformerLimits = {
  pageSize: 100,
  watchSeconds: 600,
  silenceMs: 90_000,
  backoff: { first: 250, longest: 10_000 },
  expectedBackoff: { first: 50, longest: 2000 },
  absentMs: 600_000,
  reachMs: 2000,
};

/** A watch that stays open for so long counts as a success although nothing has happened, in milliseconds. */
const PROOF_MS = 2000;
/** For waits that only their own time ends. */
const NEVER = new AbortController().signal;

/** What an informer is made from. */
export interface InformerOptions {
  connection: ApiConnection;
  source: WatchSource;
  /** Name for logs. */
  name: string;
  project: Project;
  /** False for a kind that every API server has: one that does not list it is at fault, and not without it. Default: true. */
  isOptional?: boolean;
  log: Log;
  limits?: InformerLimits;
  /** Called with the changes of one event or list, after they are in the cache. */
  onChange?: (events: readonly CollectionEvent[]) => void;
  random?: () => number;
}

/** `absent`: the server does not know the kind. */
export type InformerState = 'starting' | 'synced' | 'absent';

/** Figures of an informer, for metrics. */
export interface InformerStats {
  name: string;
  state: InformerState;
  objects: number;
  lists: number;
  watches: number;
  failures: number;
  /** Milliseconds since the last answer, event or bookmark. */
  silentMs: number;
}

/**
 * Keeps the objects of one collection up to date: one list, then watches that continue each other. Survives broken connections, silent networks and
 * restarts of the API server; lists again only when the server has forgotten the version (410) or `refresh` is called.
 */
export class Informer {
  readonly #options: InformerOptions;
  readonly #limits: InformerLimits;
  readonly #random: () => number;
  readonly #abort = new AbortController();
  readonly #collection = new Collection();
  readonly #backoff: Backoff;
  readonly #expectedBackoff: Backoff;
  readonly #changed = new Condition();
  #state: InformerState = 'starting';
  #mustList = true;
  #silenceMs: number;
  #expected = false;
  #refreshing: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #lists = 0;
  #watches = 0;
  #lastContact = performance.now();
  #interruptedSince: number | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#limits = options.limits ?? INFORMER_LIMITS;
    this.#random = options.random ?? Math.random;
    this.#silenceMs = this.#limits.silenceMs;
    this.#backoff = new Backoff(this.#limits.backoff, this.#random);
    this.#expectedBackoff = new Backoff(this.#limits.expectedBackoff, this.#random);
  }

  get state(): InformerState {
    return this.#state;
  }

  /** Highest version seen; empty before the first list. */
  get version(): string {
    return this.#collection.version;
  }

  get(name: string, namespace?: string): KubernetesObject | undefined {
    return this.#collection.get(name, namespace);
  }

  list(): KubernetesObject[] {
    return this.#collection.list();
  }

  hasUid(uid: string): boolean {
    return this.#collection.hasUid(uid);
  }

  stats(): InformerStats {
    return {
      name: this.#options.name,
      state: this.#state,
      objects: this.#collection.size,
      lists: this.#lists,
      watches: this.#watches,
      failures: this.#backoff.failures,
      silentMs: performance.now() - this.#lastContact,
    };
  }

  /** Milliseconds since the watch broke off, until one stays open again; 0 while all is well. */
  get interruptedMs(): number {
    return this.#interruptedSince === undefined ? 0 : performance.now() - this.#interruptedSince;
  }

  /** Lists and watches until `stop`; never rejects. */
  async run(): Promise<void> {
    while (!this.#isStopped()) {
      const wait = await this.#round();
      if (wait > 0 && !this.#isStopped()) await this.#sleep(wait);
    }
  }

  /** Ends the watch and all waits; the cache keeps its last state. */
  stop(): void {
    this.#abort.abort(new Error(`the watch of ${this.#options.name} was stopped`));
    this.#changed.notify();
  }

  /**
   * Tells whether the kind should be served, because its CRD exists. An absent kind is then asked for at once and, while the server still does not
   * serve it, again after short waits; without that sign it is left alone for minutes.
   */
  expect(expected: boolean): void {
    this.#expected = expected;
    if (this.#state !== 'absent') return;
    if (expected) this.#expectedBackoff.reset();
    this.#wake();
  }

  /** Resolves when the kind has been listed once, or is known not to be served. */
  async whenSettled(signal: AbortSignal): Promise<void> {
    await this.#changed.until(() => this.#state !== 'starting' || this.#isStopped(), signal);
  }

  /** Resolves when the cache has reached `version`: by the watch, or after a bounded wait by a fresh list. Absent kinds are passed over. */
  async reach(version: string, signal: AbortSignal): Promise<void> {
    await this.#settle(() => this.#collection.hasReached(version), signal);
  }

  /** Resolves when no object with this UID is in the cache, or when a fresh list shows it still. Same bounds as `reach`. */
  async gone(uid: string, signal: AbortSignal): Promise<void> {
    await this.#settle(() => !this.#collection.hasUid(uid), signal);
  }

  /** Lists the collection while the watch goes on. Rejects when that fails. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.#refreshing ??= this.#list('refresh').finally(() => {
      this.#refreshing = undefined;
    });
    await abortable(this.#refreshing, signal);
  }

  async #settle(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
    const isSettled = (): boolean => isTrue() || this.#state === 'absent' || this.#isStopped();
    if (await this.#changed.until(isSettled, signal, this.#limits.reachMs)) return;
    await this.refresh(signal);
    // A list that another caller had begun may be older than what this one asks for.
    if (!isSettled()) await this.refresh(signal);
  }

  /** One list, if needed, and one watch. Returns the milliseconds to wait before the next round. */
  async #round(): Promise<number> {
    const opened = performance.now();
    try {
      if (this.#mustList) await this.#list('replace');
      const events = await this.#watch();
      // A server that ends watches at once is not asked in a tight loop.
      return events > 0 || performance.now() - opened > 1000 ? 0 : this.#backoff.next();
    } catch (error) {
      return this.#isStopped() ? 0 : this.#explain(error);
    }
  }

  /** Decides how to go on after a failure, and says so in the log. Returns the milliseconds to wait. */
  #explain(error: unknown): number {
    if (isNotFound(error) && this.#options.isOptional !== false && !this.#isHiccup()) return this.#becomeAbsent();
    if (isInitializing(error)) return this.#expectedBackoff.next();
    // A server that has had no event of a kind since its start sends no bookmarks of it: silence then means nothing, and is borne ever longer.
    if (isSilence(error)) this.#silenceMs = Math.min(this.#silenceMs * 2, this.#limits.watchSeconds * 1000);
    if (isExpired(error)) this.#mustList = true;
    this.#interruptedSince ??= performance.now();
    const wait = Math.max(askedWait(error), this.#backoff.next());
    const { failures } = this.#backoff;
    const { log, name } = this.#options;
    const fields = { resource: name, reason: errorText(error), failures, wait: Math.round(wait) };
    // The first failure is routine: a restarting server, a time-out on the way. Later ones are told ever more rarely.
    if (failures > 1 && Number.isInteger(Math.log2(failures))) log.warn(fields, `${name} cannot be watched`);
    else log.debug(fields, `watch of ${name} interrupted`);
    return wait;
  }

  /** A kind that was served and whose CRD exists does not vanish by one 404: an API server that starts may answer so for a moment. */
  #isHiccup(): boolean {
    return this.#expected && this.#state === 'synced' && this.#backoff.failures < 3;
  }

  #becomeAbsent(): number {
    const wasThere = this.#state !== 'absent';
    this.#state = 'absent';
    this.#mustList = true;
    this.#lastContact = performance.now();
    // That there is no such kind is an answer of the server.
    this.#interruptedSince = undefined;
    if (wasThere) {
      this.#backoff.reset();
      this.#options.log.info({ resource: this.#options.name }, `${this.#options.name} is not served by this cluster`);
      const { version } = this.#collection;
      this.#publish(version === '' ? [] : this.#collection.replace([], version));
    }
    return this.#expected ? this.#expectedBackoff.next() : this.#limits.absentMs * (0.9 + this.#random() / 5);
  }

  async #list(purpose: 'replace' | 'refresh'): Promise<void> {
    const { connection, source, project } = this.#options;
    const objects: KubernetesObject[] = [];
    this.#lists += 1;
    const version = await readList(connection, source, this.#limits, {
      signal: this.#abort.signal,
      onPage: (items) => {
        for (const item of items) {
          const kept = project(item);
          if (kept !== undefined) objects.push(kept);
        }
      },
    });
    this.#lastContact = performance.now();
    // The watch may have gone past the list in the meantime; then the list knows less than the cache.
    if (purpose === 'refresh' && this.#isAhead(version)) return;
    this.#mustList = false;
    this.#state = 'synced';
    this.#expectedBackoff.reset();
    this.#publish(this.#collection.replace(objects, version));
  }

  #isAhead(version: string): boolean {
    const known = this.#collection.version;
    return known !== '' && compareResourceVersions(known, version) > 0;
  }

  async #watch(): Promise<number> {
    const { connection, source } = this.#options;
    let events = 0;
    let proof: NodeJS.Timeout | undefined;
    this.#watches += 1;
    const watch = readWatch(connection, source, this.#limits, {
      silenceMs: () => this.#silenceMs,
      signal: this.#abort.signal,
      version: this.#collection.version,
      random: this.#random,
      onOpen: () => {
        // Nothing may happen for long; a watch that stays open shows as well that all is well.
        proof = setTimeout(() => {
          this.#succeed();
        }, PROOF_MS);
      },
    });
    try {
      for await (const event of watch) {
        events += 1;
        this.#silenceMs = this.#limits.silenceMs;
        this.#succeed();
        this.#apply(event);
      }
    } finally {
      clearTimeout(proof);
    }
    return events;
  }

  #succeed(): void {
    this.#interruptedSince = undefined;
    this.#backoff.reset();
    this.#expectedBackoff.reset();
    this.#lastContact = performance.now();
  }

  #apply(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      this.#collection.observe(event.version);
      this.#changed.notify();
      return;
    }
    const kept = event.type === 'DELETED' ? undefined : this.#options.project(event.object);
    const changes =
      kept === undefined
        ? this.#collection.remove(event.object, event.version)
        : this.#collection.upsert(kept, event.version);
    this.#publish(changes);
  }

  #publish(events: readonly CollectionEvent[]): void {
    this.#changed.notify();
    if (events.length > 0) this.#options.onChange?.(events);
  }

  /** Waits; `expect` and `stop` end it early. */
  async #sleep(milliseconds: number): Promise<void> {
    let awake = false;
    this.#wake = () => {
      awake = true;
      this.#changed.notify();
    };
    await this.#changed.until(() => awake || this.#isStopped(), NEVER, milliseconds);
  }

  #isStopped(): boolean {
    return this.#abort.signal.aborted;
  }
}

/** Milliseconds that a full server (429) asks for. A starting one (503) asks for more than it needs; our own waits protect it well enough. */
function askedWait(error: unknown): number {
  return error instanceof ApiError && error.status === 429 ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}
