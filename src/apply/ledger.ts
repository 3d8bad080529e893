import type { KindName } from '../api/kinds.ts';
import type { KubernetesObject, ObjectMeta } from '../api/objects.ts';
import type { ApiClient } from './client.ts';

/** Remembers writes, so that the next pass waits for them and is not caused by them (design decision 4). Never rejects. */
export interface Recorder {
  recordWrite(kind: KindName, resourceVersion: string): Promise<void>;
  recordDelete(kind: KindName, uid: string): Promise<void>;
}

/** A client whose writes are counted and remembered. */
export interface Ledger {
  client: ApiClient;
  /** Writes that the API server has taken. */
  count(): number;
  /** Resolves when all of them are remembered: to be awaited before a pass ends. */
  settled(): Promise<void>;
}

/** Keeps the books of one pass: every write through its client is handed to the recorder, without waiting for it. */
export function openLedger(client: ApiClient, recorder: Recorder): Ledger {
  const recording: Promise<void>[] = [];
  let count = 0;
  const note = (kind: KindName, object: KubernetesObject): KubernetesObject => {
    count++;
    const { resourceVersion, uid } = object.metadata;
    if (isReleased(object) && uid !== undefined) recording.push(recorder.recordDelete(kind, uid));
    else if (resourceVersion !== undefined) recording.push(recorder.recordWrite(kind, resourceVersion));
    return object;
  };
  return {
    client: {
      ...client,
      create: async (kind, object) => note(kind, await client.create(kind, object)),
      replace: async (kind, object, subresource) => note(kind, await client.replace(kind, object, subresource)),
      patch: async (target, operations, subresource) =>
        note(target.kind, await client.patch(target, operations, subresource)),
      merge: async (target, patch) => note(target.kind, await client.merge(target, patch)),
      delete: async (target, options) => {
        const left = await client.delete(target, options);
        // What its finalizers still hold is not awaited: that may take as long as it likes.
        if (left !== undefined) return note(target.kind, left);
        count++;
        if (options?.uid !== undefined) recording.push(recorder.recordDelete(target.kind, options.uid));
        return undefined;
      },
    },
    count: () => count,
    settled: async () => {
      await Promise.all(recording);
    },
  };
}

/** The write has taken the last finalizer off an object that is being deleted: it is gone, and the version in the answer is none that a cache will reach. */
function isReleased({ metadata }: KubernetesObject): boolean {
  const {
    deletionTimestamp,
    deletionGracePeriodSeconds = 0,
    finalizers = [],
  } = metadata as ObjectMeta & {
    deletionGracePeriodSeconds?: number;
  };
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}
