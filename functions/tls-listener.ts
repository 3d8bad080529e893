import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { errorText } from '../src/errors.ts';
import type { Log } from '../src/log.ts';
import { listen } from './listen.ts';

/** How long callers may take, in milliseconds; tests make it short. */
export interface Patience {
  /** For a handshake, and for a connection to send a whole request; API servers time out after 10 s. */
  requestMs: number;
  /** How often Node looks for requests that are beyond their time. */
  checkMs: number;
}
const PATIENCE: Patience = { requestMs: 15_000, checkMs: 5000 };
/** Longer than Go's clients keep an idle connection (90 s): whoever closes first must not be the one who cannot know of a request on its way. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Answers per connection, after which its client is asked to connect anew: a Service spreads connections, not requests, and clients prefer the connection
 * that they used last. Without this a new replica would get nothing to do for as long as the old connections live.
 */
const REQUESTS_PER_CONNECTION = 100;

/** Open connections: API servers need a few each, every one costs 55 kB, and anybody can open them. */
const MAX_CONNECTIONS = 1000;

/** What one HTTPS listener is opened with. */
export interface ListenerOptions {
  host: string;
  port: number;
  /** The flag that names the port, for errors. */
  flag: string;
  routers: readonly RequestHandler[];
  /** Ask clients for a certificate. It is judged by a router, so that a caller without one can be served. */
  requestCertificate: boolean;
  secureContext: SecureContextOptions;
  log: Log;
  patience?: Patience | undefined;
}

/** An open HTTPS listener. */
export interface TlsListener {
  readonly port: number;
  isListening(): boolean;
  /** Applies to new connections. */
  setSecureContext(options: SecureContextOptions): void;
  /** From now on every answer asks its client to connect anew, elsewhere; new connections are still taken. */
  drain(): void;
  /** Stops listening, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
}

/** Whatever a router did not answer: in one line, without the stack that Express would show. */
const answerUnexpected =
  (log: Log): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    const { status } = error as { status?: unknown };
    const isCallersFault = typeof status === 'number' && status >= 400 && status < 500;
    if (!isCallersFault) log.error({ reason: errorText(error), path: request.path }, 'a request failed');
    if (response.headersSent) next(error);
    else
      response
        .status(isCallersFault ? status : 500)
        .type('text/plain')
        .send(isCallersFault ? 'bad request' : 'internal error');
  };

const answerUnknown: RequestHandler = (_request, response) => {
  response.status(404).type('text/plain').send('not found');
};

function createTlsServer(options: ListenerOptions): Server {
  const { requestMs, checkMs } = options.patience ?? PATIENCE;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  for (const router of options.routers) app.use(router);
  app.use(answerUnknown, answerUnexpected(options.log));
  const server = createServer(
    {
      ...options.secureContext,
      ...(options.requestCertificate ? { requestCert: true, rejectUnauthorized: false } : {}),
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    app,
  );
  server.requestTimeout = requestMs;
  server.headersTimeout = requestMs;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  // Whoever holds connections without a use for them must not keep the others out.
  server.on('drop', () => {
    server.closeIdleConnections();
  });
  return server;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}

/**
 * Opens an HTTPS listener.
 * @throws ConfigurationError when the port cannot be used
 */
export async function openListener(options: ListenerOptions): Promise<TlsListener> {
  const server = createTlsServer(options);
  let isDraining = false;
  const answered = new WeakMap<Socket, number>();
  // Before Express hears of the request, so that the header is set whoever answers.
  server.prependListener('request', ({ socket }, response) => {
    const count = (answered.get(socket) ?? 0) + 1;
    answered.set(socket, count);
    if (isDraining || count >= REQUESTS_PER_CONNECTION) response.shouldKeepAlive = false;
  });
  const port = await listen(server, options);
  return {
    port,
    isListening: () => server.listening,
    setSecureContext: (secureContext) => {
      server.setSecureContext(secureContext);
    },
    drain: () => {
      isDraining = true;
    },
    stop: (graceMs) => close(server, graceMs),
  };
}
