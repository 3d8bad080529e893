/** An error answer of the API server, decoded from its Status body. */
export class ApiError extends Error {
  readonly status: number;
  /** `reason` of the Status object, for example `AlreadyExists`, `Conflict`, `NotFound`, `Expired`. */
  readonly reason: string;
  /** Seconds of a Retry-After header, if there was one. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, answer: { status: number; reason: string; retryAfterSeconds?: number | undefined }) {
    super(message);
    this.name = 'ApiError';
    this.status = answer.status;
    this.reason = answer.reason;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** True for an answer that says: the object changed meanwhile, exists already or is gone; reading again and planning again may help. */
export function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 409 || error.status === 404 || isFailedTest(error));
}

/**
 * A JSON Patch that cannot be applied, most often because a `test` does not hold, is answered 422 with this sentence and nothing else; an object that
 * the patch made invalid is answered 422 with the fields that are wrong.
 */
function isFailedTest(error: ApiError): boolean {
  return (
    error.status === 422 && error.message.includes('the server rejected our request due to an error in our request')
  );
}

/** True when the API server takes no object with this content, whoever asks and however often. */
export function isContentRefused(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 422 || error.status === 400) && !isFailedTest(error);
}

/**
 * True when the API server is still setting up the storage of a kind whose CRD is new. It says 429 and asks for a second of patience, and is ready
 * after a few milliseconds; other calls are not concerned.
 */
export function isInitializing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429 && error.message.includes('storage is (re)initializing');
}

/** A call that nobody has answered: it was not sent, the connection broke, or time ran out. Whether it was done is not known. */
export class UnansweredCall extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnansweredCall';
  }
}

/** True for a failure that may be over in a moment: no answer, or an error inside of the server. Whether the call was done is not known. */
export function isTransient(error: unknown): boolean {
  return error instanceof UnansweredCall || (error instanceof ApiError && error.status >= 500);
}

/** True when the API server says that the object does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403, 429]);

/** True when the API server refuses a call whatever it is about: for want of an identity, a right or a quota, by a policy, or because it has too much to do. */
export function isTurnedAway(error: unknown): boolean {
  return error instanceof ApiError && TURNED_AWAY.has(error.status);
}

/** True when an error is like that, or one that it comes from, or one of those that were joined in it. */
export function comesFrom(error: unknown, isLike: (error: unknown) => boolean): boolean {
  if (isLike(error)) return true;
  if (error instanceof AggregateError && error.errors.some((each) => comesFrom(each, isLike))) return true;
  return error instanceof Error && error.cause !== undefined && comesFrom(error.cause, isLike);
}

/** A connection that carried no byte for too long and was given up. */
export class SilentConnection extends Error {
  constructor(milliseconds: number) {
    super(`silent for ${milliseconds} ms`);
    this.name = 'SilentConnection';
  }
}

/** True when silence is what an error comes from. */
export function isSilence(error: unknown): boolean {
  return (
    error instanceof SilentConnection || (error instanceof Error && error.cause !== undefined && isSilence(error.cause))
  );
}

/** The pass was ended from outside: the lock was lost or the process stops. Nothing failed; the next leader goes on. */
export class PassAborted extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`pass aborted: ${reason}`, options);
    this.name = 'PassAborted';
  }
}

/** A setting, flag or variable that the process cannot start with; its message names it and the way out. */
export class ConfigurationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigurationError';
  }
}

/** The text of whatever was thrown, causes included. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${errorText(error.cause)}`;
}
