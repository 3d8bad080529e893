import type { KindName } from '../api/kinds.ts';
import type { ResourceVersions } from '../api/store.ts';
import { buildWriteName, highestVersions, type AwaitedDelete } from './causes.ts';

/** How many writes are remembered; an installation makes some 150. */
const WRITES_MAX = 5000;

/** How long a delete is awaited, in milliseconds: as long as upstream's expectations last (spec/reconcile.md §1.5). */
export const DELETE_AWAITED_MS = 300_000;

/**
 * What this very process has written. Redis holds the same for the next leader; this copy is there so that a Redis that refuses writes, is away
 * or was emptied in mid-pass cannot make the next pass decide on a cache that has not seen our own writes.
 */
export class OwnWrites {
  readonly #writes = new Set<string>();
  readonly #deletes = new Map<string, AwaitedDelete & { at: number }>();
  #versions: ResourceVersions = {};

  /** Remembers the answer to a create, replace or patch. */
  recordWrite(kind: KindName, resourceVersion: string): void {
    this.#writes.add(buildWriteName(kind, resourceVersion));
    this.#versions = highestVersions(this.#versions, { [kind]: resourceVersion });
    if (this.#writes.size > WRITES_MAX) this.#forgetOldest();
  }

  /** Remembers a delete that was sent. `now`: milliseconds since the epoch. */
  recordDelete(kind: KindName, uid: string, now: number): void {
    this.#deletes.set(`${kind}/${uid}`, { kind, uid, at: now });
  }

  /** True when the write with this name (`writeNameOf`) is ours. */
  has(writeName: string): boolean {
    return this.#writes.has(writeName);
  }

  /** The highest version of each kind that we have written. */
  versions(): ResourceVersions {
    return this.#versions;
  }

  /** The deletes that are still awaited at `now`; older ones are forgotten. */
  deletes(now: number): AwaitedDelete[] {
    for (const [name, { at }] of this.#deletes) {
      if (at + DELETE_AWAITED_MS < now) this.#deletes.delete(name);
    }
    return [...this.#deletes.values()].map(({ kind, uid }) => ({ kind, uid }));
  }

  #forgetOldest(): void {
    for (const name of this.#writes) {
      if (this.#writes.size <= WRITES_MAX) return;
      this.#writes.delete(name);
    }
  }
}
