const FIRST_MS = 1000;
const LONGEST_MS = 1_000_000;
/** Share of a delay that chance may take away, so that clusters that failed together do not come back together. */
const JITTER = 0.2;

/**
 * Milliseconds until the retry after `failures` failures in a row (1 or more): 1 s, doubling, 1,000 s at most (design decision 2), each up to a fifth
 * shorter by chance. `random` is in [0, 1).
 */
export function retryDelay(failures: number, random: number): number {
  const doublings = Math.max(0, failures - 1);
  const delay = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(doublings, 30));
  return Math.round(delay * (1 - JITTER * random));
}
