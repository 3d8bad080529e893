import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Connection } from './connection.ts';

/** Waits between the tries, in milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Resolves as soon as the API server answers and accepts our credentials; says in the log what is awaited, once per wait. Rejects with the signal's
 * reason. A refusal for lack of rights (403) counts as an answer.
 */
export async function whenReachable(
  connection: Pick<Connection, 'request' | 'server'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
    const obstacle = await findObstacle(connection, signal);
    if (obstacle === undefined) return;
    log.warn({ server: connection.server, reason: obstacle }, `waiting for the API server at ${connection.server}`);
    await sleep(wait, undefined, { signal }).catch(() => {
      signal.throwIfAborted();
    });
  }
}

async function findObstacle(connection: Pick<Connection, 'request'>, signal: AbortSignal): Promise<string | undefined> {
  try {
    await connection.request({ method: 'GET', path: '/version', lane: 'reserved', timeoutMs: 5000, signal });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const answers = error instanceof ApiError && error.status < 500 && error.status !== 401 && error.status !== 429;
    return answers ? undefined : errorText(error);
  }
}
