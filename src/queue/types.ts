import type { Cause } from '../api/causes.ts';
import type { KindName } from '../api/kinds.ts';
import type { Taken } from './causes.ts';

/** A key whose turn it is. It must be settled once: completed, failed or put back. Settling rejects when the queue no longer knows the job. */
export interface ActiveJob {
  readonly id: string;
  /** `namespace/name` of a KubeVirt object. */
  readonly key: string;
  /** Ends the job; `result` is shown to people. */
  complete(result: Record<string, unknown>): Promise<void>;
  /** Ends the job visibly as failed; nothing is retried by that. */
  fail(error: Error): Promise<void>;
  /** Gives the key its turn back: it runs next, here or elsewhere. */
  putBack(): Promise<void>;
}

/**
 * A queue of keys, each of which waits at most once, and which is run by one leader. Redis holds the real one; a worker that goes on without
 * Redis brings one in memory (design decision 3).
 */
export interface PassQueue {
  /**
   * Queues a key. While it waits nothing is added; while it runs it will run exactly once more. Rejects when the queue is out of reach.
   * The causes are kept until the key's next pass takes them.
   */
  add(key: string, causes: Cause | readonly Cause[]): Promise<void>;
  /** Takes the causes of a key out of the queue, and reads what the pass must have seen. To be called when the key's job is active. */
  takeCauses(key: string): Promise<Taken>;
  /**
   * The jobs of a leader, one at a time; ends when `signal` aborts. Begins with what a dead leader has left: its job is failed and its key queued again.
   * The consumer asks for the next job only after the last one is settled; a job that could not be settled counts as left behind.
   */
  jobs(signal: AbortSignal): AsyncIterable<ActiveJob>;
}

/** Remembers what we wrote, so that the next pass waits for it and is not caused by it. Never rejects. */
export interface WriteRecorder {
  recordWrite(kind: KindName, resourceVersion: string): Promise<void>;
  recordDelete(kind: KindName, uid: string): Promise<void>;
}

/** A wish for another pass of a key. */
export interface Wish {
  at: Date;
  /** For people. */
  reason: string;
  /** Type of the cause that it will be; default `timer`. */
  type?: 'timer' | 'retry';
}

/** Wake-ups: at most one per key is armed. */
export interface WakeUps {
  /** Arms a wake-up; of two, the earlier one stays, whoever comes first. */
  arm(key: string, wish: Wish): Promise<void>;
  /** Arms exactly this one instead of whatever is armed; without a wish, none. */
  replace(key: string, wish: Wish | undefined): Promise<void>;
  /** Counts one more failure of the key in a row and arms its retry, after `longestMs` at the latest; returns when that will be. */
  armRetry(key: string, reason: string, longestMs?: number): Promise<Date>;
  /** Forgets the failures of a key. */
  resetFailures(key: string): Promise<void>;
  /** Queues every key whose time has come; called now and then, so that not even a lost alarm loses a wake-up for long. */
  fireDue(): Promise<void>;
}

/** One tenure of a leader. */
export interface Term {
  /** Grows with every tenure, over any restart of Redis. */
  readonly fence: number;
  /** Aborts when the tenure has to end; its reason is a PassAborted. */
  readonly signal: AbortSignal;
  /** False when someone else may lead by now. It can still be true after `signal` has aborted, when the process stops in order. */
  isHeld(): boolean;
}

/** Decides who leads. */
export interface Lock {
  /**
   * Waits for leadership and calls `onLead` with each tenure, again and again until `signal` aborts. A tenure is given back when `onLead` has settled,
   * so `onLead` must end soon after its signal aborts. Resolves when all is given back.
   */
  run(options: { signal: AbortSignal; onLead: (term: Term) => Promise<void> }): Promise<void>;
}
