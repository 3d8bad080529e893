const FIRST_MS = 50;
const LONGEST_MS = 1000;
/** A key that rested for this long starts anew: its next pass runs at once, and so on. */
const REST_MS = 2 * LONGEST_MS;

/** How the last passes of one key went. Times in milliseconds of any one clock. */
export interface Spacing {
  endedAt: number;
  /** Passes in a row, close to each other, that failed or wrote nothing. */
  idlePasses: number;
}

/**
 * Milliseconds to wait before the next pass of a key: none for the first and after a pass that wrote, then 50 ms doubling to 1 s as long as passes fail or
 * write nothing (design decision 2). So a storm of events costs a bounded number of passes, and a single event no time at all.
 */
export function decideSpacing(last: Spacing | undefined, now: number): number {
  if (last === undefined || last.idlePasses === 0) return 0;
  const distance = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(last.idlePasses - 1, 10));
  return Math.max(0, last.endedAt + distance - now);
}

/** What is known after one more pass. `wrote`: it succeeded and has written something. */
export function nextSpacing(
  last: Spacing | undefined,
  pass: { startedAt: number; endedAt: number; wrote: boolean },
): Spacing {
  if (pass.wrote) return { endedAt: pass.endedAt, idlePasses: 0 };
  const rested = last === undefined || pass.startedAt - last.endedAt >= REST_MS;
  return { endedAt: pass.endedAt, idlePasses: rested ? 1 : last.idlePasses + 1 };
}
