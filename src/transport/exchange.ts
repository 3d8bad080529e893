import * as http from 'node:http';
import * as https from 'node:https';
import { SilentConnection } from '../errors.ts';
import { TCP_KEEP_ALIVE_MS } from './sockets.ts';

/** One HTTP exchange, ready to be sent. */
export interface Exchange {
  url: URL;
  method: string;
  headers: http.OutgoingHttpHeaders;
  body: string | undefined;
  agent: http.Agent;
  signal: AbortSignal | undefined;
  /** Milliseconds without a byte of the answer after which the exchange fails. */
  timeoutMs: number;
}

/** A kept socket that the server had closed before this call: nothing was answered, and the call can be sent again. */
export class StaleSocketError extends Error {
  constructor(cause: Error) {
    super('the server had closed the kept connection', { cause });
    this.name = 'StaleSocketError';
  }
}

/**
 * Sends a request and resolves with the answer's head; its body is still to be read. Rejects with the signal's reason when that aborts, with
 * StaleSocketError, or with the error of the socket. Aborting after the head has come breaks the body.
 */
export function sendExchange(exchange: Exchange): Promise<http.IncomingMessage> {
  const { signal, body } = exchange;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const request = openRequest(exchange);
    const timer = setTimeout(() => {
      request.destroy(new Error(`no answer within ${exchange.timeoutMs} ms`));
    }, exchange.timeoutMs);
    const abort = (): void => {
      request.destroy();
    };
    signal?.addEventListener('abort', abort, { once: true });
    // Also called when the answer's body has ended or broken: the signal must not hold the request longer than it lives.
    request.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
    request.once('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(signal?.aborted === true ? (signal.reason as Error) : explain(error, request.reusedSocket));
    });
    request.end(body);
  });
}

function openRequest({ url, method, headers, agent }: Exchange): http.ClientRequest {
  const send = url.protocol === 'https:' ? https.request : http.request;
  const request = send(url, { method, headers, agent });
  // A path that drops idle connections without a reset is noticed by the kernel: ten probes, a second apart, after these milliseconds.
  request.once('socket', (socket) => socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS));
  return request;
}

function explain(error: NodeJS.ErrnoException, reused: boolean): Error {
  return reused && (error.code === 'ECONNRESET' || error.code === 'EPIPE') ? new StaleSocketError(error) : error;
}

/** What Node says of a certificate that no authority of ours has signed. */
const DISTRUST = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

/** True when an exchange failed because the server's certificate is not trusted. */
export function isDistrust(error: unknown): boolean {
  return error instanceof Error && DISTRUST.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Reads a whole body as text; fails after `timeoutMs` without a byte, and when the connection breaks. */
export async function readText(response: http.IncomingMessage, timeoutMs: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(response, timeoutMs)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The chunks of a body. `silenceMs` without a byte breaks the connection; a function is asked each time when the caller wants the next chunk. Leaving the
 * loop early closes the connection.
 */
export async function* readChunks(
  response: http.IncomingMessage,
  silenceMs: number | (() => number),
): AsyncGenerator<Buffer> {
  const arm = (): NodeJS.Timeout => {
    const limit = typeof silenceMs === 'number' ? silenceMs : silenceMs();
    return setTimeout(() => response.destroy(new SilentConnection(limit)), limit);
  };
  let timer = arm();
  try {
    for await (const chunk of response) {
      clearTimeout(timer);
      yield chunk as Buffer;
      timer = arm();
    }
  } finally {
    clearTimeout(timer);
  }
}
