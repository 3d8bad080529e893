import type { KindName } from '../api/kinds.ts';
import { objectKey, type KubernetesObject } from '../api/objects.ts';
import { compareResourceVersions, type ObjectStore } from '../api/store.ts';
import type { World } from '../plan/types.ts';

/** What the cache is asked for. */
export type Cache = Pick<ObjectStore, 'get' | 'list'>;

/** An object that a pass has deleted, or that the API server said does not exist. */
interface Gone {
  goneUid: string | undefined;
}

/** An object as the API server answered it. */
interface Written {
  object: KubernetesObject;
  /** The cache has shown this very object: from then on its absence there means that it is gone, before that only that the cache lags. */
  wasCached: boolean;
}
type Answer = Written | Gone;

/**
 * The world of one pass: the caches, and over them the API server's answers to the pass's own calls. The newer of the two wins, so a cache that
 * lags behind our own writes never leads to a second create, and one that runs ahead is believed, also when it shows no more what we have changed.
 */
export class Overlay implements World {
  readonly #cache: Cache;
  readonly #answers = new Map<KindName, Map<string, Answer>>();

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  get(kind: KindName, name: string, namespace?: string): KubernetesObject | undefined {
    const cached = this.#cache.get(kind, name, namespace);
    const answer = this.#answers.get(kind)?.get(objectKey(name, namespace));
    return answer === undefined ? cached : decideNewer(answer, cached);
  }

  list(kind: KindName): readonly KubernetesObject[] {
    const cached = this.#cache.list(kind);
    const answers = this.#answers.get(kind);
    if (answers === undefined) return cached;
    const merged = new Map(cached.map((object) => [keyOf(object), object]));
    for (const [key, answer] of answers) {
      const newer = decideNewer(answer, merged.get(key));
      if (newer === undefined) merged.delete(key);
      else merged.set(key, newer);
    }
    return [...merged.values()];
  }

  /**
   * Takes in an object as the API server answered it. `changed`: the pass has changed what it saw before, so that the cache may have dropped it already
   * when the answer arrives.
   */
  record(kind: KindName, object: KubernetesObject, how: 'created' | 'changed' | 'read'): void {
    const { name = '', namespace, uid } = object.metadata;
    const answers = this.#answersOf(kind);
    const earlier = answers.get(keyOf(object));
    const wasSeen = earlier === undefined || 'goneUid' in earlier ? how === 'changed' : earlier.wasCached;
    const isCached = this.#cache.get(kind, name, namespace)?.metadata.uid === uid;
    answers.set(keyOf(object), { object, wasCached: isCached || wasSeen });
  }

  /** Takes in that an object is gone. A later one of the same name but another UID is seen again as soon as the cache shows it. */
  remove(kind: KindName, name: string, namespace?: string): void {
    const goneUid = this.get(kind, name, namespace)?.metadata.uid;
    this.#answersOf(kind).set(objectKey(name, namespace), { goneUid });
  }

  #answersOf(kind: KindName): Map<string, Answer> {
    const known = this.#answers.get(kind);
    if (known !== undefined) return known;
    const answers = new Map<string, Answer>();
    this.#answers.set(kind, answers);
    return answers;
  }
}

function decideNewer(answer: Answer, cached: KubernetesObject | undefined): KubernetesObject | undefined {
  if ('goneUid' in answer) return cached?.metadata.uid === answer.goneUid ? undefined : cached;
  const { object } = answer;
  if (cached === undefined) return answer.wasCached ? undefined : object;
  answer.wasCached ||= cached.metadata.uid === object.metadata.uid;
  const [ours, theirs] = [object.metadata.resourceVersion ?? '', cached.metadata.resourceVersion ?? ''];
  return compareResourceVersions(theirs, ours) > 0 ? cached : object;
}

function keyOf(object: KubernetesObject): string {
  return objectKey(object.metadata.name ?? '', object.metadata.namespace);
}
