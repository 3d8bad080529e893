import type { KindName } from '../api/kinds.ts';
import { isContentRefused, isStale, isTransient, UnansweredCall } from '../errors.ts';
import type { Action } from '../plan/types.ts';

/** An action that was answered with an error, or not at all. */
export interface FailedAction {
  action: Action;
  error: unknown;
}

const WORKLOADS: readonly KindName[] = ['Deployment', 'DaemonSet'];

/** Calls that run side by side (design decision 9). */
export const MAX_PARALLEL = 16;
/** After so many calls in a row that the server did not answer, or answered with an error of its own, it counts as lost. */
const LOST_AFTER = MAX_PARALLEL / 2;

/**
 * Performs all actions, at most 16 at a time, and returns those that failed. A failure that another try may help against, or that concerns one workload alone,
 * starts nothing less; after any other, or when the server seems to be lost, no further action is started, and those that run are awaited.
 */
export async function runBatch(
  actions: readonly Action[],
  perform: (action: Action) => Promise<void>,
): Promise<FailedAction[]> {
  const failed: FailedAction[] = [];
  const waiting = actions.values();
  let isStopped = false;
  let inARow = 0;
  const drain = async () => {
    for (const action of waiting) {
      try {
        await perform(action);
        inARow = 0;
      } catch (error) {
        failed.push({ action, error });
        inARow = isTransient(error) ? inARow + 1 : 0;
        isStopped ||= inARow >= LOST_AFTER || !(mayHelp(error) || isWorkloadRefused({ action, error }));
      }
      if (isStopped) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, actions.length) }, drain));
  return failed;
}

/** How often a step is planned again because the API server knew newer objects (design decision 9), or failed by itself. */
const MAX_REPLANS = 3;
/** The same when calls were not answered: each may have taken as long as an answer is waited for. */
const MAX_REPLANS_UNANSWERED = 2;

/** Whether it is worth to read again what failed, and to plan and try once more after `attempt` repetitions. */
export function isWorthRepeating(failed: readonly FailedAction[], attempt: number): boolean {
  const unanswered = failed.filter(({ error }) => error instanceof UnansweredCall).length;
  const isLost = unanswered >= LOST_AFTER && unanswered === failed.length;
  const most = unanswered > 0 ? MAX_REPLANS_UNANSWERED : MAX_REPLANS;
  return attempt < most && !isLost && failed.every(({ error }) => mayHelp(error));
}

/**
 * Whether the API server refuses the content of a workload, as it does after a customization that makes no sense: nothing else is concerned, and what builds on a
 * workload waits until it runs anyway (spec/field-reports.md B34). Of other kinds nobody would notice that they are missing.
 */
export function isWorkloadRefused({ action, error }: FailedAction): boolean {
  return WORKLOADS.includes(action.kind) && action.verb !== 'delete' && isContentRefused(error);
}

function mayHelp(error: unknown): boolean {
  return isStale(error) || isTransient(error);
}
