import type { ClusterFeatures } from './features.ts';
import type { KindName } from './kinds.ts';
import type { KubernetesObject } from './objects.ts';

/** Highest resource versions per kind that a reader must have seen; versions are compared within one kind only. */
export type ResourceVersions = Partial<Record<KindName, string>>;

/** The caches of this process: what the watches have delivered so far. Objects in it are frozen. */
export interface ObjectStore {
  get(kind: KindName, name: string, namespace?: string): KubernetesObject | undefined;
  /**
   * Managed objects of a kind (all objects of KubeVirt, Namespace, Lease, instance type kinds). ConfigMaps: the managed ones of the operator namespace,
   * and the strategy ConfigMaps of all namespaces. An unlabelled object that is watched by its name alone is reached by `get` only.
   */
  list(kind: KindName): readonly KubernetesObject[];
  /** Number of nodes with label kubevirt.io/schedulable=true. */
  schedulableNodes(): number;
  /** Which optional APIs the cluster serves now; detected again without a restart when their CRDs come or go. */
  features(): ClusterFeatures;
  /** True when every kind that this cluster serves has been listed once. */
  isSynced(): boolean;
  /** Rejects when `signal` aborts before that. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the cache of each kind has reached its version: by watch events, or after a bounded wait by a fresh list (design decision 4).
   * Kinds whose API is absent are passed over.
   */
  reach(versions: ResourceVersions, signal: AbortSignal): Promise<void>;
  /** Resolves when the object with this UID is no longer in the cache of its kind. Same bounds as `reach`. */
  gone(kind: KindName, uid: string, signal: AbortSignal): Promise<void>;
  /** Calls `listener` after each change of any cache; returns the way to stop it. */
  onChange(listener: () => void): () => void;
}

/** Compares two resource versions of one kind: negative, zero or positive. They are decimal numbers without a length limit. */
export function compareResourceVersions(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : Number(a > b)) : a.length - b.length;
}
