/** How often is looked whether the parent is still there: nobody is told that it has gone. */
const LOOK_MS = 500;

/** What a process knows of itself. */
interface Self {
  env: NodeJS.ProcessEnv;
  /** The present parent; another one takes the place of one that is gone. */
  ppid: () => number;
}

const processSelf: Self = { env: process.env, ppid: () => process.ppid };

/**
 * Calls `onGone` once when npm, which has started this process, is gone: it may be killed alone, and this process would go on unseen, without a terminal. Does
 * nothing for a process that something else has started, which may well outlive it. Neither keeps the process alive.
 */
export function followNpm(onGone: () => void, { env, ppid }: Self = processSelf): void {
  if (env['npm_lifecycle_event'] !== 'start') return;
  const parent = ppid();
  const timer = setInterval(() => {
    if (ppid() === parent) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  timer.unref();
}
