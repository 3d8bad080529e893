import type { JsonObject } from './objects.ts';

/** HTTP methods of the Kubernetes API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Which tokens of the client's rate limit a call may use: `normal` for reconciling, `reserved` for status, lock and admission calls, which a busy
 * pass must not starve, and `watch`, which is not limited (design decision 9).
 */
export type Lane = 'normal' | 'reserved' | 'watch';

/** One call to the API server. */
export interface ApiRequest {
  method: Method;
  /** Path from the server's root, without a query. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Default `application/json`. */
  contentType?: string;
  /** Default `application/json`. */
  accept?: string;
  /** Aborting it rejects the call with the signal's reason and destroys its socket. */
  signal?: AbortSignal;
  /** Called right before the call is sent, after all waits; when it aborts `signal`, the call is not sent. */
  beforeSend?: () => void;
  /** Default `normal`. */
  lane?: Lane;
  /** Milliseconds without an answer after which the call fails; default 30,000. */
  timeoutMs?: number;
}

/** A running watch: newline-separated JSON documents. */
export interface ApiStream {
  /** Yields one parsed document at a time; ends when the server closes; throws on a broken connection. */
  documents: AsyncIterable<JsonObject>;
  /** Closes the connection; safe to call twice. */
  close(): void;
}

/**
 * An authenticated connection to one API server. Failed calls reject with `ApiError`; connection failures with an Error whose cause is the socket's.
 * Sends `User-Agent: virt-operator/<version> (<role>)` on every call.
 */
export interface ApiConnection {
  /** Sends one call and returns the parsed body. */
  request(call: ApiRequest): Promise<JsonObject>;
  /** Opens a watch; resolves when the server has answered 200. `silenceMs` without a byte breaks it; a function is asked again after each byte. */
  stream(call: ApiRequest & { silenceMs: number | (() => number) }): Promise<ApiStream>;
  /** Closes all sockets. */
  close(): void;
}
