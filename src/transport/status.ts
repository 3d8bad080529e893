import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import { ApiError, isInitializing } from '../errors.ts';

/** An answer whose status is not 2xx. */
export interface ErrorAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The fields of a Status object that this program reads. */
interface Status {
  reason?: string;
  message?: string;
}

/** Longest part of a body that is no Status which goes into an error message. */
const MAX_TEXT = 300;

/**
 * The ApiError of an error answer: its message names method, path and reason and carries the server's text.
 * Bodies that are no Status object (proxies, load balancers, a starting server) give the reason of the status code.
 */
export function parseApiError(method: string, path: string, answer: ErrorAnswer): ApiError {
  const status = parseStatus(answer.body);
  const reason = status.reason ?? reasonOf(answer.status);
  const text = status.message ?? answer.body.trim().slice(0, MAX_TEXT);
  const message = `${method} ${path}: ${answer.status} ${reason}${text === '' ? '' : `: ${text}`}`;
  return new ApiError(message, {
    status: answer.status,
    reason,
    retryAfterSeconds: parseRetryAfter(answer.headers['retry-after']),
  });
}

function parseStatus(body: string): Status {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return {};
    const { reason, message } = value as Record<string, unknown>;
    return {
      ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
      ...(typeof message === 'string' && message !== '' ? { message } : {}),
    };
  } catch {
    // No JSON: the caller shows the text as it is.
    return {};
  }
}

/** Reasons of the API machinery for codes that come without a Status object. */
const REASONS: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function reasonOf(code: number): string {
  return REASONS[code] ?? STATUS_CODES[code]?.replaceAll(' ', '') ?? 'Unknown';
}

/** Seconds of a Retry-After header; a date counts as absent, the API server sends seconds only. */
function parseRetryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header.trim()) ? Number(header) : undefined;
}

/** Tries per call, the first included, before an answer that asks for patience is passed on. */
const MAX_TRIES = 6;
/** Longest wait that is accepted from a Retry-After header, in milliseconds. */
const MAX_WAIT_MS = 30_000;

/** The same for 5xx: a starting API server asks for 5 seconds and is ready sooner. */
const MAX_START_WAIT_MS = 1000;
/** Wait for a storage that is being set up, in milliseconds. */
const INITIALIZING_WAIT_MS = 100;

/**
 * Milliseconds to wait before the same call may be sent again; undefined when the answer is final.
 * 429 always asks for patience, 5xx only with a Retry-After header. `random` is in [0, 1).
 */
export function decideRetryDelay(error: ApiError, tries: number, random: number): number | undefined {
  if (tries >= MAX_TRIES) return undefined;
  if (isInitializing(error)) return INITIALIZING_WAIT_MS;
  const asksForPatience = error.status === 429 || (error.status >= 500 && error.retryAfterSeconds !== undefined);
  if (!asksForPatience) return undefined;
  const longest = error.status === 429 ? MAX_WAIT_MS : MAX_START_WAIT_MS;
  return Math.min(longest, Math.max(100, (error.retryAfterSeconds ?? 1) * 1000)) * (1 + random / 4);
}
