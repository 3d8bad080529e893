/** BullMQ queue of the passes. */
export const RECONCILE_QUEUE = 'reconcile';
/** BullMQ queue of the retries and timers, whose jobs only add a key to the other one. */
export const TIMERS_QUEUE = 'timers';

/** The Redis keys and channels beside BullMQ's own, all under one prefix (`buildKeyPrefix`). */
export interface Keys {
  /** List of causes of one reconcile key, as JSON, oldest first. */
  causes(key: string): string;
  /** How many causes of one reconcile key did not fit into its list. */
  dropped(key: string): string;
  /** Hash: kind → highest resource version that anyone has reported. */
  versions: string;
  /** Sorted set of `kind/resourceVersion` of our own writes; score: milliseconds since the epoch. */
  ownWrites: string;
  /** Sorted set of `kind/uid` of our own deletes; score: milliseconds since the epoch. */
  deletes: string;
  /** Sorted set of reconcile keys with an armed wake-up; score: milliseconds since the epoch. */
  due: string;
  /** Hash: reconcile key → why its wake-up was armed, as JSON. */
  dueReasons: string;
  /** Hash: reconcile key → reason of a wake-up that is due and whose key is being queued, as JSON. */
  firing: string;
  /** Hash: reconcile key → failures in a row. */
  failures: string;
  /** The leader's token. */
  lock: string;
  /** The highest fencing number given out. */
  fence: string;
  /** The token whose tenure was last ended in order. */
  released: string;
  /** Channel: the lock was taken or released. */
  lockEvents: string;
  /** List of finished passes as JSON, newest first; also the channel that tells of each. */
  passes: string;
  /** The progress of the installation as JSON; also the channel that tells of each change. */
  progress: string;
  /** Hash: reconcile key → situation of its KubeVirt object as JSON; also the channel that tells of each change. */
  situations: string;
}

/** Builds the names of all keys under a prefix. */
export function buildKeys(prefix: string): Keys {
  return {
    causes: (key) => `${prefix}:causes:${key}`,
    dropped: (key) => `${prefix}:dropped:${key}`,
    versions: `${prefix}:versions`,
    ownWrites: `${prefix}:own-writes`,
    deletes: `${prefix}:own-deletes`,
    due: `${prefix}:due`,
    dueReasons: `${prefix}:due-reasons`,
    firing: `${prefix}:firing`,
    failures: `${prefix}:failures`,
    lock: `${prefix}:leader`,
    fence: `${prefix}:leader-fence`,
    released: `${prefix}:leader-released`,
    lockEvents: `${prefix}:leader-events`,
    passes: `${prefix}:passes`,
    progress: `${prefix}:progress`,
    situations: `${prefix}:situations`,
  };
}
