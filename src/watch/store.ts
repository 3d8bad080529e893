import type { KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { ObjectStore, ResourceVersions } from '../api/store.ts';
import type { Watches } from './watches.ts';

/** The caches of `watches`, which must have depth `full`, as the rest of the program reads them. */
export function createObjectStore(watches: Watches): ObjectStore {
  const informersOf = (kind: KindName): ReturnType<Watches['of']> => watches.of(kind);

  const list = (kind: KindName): KubernetesObject[] =>
    informersOf(kind).flatMap(([{ isListed }, informer]) => {
      const objects = informer.list();
      return isListed === undefined ? objects : objects.filter((object) => isListed(object));
    });

  const get = (kind: KindName, name: string, namespace?: string): KubernetesObject | undefined => {
    for (const [, informer] of informersOf(kind)) {
      const object = informer.get(name, namespace);
      if (object !== undefined) return object;
    }
    return undefined;
  };

  /** The informers that must have seen a version of their kind; those whose events never become keys are not asked. */
  const relevant = (kind: KindName): ReturnType<Watches['of']> =>
    informersOf(kind).filter(([row]) => row.fullDepthOnly !== true);

  return {
    get,
    list,
    schedulableNodes: () => list('Node').length,
    features: () => watches.features(),
    isSynced: () => watches.isSynced(),
    whenSynced: async (signal) => watches.whenSynced(signal),
    onChange: (listener) => watches.onChange(listener),
    reach: async (versions: ResourceVersions, signal) => {
      const waits = Object.entries(versions).flatMap(([kind, version]) =>
        relevant(kind as KindName).map(async ([, informer]) => informer.reach(version, signal)),
      );
      await Promise.all(waits);
    },
    gone: async (kind, uid, signal) => {
      await Promise.all(informersOf(kind).map(async ([, informer]) => informer.gone(uid, signal)));
    },
  };
}
