const FIRST_MS = 1000;
const LONGEST_MS = 1_000_000;
/** Share of a delay that chance may take away, so that clusters that failed together do not come back together. */
const JITTER = 0.2;

/**
 * The failures in a row after one more. Where the wait has a limit (`longestMs`), only those count that it has grown with: what fails for another reason
 * afterwards waits no longer than it would have then.
 */
export function countFailure(failures: number, longestMs?: number): number {
  const most = longestMs === undefined ? Infinity : Math.ceil(Math.log2(longestMs / FIRST_MS)) + 1;
  return Math.min(failures + 1, most);
}

/**
 * Milliseconds until the retry after `failures` failures in a row (1 or more): 1 s, doubling, `longestMs` at most, each up to a fifth
 * shorter by chance. `random` is in [0, 1). Default of `longestMs`: 1,000 s (design decision 2).
 */
export function retryDelay(failures: number, random: number, longestMs = LONGEST_MS): number {
  const doublings = Math.max(0, failures - 1);
  const delay = Math.min(longestMs, FIRST_MS * 2 ** Math.min(doublings, 30));
  return Math.round(delay * (1 - JITTER * random));
}
