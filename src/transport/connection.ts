import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiConnection, ApiRequest, ApiStream, Lane } from '../api/connection.ts';
import type { JsonObject } from '../api/objects.ts';
import { ApiError, isInitializing, UnansweredCall } from '../errors.ts';
import type { Log } from '../log.ts';
import { NO_TRACE, type Span, type Trace } from '../trace/trace.ts';
import type { Credentials } from './credentials.ts';
import { parseDocuments, parseObject } from './documents.ts';
import { isDistrust, readChunks, readText, sendExchange, StaleSocketError } from './exchange.ts';
import { Limiter } from './limiter.ts';
import { loadCredentials, type ServerOptions } from './load-credentials.ts';
import { describeRequest, type RequestName } from './request-name.ts';
import { Sockets } from './sockets.ts';
import { decideRetryDelay, parseApiError } from './status.ts';

/** One finished call, for metrics (spec/observability.md §3). */
export interface RequestRecord extends RequestName {
  method: string;
  path: string;
  /** Names of the query's parameters. */
  parameters: readonly string[];
  /** HTTP status; `<error>` when there was no answer. */
  code: string;
  /** `host:port` of the API server. */
  host: string;
  /** Duration until the answer's head, waiting for tokens not included. */
  seconds: number;
  /** Time spent waiting for tokens of the rate limit. */
  waitedSeconds: number;
}

/** Everything that a connection is made from. */
export interface ConnectionOptions extends ServerOptions {
  qps: number;
  burst: number;
  userAgent: string;
  log: Log;
  /** Gets a span for each call that is made for something larger; watches have none. */
  trace?: Trace;
  /** Called after every exchange, repeated ones included. */
  onRequest?: (record: RequestRecord) => void;
}

/** A connection that can say where it leads. */
export interface Connection extends ApiConnection {
  /** URL of the API server. */
  readonly server: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Part of the rate that status, lock and admission calls have for themselves when the common tokens are used up. */
const RESERVED_SHARE = 0.1;
const RESERVED_MINIMUM = 5;

/**
 * Opens a connection: reads the credentials, sends nothing yet. Rejects with ConfigurationError when there are none.
 * Without `kubeconfig` and `master` the pod's service account is used; the variable KUBECONFIG is not honoured (spec/startup.md §2.1).
 */
export async function createConnection(options: ConnectionOptions): Promise<Connection> {
  return new HttpConnection(await loadCredentials(options), options);
}

/** A call with everything that it needs on its way. */
interface Attempt {
  call: ApiRequest;
  url: URL;
  body: string | undefined;
  waitedSeconds: number;
}

type StreamCall = Parameters<ApiConnection['stream']>[0];

class HttpConnection implements Connection {
  readonly server: string;
  readonly #credentials: Credentials;
  readonly #options: ConnectionOptions;
  readonly #sockets: Sockets;
  readonly #lanes: Record<Exclude<Lane, 'watch'>, Limiter>;

  constructor(credentials: Credentials, options: ConnectionOptions) {
    this.server = credentials.server.href;
    this.#credentials = credentials;
    this.#options = options;
    this.#sockets = new Sockets(credentials.server);
    const reserved = (value: number): number => Math.max(RESERVED_MINIMUM, value * RESERVED_SHARE);
    this.#lanes = {
      normal: new Limiter(options),
      reserved: new Limiter({ qps: reserved(options.qps), burst: reserved(options.burst) }),
    };
  }

  request(call: ApiRequest): Promise<JsonObject> {
    const { verb, resource } = describeRequest(call);
    const attributes = { 'http.request.method': call.method, 'url.path': call.path };
    const { trace = NO_TRACE } = this.#options;
    return trace.span({ name: `${verb} ${resource}`, kind: 'client', isPart: true, attributes }, (span) =>
      this.#request(call, span),
    );
  }

  async #request(call: ApiRequest, span: Span): Promise<JsonObject> {
    const timeoutMs = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const response = await this.#send(call, timeoutMs);
    span.set({ 'http.response.status_code': response.statusCode ?? 0 });
    const text = await this.#guard(call, () => readText(response, timeoutMs));
    return text.trim() === '' ? {} : this.#guard(call, () => parseObject(text));
  }

  async stream(call: StreamCall): Promise<ApiStream> {
    const response = await this.#send({ ...call, lane: 'watch' }, call.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    let closed = false;
    const close = (): void => {
      closed = true;
      response.destroy();
    };
    return { documents: this.#documents(call, response, () => closed), close };
  }

  close(): void {
    this.#sockets.close();
  }

  async *#documents(call: StreamCall, response: IncomingMessage, isClosed: () => boolean): AsyncGenerator<JsonObject> {
    try {
      yield* parseDocuments(readChunks(response, call.silenceMs));
    } catch (error) {
      if (isClosed()) return;
      throw this.#failure(call, error);
    } finally {
      if (!response.complete) response.destroy();
    }
  }

  /** Sends a call until it is answered 2xx, or with something that waiting does not help against. */
  async #send(call: ApiRequest, timeoutMs: number): Promise<IncomingMessage> {
    const url = buildUrl(this.#credentials.server, call);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    for (let tries = 1, refused = false; ; tries += 1) {
      const waitedSeconds = await this.#takeToken(call);
      const response = await this.#attempt({ call, url, body, waitedSeconds }, timeoutMs);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return response;
      const text = await this.#guard(call, () => readText(response, timeoutMs));
      const error = parseApiError(call.method, call.path, { status, headers: response.headers, body: text });
      if (status === 401 && !refused) {
        // A token may have been replaced or have run out before its time: once more with fresh ones.
        refused = true;
        this.#credentials.forget();
        continue;
      }
      await this.#waitOrThrow(call, error, tries);
    }
  }

  /** Pauses the call's lane for as long as the server asks for; all calls of the lane then wait, so that a full server is left in peace. */
  async #waitOrThrow(call: ApiRequest, error: ApiError, tries: number): Promise<void> {
    const lane = call.lane ?? 'normal';
    const delay = lane === 'watch' ? undefined : decideRetryDelay(error, tries, Math.random());
    if (lane === 'watch' || delay === undefined) throw error;
    this.#options.log.debug({ delay, reason: error.reason, path: call.path }, 'the API server asks for patience');
    if (isInitializing(error)) await this.#guard(call, () => sleep(delay, undefined, { signal: call.signal }));
    else this.#lanes[lane].pause(delay);
  }

  async #takeToken({ lane = 'normal', signal }: ApiRequest): Promise<number> {
    const start = performance.now();
    if (lane === 'normal') await this.#lanes.normal.take(signal);
    // Reserved calls live from the common tokens as long as there are some: the total stays within the configured rate.
    if (lane === 'reserved' && !this.#lanes.normal.tryTake()) await this.#lanes.reserved.take(signal);
    return (performance.now() - start) / 1000;
  }

  async #attempt(attempt: Attempt, timeoutMs: number): Promise<IncomingMessage> {
    try {
      return await this.#exchange(attempt, timeoutMs);
    } catch (error) {
      const isUntrusted = isDistrust(error);
      if (!isUntrusted && !(error instanceof StaleSocketError)) throw this.#failure(attempt.call, error);
      // The authority of the cluster may have been replaced: once more with what its file says now.
      if (isUntrusted) this.#credentials.forget();
      return this.#guard(attempt.call, () => this.#exchange(attempt, timeoutMs));
    }
  }

  async #exchange(attempt: Attempt, timeoutMs: number): Promise<IncomingMessage> {
    const { call, url, body } = attempt;
    const access = await this.#credentials.read();
    call.beforeSend?.();
    const start = performance.now();
    let code = '<error>';
    try {
      const response = await sendExchange({
        url,
        method: call.method,
        headers: { ...access.headers, ...this.#headers(call, body) },
        body,
        agent: this.#sockets.agent(access, call.lane === 'watch' ? 'watches' : 'calls'),
        signal: call.signal,
        timeoutMs,
      });
      code = String(response.statusCode);
      return response;
    } finally {
      this.#record(attempt, code, start);
    }
  }

  #record({ call, url, waitedSeconds }: Attempt, code: string, start: number): void {
    this.#options.onRequest?.({
      ...describeRequest(call),
      method: call.method,
      path: call.path,
      parameters: [...url.searchParams.keys()],
      code,
      host: url.host,
      seconds: (performance.now() - start) / 1000,
      waitedSeconds,
    });
  }

  #headers(call: ApiRequest, body: string | undefined): OutgoingHttpHeaders {
    return {
      'user-agent': this.#options.userAgent,
      accept: call.accept ?? 'application/json',
      ...(body === undefined
        ? {}
        : { 'content-type': call.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
  }

  async #guard<T>(call: ApiRequest, act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw this.#failure(call, error);
    }
  }

  /** What the caller gets for a failed exchange: the reason of its own abort, or an error that names the call and the server. */
  #failure(call: ApiRequest, error: unknown): unknown {
    if (call.signal?.aborted === true) return call.signal.reason;
    if (error instanceof ApiError) return error;
    return new UnansweredCall(`${call.method} ${call.path}: no answer from ${this.server}`, { cause: error });
  }
}

function buildUrl(server: URL, call: ApiRequest): URL {
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}${call.path}`;
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
