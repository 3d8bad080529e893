import type { ClusterFeatures } from '../../api/features.ts';
import type { KindName } from '../../api/kinds.ts';
import { MANAGED_SELECTOR, SCHEDULABLE_LABEL, STRATEGY_LABEL } from '../../api/names.ts';
import { objectKey, type KubernetesObject } from '../../api/objects.ts';
import type { ObjectStore } from '../../api/store.ts';
import { isManaged } from '../../plan/managed.ts';
import type { WatchRow } from '../../watch/table.ts';
import type { Snapshot } from '../cluster/snapshot.ts';

/** Higher than any version that a real API server has given out. */
const FIRST_VERSION = 10n ** 18n;

type Selects = (object: KubernetesObject) => boolean;

/** What the selectors of the operator's watches select. */
const SELECTORS: ReadonlyMap<string, Selects> = new Map<string, Selects>([
  [MANAGED_SELECTOR, isManaged],
  [STRATEGY_LABEL, ({ metadata }) => STRATEGY_LABEL in (metadata.labels ?? {})],
  [`${SCHEDULABLE_LABEL}=true`, ({ metadata }) => metadata.labels?.[SCHEDULABLE_LABEL] === 'true'],
]);

/**
 * The objects of a rehearsed cluster, and the view of them that the operator's caches would give: the same selectors, the same parts of each object
 * (src/watch/table.ts).
 */
export class ObjectTable implements ObjectStore {
  readonly #snapshot: Snapshot;
  readonly #objects = new Map<KindName, Map<string, KubernetesObject>>();
  readonly #views = new WeakMap<KubernetesObject, KubernetesObject>();
  readonly #listeners = new Set<() => void>();
  /** Keys of objects that are known not to exist. */
  readonly #absent = new Set<string>();
  #version = FIRST_VERSION;
  /** Called when somebody begins to wait for a change: nothing changes by itself here. */
  onAwaited: (() => void) | undefined;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    for (const { kind, object } of snapshot.objects) this.#ofKind(kind).set(keyOf(object), object);
  }

  /** The whole object. */
  find(kind: KindName, name: string, namespace?: string): KubernetesObject | undefined {
    return this.#ofKind(kind).get(objectKey(name, namespace));
  }

  /** All whole objects of a kind. */
  all(kind: KindName): KubernetesObject[] {
    return [...this.#ofKind(kind).values()];
  }

  /** Puts an object in place of the one of its name, with a version that is newer than all others; returns it so. */
  put(kind: KindName, object: KubernetesObject): KubernetesObject {
    this.#version += 1n;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#ofKind(kind).set(keyOf(stored), stored);
    this.#absent.delete(`${kind} ${keyOf(stored)}`);
    this.#tell();
    return stored;
  }

  /** Takes an object away; from then on it is known not to exist. */
  remove(kind: KindName, name: string, namespace?: string): void {
    const key = objectKey(name, namespace);
    this.#absent.add(`${kind} ${key}`);
    if (this.#ofKind(kind).delete(key)) this.#tell();
  }

  /** Whether it is known that there is no such object, so that nobody asks the real cluster, which may have one. */
  isAbsent(kind: KindName, name: string, namespace?: string): boolean {
    return this.#absent.has(`${kind} ${objectKey(name, namespace)}`);
  }

  get(kind: KindName, name: string, namespace?: string): KubernetesObject | undefined {
    const object = this.find(kind, name, namespace);
    return object === undefined ? undefined : this.#view(kind, object);
  }

  list(kind: KindName): readonly KubernetesObject[] {
    return this.all(kind).flatMap((object) => {
      const row = this.#rowOf(kind, object);
      const view = this.#view(kind, object);
      return view === undefined || row?.isListed?.(view) === false ? [] : [view];
    });
  }

  schedulableNodes(): number {
    return this.list('Node').length;
  }

  features(): ClusterFeatures {
    return this.#snapshot.features;
  }

  isSynced(): boolean {
    return true;
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  reach(): Promise<void> {
    return Promise.resolve();
  }

  gone(): Promise<void> {
    return Promise.resolve();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    queueMicrotask(() => this.onAwaited?.());
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #ofKind(kind: KindName): Map<string, KubernetesObject> {
    const known = this.#objects.get(kind);
    if (known !== undefined) return known;
    const objects = new Map<string, KubernetesObject>();
    this.#objects.set(kind, objects);
    return objects;
  }

  #view(kind: KindName, object: KubernetesObject): KubernetesObject | undefined {
    const known = this.#views.get(object);
    if (known !== undefined) return known;
    const view = this.#rowOf(kind, object)?.keep(kind, object);
    if (view !== undefined) this.#views.set(object, view);
    return view;
  }

  #rowOf(kind: KindName, object: KubernetesObject): WatchRow | undefined {
    return this.#snapshot.rows.find((row) => row.kind === kind && this.#isSelected(row, object));
  }

  #isSelected({ scope, labelSelector, fieldSelector }: WatchRow, object: KubernetesObject): boolean {
    const { name = '', namespace } = object.metadata;
    if (scope === 'operator namespace' && namespace !== this.#snapshot.operatorNamespace) return false;
    if (fieldSelector !== undefined && fieldSelector !== `metadata.name=${name}`) return false;
    if (labelSelector === undefined) return true;
    const selects = SELECTORS.get(labelSelector);
    if (selects === undefined) throw new Error(`the selector ${labelSelector} is not rehearsed`);
    return selects(object);
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return objectKey(metadata.name ?? '', metadata.namespace);
}
