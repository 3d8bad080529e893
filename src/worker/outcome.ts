import type { WakeUp } from '../plan/types.ts';
import type { PassReport } from '../queue/pass-log.ts';

/**
 * How a pass ended; the worker maps it to the queue in one switch, nothing else does.
 * - `done`: nothing is left to do now. `wakeUp`: look again then; without it, an armed wake-up is taken away.
 * - `later`: on purpose not finished; look again at `at` at the latest, an event comes earlier. Nothing failed.
 * - `retry`: failed; the job fails visibly, and the key comes again with a growing delay, or at once with an event.
 * - `never`: failed, and will fail again until someone changes something; only an event brings the key back.
 * `wrote` counts writes to the API server, `report` is shown to people.
 */
export type Outcome =
  | { type: 'done'; wrote: number; wakeUp?: WakeUp; report?: PassReport }
  | { type: 'later'; wrote: number; at: Date; reason: string; report?: PassReport }
  | { type: 'retry'; wrote?: number; error: Error; report?: PassReport }
  | { type: 'never'; wrote?: number; error: Error; report?: PassReport };

/** The outcome of a pass that threw. */
export function outcomeOfError(thrown: unknown): Outcome {
  const error =
    thrown instanceof Error ? thrown : new Error('a pass threw something that is not an error', { cause: thrown });
  return { type: 'retry', error };
}

/** True when the pass got something done, so that the next one may follow at once. */
export function hasProgressed(outcome: Outcome): boolean {
  return (outcome.type === 'done' || outcome.type === 'later') && outcome.wrote > 0;
}
