import type { ApiConnection } from '../api/connection.ts';
import type { ClusterFeatures } from '../api/features.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import { Backoff, type BackoffLimits } from './backoff.ts';
import { Condition } from './condition.ts';
import { featureOfCrd, FEATURES, readFeatures } from './features.ts';

/** How often the optional APIs are asked for without any sign of a change: kinds of the API server itself come with its upgrade only. */
const SLOW_MS = 600_000;
const RETRY: BackoffLimits = { first: 100, longest: 5000 };
/** Tries until discovery agrees with the CRDs; a CRD may be there and never serve the version that we use. */
const MAX_DISAGREEMENTS = 8;
const NEVER = new AbortController().signal;

/** What a feature watch needs. */
export interface FeatureWatchOptions {
  connection: ApiConnection;
  log: Log;
  /** Called after the first detection and after each change. */
  onChange: (now: ClusterFeatures, before: ClusterFeatures | undefined) => void;
}

/**
 * Keeps knowing which optional APIs the cluster serves: discovery at the start, after the CRD of one came, changed or went, and every ten minutes.
 * No restart is needed when one appears or vanishes (upstream restarts, for two of the five: spec/startup.md §6.3).
 */
export class FeatureWatch {
  readonly #options: FeatureWatchOptions;
  readonly #abort = new AbortController();
  readonly #wake = new Condition();
  /** What the CRDs let expect; discovery follows them after a moment, in both directions. */
  readonly #expected = new Map<keyof ClusterFeatures, boolean>();
  #features: ClusterFeatures | undefined;
  #dirty = true;

  constructor(options: FeatureWatchOptions) {
    this.#options = options;
  }

  /** Undefined until the first detection. */
  get features(): ClusterFeatures | undefined {
    return this.#features;
  }

  /** Detects until `stop`; never rejects. */
  async run(): Promise<void> {
    const backoff = new Backoff(RETRY);
    while (!this.#abort.signal.aborted) {
      this.#dirty = false;
      const answer = await this.#detect();
      if (answer === 'settled') backoff.reset();
      const isPatient = answer === 'settled' || (answer === 'disagrees' && backoff.failures >= MAX_DISAGREEMENTS);
      if (await this.#sleep(isPatient ? SLOW_MS * (0.9 + Math.random() / 5) : backoff.next())) backoff.reset();
    }
  }

  /** Ends the detection. */
  stop(): void {
    this.#abort.abort(new Error('the detection of optional APIs was stopped'));
    this.#wake.notify();
  }

  /** A CRD came, changed or went. */
  observeCrd(name: string, exists: boolean): void {
    const feature = featureOfCrd(name);
    if (feature === undefined) return;
    this.#expected.set(feature, exists);
    this.#dirty = true;
    this.#wake.notify();
  }

  /** Waits; true when a sign of a change ended it early. */
  async #sleep(milliseconds: number): Promise<boolean> {
    return this.#wake.until(() => this.#dirty || this.#abort.signal.aborted, NEVER, milliseconds);
  }

  /** One detection: does it agree with the CRDs? */
  async #detect(): Promise<'settled' | 'disagrees' | 'failed'> {
    const { connection, log } = this.#options;
    try {
      const now = await readFeatures(connection, this.#abort.signal);
      this.#accept(now);
      return [...this.#expected].every(([feature, expected]) => now[feature] === expected) ? 'settled' : 'disagrees';
    } catch (error) {
      if (!this.#abort.signal.aborted) log.warn({ reason: errorText(error) }, 'optional APIs cannot be detected yet');
      return 'failed';
    }
  }

  #accept(now: ClusterFeatures): void {
    const before = this.#features;
    if (before !== undefined && FEATURES.every((feature) => now[feature] === before[feature])) return;
    this.#features = now;
    this.#options.log.info({ features: FEATURES.filter((feature) => now[feature]) }, 'optional APIs of this cluster');
    this.#options.onChange(now, before);
  }
}
