/** State of a build. */
export interface BuildState {
  done: number;
  total: number;
  /** Programs that are linked at the end. */
  links: number;
  elapsedSeconds: number;
  cores: number;
}
/** One line about the state of a build. */
export function describeProgress(state: BuildState & { what: string }): string;
/** Seconds until the rest is compiled and linked, by the usual pace and, more and more, by the observed one. */
export function estimateSeconds(state: BuildState): number;
/** A duration for people: `40 s`, `3 min`. */
export function formatDuration(seconds: number): string;
