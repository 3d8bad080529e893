import { isStale } from '../errors.ts';
import type { Action } from '../plan/types.ts';

/** An action that was answered with an error. */
export interface FailedAction {
  action: Action;
  error: unknown;
}

/** Calls that run side by side (design decision 9). */
export const MAX_PARALLEL = 16;

/**
 * Performs all actions, at most 16 at a time, and returns those that failed. A failure other than a stale answer keeps further actions from being
 * started; those that run are awaited.
 */
export async function runBatch(
  actions: readonly Action[],
  perform: (action: Action) => Promise<void>,
): Promise<FailedAction[]> {
  const failed: FailedAction[] = [];
  const waiting = actions.values();
  let isStopped = false;
  const drain = async () => {
    for (const action of waiting) {
      try {
        await perform(action);
      } catch (error) {
        failed.push({ action, error });
        isStopped ||= !isStale(error);
      }
      if (isStopped) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, actions.length) }, drain));
  return failed;
}
