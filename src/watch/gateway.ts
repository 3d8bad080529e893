import type { Cause, Enqueue } from '../api/causes.ts';
import type { ClusterFeatures } from '../api/features.ts';
import type { KindName } from '../api/kinds.ts';
import { objectKey, type KubernetesObject } from '../api/objects.ts';
import { compareResourceVersions } from '../api/store.ts';
import type { Log } from '../log.ts';
import type { CollectionEvent } from './collection.ts';
import { FEATURES } from './features.ts';
import { Outbox } from './outbox.ts';
import { decideCause, type WatchRow } from './table.ts';
import type { Watches } from './watches.ts';

/** What a gateway is made from. */
export interface GatewayOptions {
  watches: Watches;
  /** Puts a key into the queue; may reject, the key is then offered again. */
  enqueue: Enqueue;
  log: Log;
  signal: AbortSignal;
  /** Milliseconds between two additions of every key without any reason; a tenth more or less at random. */
  resyncMs?: number;
  /** True for a version that is the answer to a write of this process: no reason for a pass (design decision 8). */
  isOwnWrite?: (kind: KindName, resourceVersion: string) => boolean;
  now?: () => number;
}

/** A running gateway. */
export interface Gateway {
  /** Adds every key again: Redis was lost, emptied or away (design decision 3). */
  addAll(type: 'recovered' | 'resync' | 'requested', note?: string): void;
  /** Resolves when the first keys are on their way to the queue. */
  started: Promise<void>;
  /** Keys that the queue has not taken yet, for metrics. */
  waiting(): number;
}

const RESYNC_MS = 600_000;

/**
 * Turns events into keys: waits until the watches are synced, adds every key once, and from then on each relevant event adds the key of the KubeVirt
 * object with its cause. An event of the infrastructure belongs to the only KubeVirt object; with none or with several it adds nothing
 * (spec/reconcile.md §1.3), and when one of several comes or goes the others are added, too (design decision 13).
 */
export function startGateway(options: GatewayOptions): Gateway {
  const { watches, signal } = options;
  const now = options.now ?? Date.now;
  const outbox = new Outbox(options);
  const seen = new Map<KindName, string>();
  let isStarted = false;

  const keys = (): string[] => kubeVirts(watches).map((object) => keyOf(object));
  const pushAll = (cause: Cause): void => {
    for (const key of keys()) outbox.push(key, cause);
  };
  const pushSeen = (type: Cause['type'], note: string): void => {
    for (const [kind, resourceVersion] of seen) pushAll({ type, kind, resourceVersion, note, at: now() });
  };
  const addAll: Gateway['addAll'] = (type, note) => {
    pushAll({ type, ...(note === undefined ? {} : { note }), at: now() });
    // The versions that a pass has to wait for were lost as well.
    if (type === 'recovered') pushSeen(type, note ?? 'the queue was lost');
  };

  const stopEvents = watches.onEvents((row, events) => {
    for (const event of events) {
      const cause = decideCause(row, event, now());
      if (cause === undefined || options.isOwnWrite?.(row.kind, event.version) === true) continue;
      raise(seen, row.kind, event.version);
      if (isStarted) for (const key of decideKeys(row, event, keys())) outbox.push(key, cause);
    }
  });
  const stopFeatures = watches.onFeatures((is, was) => {
    pushAll({ type: 'modified', note: describeChange(is, was), at: now() });
  });
  const timer = setInterval(addAll, jitter(options.resyncMs ?? RESYNC_MS), 'resync');
  signal.addEventListener(
    'abort',
    () => {
      clearInterval(timer);
      stopEvents();
      stopFeatures();
    },
    { once: true },
  );

  const start = async (): Promise<void> => {
    await watches.whenSynced(signal);
    isStarted = true;
    for (const object of kubeVirts(watches)) outbox.push(keyOf(object), firstCause(object, now()));
    // A worker in another process must have seen what these lists have shown.
    pushSeen('resync', START_NOTE);
    options.log.info({ keys: keys() }, 'gateway started');
  };
  const started = start();
  // It rejects only when the signal aborts, which is no failure to whoever does not wait for it.
  started.catch(() => undefined);
  return { addAll, started, waiting: () => outbox.size };
}

const START_NOTE = 'the gateway started';

/** The keys that an event adds, given the keys of all KubeVirt objects. */
export function decideKeys(row: Pick<WatchRow, 'kind'>, event: CollectionEvent, all: readonly string[]): string[] {
  if (row.kind !== 'KubeVirt') return all.length === 1 ? [...all] : [];
  const own = keyOf(event.object);
  return event.type === 'modified' ? [own] : [...new Set([own, ...all])];
}

function kubeVirts(watches: Watches): KubernetesObject[] {
  return watches.of('KubeVirt').flatMap(([, informer]) => informer.list());
}

function keyOf({ metadata }: KubernetesObject): string {
  return objectKey(metadata.name ?? '', metadata.namespace);
}

function firstCause({ metadata }: KubernetesObject, at: number): Cause {
  return {
    type: 'added',
    kind: 'KubeVirt',
    name: metadata.name ?? '',
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    note: START_NOTE,
    at,
  };
}

function raise(seen: Map<KindName, string>, kind: KindName, version: string): void {
  const known = seen.get(kind);
  if (known === undefined || compareResourceVersions(version, known) > 0) seen.set(kind, version);
}

function describeChange(is: ClusterFeatures, was: ClusterFeatures): string {
  const changed = FEATURES.filter((feature) => is[feature] !== was[feature]);
  return `optional APIs: ${changed.map((feature) => `${feature} ${is[feature] ? 'appeared' : 'vanished'}`).join(', ')}`;
}

function jitter(milliseconds: number): number {
  return milliseconds * (0.9 + Math.random() / 5);
}
