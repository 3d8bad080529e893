import type { KindName } from '../api/kinds.ts';

/** Remembers the versions that this process has written, so that their events are no reason for another pass (design decision 8). */
export interface OwnWrites {
  /** Takes note of the answer to a write. */
  record(kind: KindName, resourceVersion: string): void;
  /** True for a noted version. An event that overtakes the answer is not recognised: it costs one pass that finds nothing to do. */
  has(kind: KindName, resourceVersion: string): boolean;
}

/** Keeps the latest `limit` versions; an event comes within milliseconds of its write, so older ones are of no use. */
export function createOwnWrites(limit = 2000): OwnWrites {
  const versions = new Set<string>();
  return {
    record: (kind, resourceVersion) => {
      versions.add(`${kind} ${resourceVersion}`);
      const oldest = versions.values().next();
      if (versions.size > limit && oldest.done !== true) versions.delete(oldest.value);
    },
    has: (kind, resourceVersion) => versions.has(`${kind} ${resourceVersion}`),
  };
}
