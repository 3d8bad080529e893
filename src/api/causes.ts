import type { KindName } from './kinds.ts';

/** Why a key was put into the queue. */
export interface Cause {
  type: 'added' | 'modified' | 'deleted' | 'resync' | 'timer' | 'retry' | 'recovered' | 'requested';
  /** What happened to which object; absent for timers and resyncs. */
  kind?: KindName;
  name?: string;
  namespace?: string;
  resourceVersion?: string;
  /** Free text for people: which timer, which recovery. */
  note?: string;
  /** Milliseconds since the epoch, by the clock of whoever saw the cause. */
  at: number;
}

/** Puts the key `namespace/name` of a KubeVirt object into the queue. */
export type Enqueue = (key: string, cause: Cause) => Promise<void>;
