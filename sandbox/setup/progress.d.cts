/** State of a build. */
export interface BuildState {
  done: number;
  total: number;
  elapsedSeconds: number;
  cores: number;
}
/** One line about the state of a build. */
export function describeProgress(state: BuildState & { what: string }): string;
/** Seconds until the rest of `total` packages is built, from the usual pace and, more and more, from the observed one. */
export function estimateSeconds(state: BuildState): number;
/** A duration for people: `40 s`, `3 min`. */
export function formatDuration(seconds: number): string;
