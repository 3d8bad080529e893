import type { Stop } from '../apply/execute.ts';
import type { WakeUp } from '../plan/types.ts';

/** While something is awaited, a pass looks at least this often; one that changes nothing asks nothing of the API server. */
const LOOK_AGAIN_MS = 30_000;

/** Events bring the next pass; should none come, it looks again all the same, at `deadline` at the latest. */
export function lookAgain(awaited: string, now: Date, deadline?: Date): WakeUp {
  const at = Math.min(now.getTime() + LOOK_AGAIN_MS, deadline?.getTime() ?? Infinity);
  return { at: new Date(at), reason: `still waiting for ${awaited}` };
}

/** After a step that ended the pass. Its own writes bring no event, so the next pass has to be asked for where they alone were awaited. */
export function lookAfterStop({ awaited, isResumedAtOnce }: Stop, now: Date, deadline?: Date): WakeUp {
  return isResumedAtOnce ? { at: now, reason: awaited } : lookAgain(awaited, now, deadline);
}

/** The one that comes first. */
export function earlier(a: WakeUp | undefined, b: WakeUp): WakeUp {
  return a !== undefined && a.at < b.at ? a : b;
}
