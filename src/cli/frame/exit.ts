/** Exit codes of all commands that look at a cluster (docs/cli.md). */
export const EXIT = {
  /** Everything is as one would want it. */
  good: 0,
  /** The command could not do its work: no answer, no right, an error of the API server, out of time. */
  failed: 1,
  /** The arguments, a file that they name, or the environment cannot be used. */
  usage: 2,
  /** The command did its work, and the answer is a no: not ready, something is in the way, something differs. */
  no: 3,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the user has given cannot be used; the message names it and the way out. Ends the command with code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
