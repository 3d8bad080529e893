import { objectKey, type KubernetesObject } from '../api/objects.ts';
import { compareResourceVersions } from '../api/store.ts';

/** One change of a collection. */
export interface CollectionEvent {
  type: 'added' | 'modified' | 'deleted';
  /** The object as it is kept; of a deleted one its last state. */
  object: KubernetesObject;
  /** The object before; absent for `added`. */
  previous?: KubernetesObject;
  /** Version of the change. A deletion that was found by a list has the version of the list. */
  version: string;
  /** True when the change was found by the first list of this process, which says nothing about what happened just now. */
  initial: boolean;
}

/** What a collection keeps of an object; undefined: nothing. */
export type Project = (object: KubernetesObject) => KubernetesObject | undefined;

/**
 * The last known objects of one watched collection and the highest version that it has seen, without any I/O.
 * Stale events (at or below that version) change nothing.
 */
export class Collection {
  readonly #objects = new Map<string, KubernetesObject>();
  #version = '';

  /** Highest version seen; empty before the first list. */
  get version(): string {
    return this.#version;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(name: string, namespace?: string): KubernetesObject | undefined {
    return this.#objects.get(objectKey(name, namespace));
  }

  list(): KubernetesObject[] {
    return [...this.#objects.values()];
  }

  hasUid(uid: string): boolean {
    for (const object of this.#objects.values()) if (object.metadata.uid === uid) return true;
    return false;
  }

  /** True when everything up to `version` is known. */
  hasReached(version: string): boolean {
    return this.#version !== '' && compareResourceVersions(this.#version, version) >= 0;
  }

  /** Replaces everything by the state of a list; returns the differences. */
  replace(objects: readonly KubernetesObject[], version: string): CollectionEvent[] {
    const initial = this.#version === '';
    const events: CollectionEvent[] = [];
    const vanished = new Map(this.#objects);
    this.#version = version;
    for (const object of objects) {
      const key = keyOf(object);
      vanished.delete(key);
      events.push(...this.#set(key, object, initial));
    }
    for (const [key, previous] of vanished) {
      this.#objects.delete(key);
      events.push({ type: 'deleted', object: previous, previous, version, initial });
    }
    return events;
  }

  /** Takes in a new state of an object; no event when it is stale, two when it took the place of another object. */
  upsert(object: KubernetesObject, version: string): CollectionEvent[] {
    if (this.hasReached(version)) return [];
    this.#version = version;
    return this.#set(keyOf(object), object, false);
  }

  /**
   * Takes an object out; no event when that very object is not there. Applied whatever its version: a UID never comes back, so a late deletion is
   * still true.
   */
  remove(object: KubernetesObject, version: string): CollectionEvent[] {
    this.observe(version);
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous === undefined || previous.metadata.uid !== object.metadata.uid) return [];
    this.#objects.delete(key);
    return [{ type: 'deleted', object: previous, previous, version, initial: false }];
  }

  /** Everything up to `version` is known: a bookmark, or an event about an object that is not kept. */
  observe(version: string): void {
    if (!this.hasReached(version)) this.#version = version;
  }

  #set(key: string, object: KubernetesObject, initial: boolean): CollectionEvent[] {
    const previous = this.#objects.get(key);
    const version = object.metadata.resourceVersion ?? this.#version;
    if (previous !== undefined && previous.metadata.resourceVersion === version) return [];
    this.#objects.set(key, object);
    if (previous === undefined) return [{ type: 'added', object, version, initial }];
    if (previous.metadata.uid === object.metadata.uid)
      return [{ type: 'modified', object, previous, version, initial }];
    return [
      { type: 'deleted', object: previous, previous, version, initial },
      { type: 'added', object, version, initial },
    ];
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return objectKey(metadata.name ?? '', metadata.namespace);
}
