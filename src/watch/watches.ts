import type { ApiConnection } from '../api/connection.ts';
import type { ClusterFeatures } from '../api/features.ts';
import type { KindName } from '../api/kinds.ts';
import type { Log } from '../log.ts';
import type { CollectionEvent } from './collection.ts';
import { Condition } from './condition.ts';
import { FeatureWatch } from './feature-watch.ts';
import { Informer, INFORMER_LIMITS, type InformerLimits, type InformerStats } from './informer.ts';
import { buildTable, crdOf, keep, sourceOf, type Depth, type WatchRow } from './table.ts';

/** What the watches of a process are made from. */
export interface WatchesOptions {
  connection: ApiConnection;
  operatorNamespace: string;
  /** `full` for the roles worker and all, `metadata` for the role gateway. */
  depth: Depth;
  log: Log;
  /** Ends everything. */
  signal: AbortSignal;
  limits?: InformerLimits;
}

/** Called with the changes of one collection. */
export type EventListener = (row: WatchRow, events: readonly CollectionEvent[]) => void;
/** Called when optional APIs came or went; not for the first detection. */
export type FeatureListener = (now: ClusterFeatures, before: ClusterFeatures) => void;

/** Nothing optional. */
const NO_FEATURES: ClusterFeatures = {
  openshift: false,
  serviceMonitor: false,
  prometheusRule: false,
  validatingAdmissionPolicy: false,
  validatingAdmissionPolicyBinding: false,
};

/** Whole CRDs are asked for in small pages: each may be a megabyte of schemas. */
const CRD_PAGE_SIZE = 10;

/** All watches of this process: one informer per row of the table that the cluster serves. Serves a gateway and a store at the same time. */
export class Watches {
  readonly #options: WatchesOptions;
  readonly #rows: readonly WatchRow[];
  readonly #informers = new Map<WatchRow, Informer>();
  readonly #features: FeatureWatch;
  readonly #changed = new Condition();
  readonly #eventListeners = new Set<EventListener>();
  readonly #featureListeners = new Set<FeatureListener>();
  readonly #crds = new Set<string>();

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.#rows = buildTable(options.operatorNamespace).filter(
      (row) => options.depth === 'full' || row.fullDepthOnly !== true,
    );
    this.#features = new FeatureWatch({
      connection: options.connection,
      log: options.log,
      onChange: (now, before) => {
        this.#follow(now, before);
      },
    });
  }

  /** The informers of a kind that belong to the store, with their rows. */
  of(kind: KindName): [WatchRow, Informer][] {
    return [...this.#informers].filter(([row]) => row.kind === kind && row.crdPresence !== true);
  }

  /** Which optional APIs the cluster serves; none before the first detection. */
  features(): ClusterFeatures {
    return this.#features.features ?? NO_FEATURES;
  }

  /** True when the optional APIs are known and every kind that the cluster serves has been listed once. */
  isSynced(): boolean {
    if (this.#features.features === undefined) return false;
    return [...this.#informers.values()].every(({ state }) => state !== 'starting');
  }

  /** Milliseconds since the API server was lost, as the watch of KubeVirt objects knows it; 0 while they are watched. */
  interruptedMs(): number {
    return Math.max(0, ...this.of('KubeVirt').map(([, { interruptedMs }]) => interruptedMs));
  }

  /** Resolves when `isSynced`; rejects with the signal's reason. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    await this.#changed.until(() => this.isSynced(), signal);
  }

  /** Calls `listener` after each change of any cache; returns the way to stop it. */
  onChange(listener: () => void): () => void {
    return this.#changed.listen(listener);
  }

  /** Calls `listener` with each change; returns the way to stop it. */
  onEvents(listener: EventListener): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** Calls `listener` when optional APIs come or go; returns the way to stop it. */
  onFeatures(listener: FeatureListener): () => void {
    this.#featureListeners.add(listener);
    return () => this.#featureListeners.delete(listener);
  }

  /** Figures of every running watch, for metrics. */
  stats(): InformerStats[] {
    return [...this.#informers.values()].map((informer) => informer.stats());
  }

  /** Starts the watches of all kinds that do not depend on an optional API, and the detection of those that do. Call once. */
  start(): void {
    const { signal } = this.#options;
    signal.throwIfAborted();
    signal.addEventListener(
      'abort',
      () => {
        this.#features.stop();
        for (const informer of this.#informers.values()) informer.stop();
      },
      { once: true },
    );
    for (const row of this.#rows) if (row.feature === undefined) this.#startRow(row);
    void this.#features.run();
  }

  #startRow(row: WatchRow): void {
    const { connection, operatorNamespace, depth, log } = this.#options;
    const crd = crdOf(row);
    const informer = new Informer({
      connection,
      source: sourceOf(row, operatorNamespace, depth),
      name: row.id,
      project: (object) => keep(row, depth, object),
      isOptional: crd !== undefined || row.feature !== undefined,
      log,
      limits: this.#limitsOf(row),
      onChange: (events) => {
        this.#publish(row, events);
      },
    });
    if (crd !== undefined && this.#crds.has(crd)) informer.expect(true);
    this.#informers.set(row, informer);
    void informer.run();
    // A kind may turn out to be absent, or empty, without any event.
    void informer.whenSettled(this.#options.signal).then(
      () => {
        this.#changed.notify();
      },
      () => undefined, // stopped before
    );
  }

  #limitsOf(row: WatchRow): InformerLimits {
    const limits = this.#options.limits ?? INFORMER_LIMITS;
    if (row.kind === 'CustomResourceDefinition' && row.metadataOnly !== true) {
      return { ...limits, pageSize: Math.min(limits.pageSize, CRD_PAGE_SIZE) };
    }
    // A watch of one object sees no versions but its own: waiting for others of the kind is in vain, and the list costs next to nothing.
    return row.fieldSelector === undefined ? limits : { ...limits, reachMs: 0 };
  }

  #publish(row: WatchRow, events: readonly CollectionEvent[]): void {
    if (row.crdPresence === true) this.#observeCrds(events);
    for (const listener of this.#eventListeners) listener(row, events);
    this.#changed.notify();
  }

  /** Kinds that come with a CRD are watched as soon as it is there: each change of the CRD may be the one that makes it served. */
  #observeCrds(events: readonly CollectionEvent[]): void {
    for (const { type, object } of events) {
      const name = object.metadata.name ?? '';
      const exists = type !== 'deleted';
      if (exists) this.#crds.add(name);
      else this.#crds.delete(name);
      this.#features.observeCrd(name, exists);
      for (const [row, informer] of this.#informers) if (crdOf(row) === name) informer.expect(exists);
    }
  }

  #follow(now: ClusterFeatures, before: ClusterFeatures | undefined): void {
    for (const row of this.#rows) {
      if (row.feature === undefined) continue;
      const running = this.#informers.get(row);
      if (now[row.feature] && running === undefined) this.#startRow(row);
      if (!now[row.feature] && running !== undefined) {
        running.stop();
        this.#informers.delete(row);
      }
    }
    if (before !== undefined) for (const listener of this.#featureListeners) listener(now, before);
    this.#changed.notify();
  }
}

/** Starts all watches of this process. */
export function startWatches(options: WatchesOptions): Watches {
  const watches = new Watches(options);
  watches.start();
  return watches;
}
