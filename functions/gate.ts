/** Runs a task when it is its turn; rejects when too many wait already, or with the signal's reason when that aborts before. */
export type Gate = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Too many tasks wait; whoever asked may try again. */
export class GateFull extends Error {
  override name = 'GateFull';
}

/**
 * Lets `running` tasks run at a time, in the order in which they came, and `waiting` wait. What anybody can ask for must not take any amount of memory, or of
 * the API server's time. `what` names the tasks for those who are turned away.
 */
export function createGate(limits: { running: number; waiting: number; what: string }): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  };
  const enter = async (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    if (running < limits.running) {
      running++;
      return;
    }
    if (queue.length >= limits.waiting) throw new GateFull(`too many ${limits.what}; try again`);
    const turn = Promise.withResolvers<undefined>();
    const admit = () => {
      turn.resolve(undefined);
    };
    const giveUp = () => {
      const place = queue.indexOf(admit);
      if (place >= 0) queue.splice(place, 1);
      turn.reject(signal?.reason);
    };
    queue.push(admit);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  };
  return async (task, signal) => {
    await enter(signal);
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
