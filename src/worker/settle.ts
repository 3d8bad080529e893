import { comesFrom, errorText, isTransient, isTurnedAway } from '../errors.ts';
import type { ActiveJob, WakeUps } from '../queue/types.ts';
import type { Outcome } from './outcome.ts';

/** The longest wait for the next try where no event tells that the reason is gone: a right that was granted (spec/field-reports.md B06), a server that is back. */
const UNSEEN_LONGEST_MS = 30_000;

/**
 * Maps the outcome of a pass to the queue: the one place that does. Wake-ups come before the job ends: a kill in between repeats a pass
 * instead of losing one.
 */
export async function settle(job: ActiveJob, outcome: Outcome, wakeUps: WakeUps): Promise<void> {
  const { key } = job;
  switch (outcome.type) {
    case 'done':
      await wakeUps.resetFailures(key);
      await wakeUps.replace(key, outcome.wakeUp);
      await job.complete({ outcome: 'done', wrote: outcome.wrote, ...(outcome.wakeUp && { wakeUp: outcome.wakeUp }) });
      return;
    case 'later':
      await wakeUps.resetFailures(key);
      await wakeUps.arm(key, { at: outcome.at, reason: outcome.reason });
      await job.complete({ outcome: 'later', wrote: outcome.wrote, at: outcome.at, reason: outcome.reason });
      return;
    case 'retry':
      await wakeUps.armRetry(
        key,
        errorText(outcome.error),
        isMendedUnseen(outcome.error) ? UNSEEN_LONGEST_MS : undefined,
      );
      await job.fail(outcome.error);
      return;
    case 'never':
      await wakeUps.resetFailures(key);
      await wakeUps.replace(key, undefined);
      await job.fail(outcome.error);
      return;
    default:
      outcome satisfies never;
  }
}

function isMendedUnseen(error: Error): boolean {
  return comesFrom(error, isTurnedAway) || comesFrom(error, isTransient);
}
