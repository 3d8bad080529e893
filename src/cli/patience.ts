import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, errorText } from '../errors.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

/** What a command needs for a call that may have to be repeated. */
export interface Patience {
  /** Ends the trying; its reason is then thrown, with the last error as cause. */
  signal: AbortSignal;
  /** Told once for each new reason why it did not work yet. */
  tell: (sentence: string) => void;
}

/**
 * Tries until it works. What may pass is tried again: no answer, an error of the server or of a webhook behind it (5xx), too many requests, a kind that
 * is not served yet (404). Any other refusal is thrown at once.
 */
export async function withPatience<T>(attempt: () => Promise<T>, { signal, tell }: Patience): Promise<T> {
  let told = '';
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const error = await attempt().then(
      (value) => ({ value }),
      (reason: unknown) => ({ reason }),
    );
    if ('value' in error) return error.value;
    const { reason } = error;
    if (signal.aborted) throw new Error(errorText(signal.reason), { cause: reason });
    if (!mayPass(reason)) throw reason;
    const text = errorText(reason);
    if (text !== told) tell(text);
    told = text;
    await sleep(wait, undefined, { signal }).catch(() => {
      throw new Error(errorText(signal.reason), { cause: reason });
    });
  }
}

/** The API server answers an applied object that does not fit its schema with 500, although trying again cannot help. */
const UNFIT = /failed to create typed patch object/;

function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  const passes = error.status >= 500 || error.status === 404 || error.status === 429;
  return passes && !UNFIT.test(error.message);
}
