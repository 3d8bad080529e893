import { createServer, type Server } from 'node:https';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Log } from '../src/log.ts';
import { verifyClient, type ClientPolicy } from './client-certificates.ts';
import { listen } from './listen.ts';
import { createFallbackCertificate } from './tls/fallback-certificate.ts';
import { ServingCertificate, type ServingInputs } from './tls/serving.ts';

/** Milliseconds for a connection to send a whole request; API servers time out after 10 s. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Keep-alive beyond a scrape interval, so that scrapers and API servers keep their connections. */
const KEEP_ALIVE_MS = 75_000;

/** What the two HTTPS listeners need. */
export interface ServerOptions {
  /** `--listen`. */
  host: string;
  /** `--port`: metrics, profiler and probes. */
  port: number;
  /** `--webhook-port`: admission. */
  webhookPort: number;
  /** Routers of the metrics port. */
  metrics: readonly RequestHandler[];
  /** Routers of the webhook port. */
  admission: readonly RequestHandler[];
  /** What TLS depends on; read at each change. */
  inputs: () => ServingInputs;
  /** Calls back after each change of the inputs; returns the way to stop that. */
  onChange: (listener: () => void) => () => void;
  clientPolicy: () => ClientPolicy;
  now: Date;
  log: Log;
}

/** The running listeners. */
export interface RunningServer {
  port: number;
  webhookPort: number;
  /** The certificate that new connections get, PEM. */
  certificate(): string;
  /** Stops taking connections, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
}

function buildApp(routers: readonly RequestHandler[]): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  for (const router of routers) app.use(router);
  return app;
}

function createTlsServer(app: Express, certificate: { cert: string; key: string }): Server {
  // A certificate is asked for but judged by verifyClient, so that a caller without one is served.
  const server = createServer(
    { ...certificate, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] },
    app,
  );
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
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
 * Serves the functions over TLS on two ports with the certificate of the Secret, the fallback until it exists; certificate, client CA and the TLS
 * settings of the KubeVirt object apply to new connections without closing a listener.
 * @throws ConfigurationError when a port cannot be used
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host } = options;
  const fallback = await createFallbackCertificate(options.now);
  const initial = { cert: fallback.certificate, key: fallback.key };
  const metricsServer = createTlsServer(buildApp([helmet(), ...options.metrics]), initial);
  const webhookServer = createTlsServer(buildApp([verifyClient(options.clientPolicy), ...options.admission]), initial);
  const serving = new ServingCertificate(fallback, options.log);
  const refresh = renew([metricsServer, webhookServer], serving, options.inputs);
  const port = await listen(metricsServer, { host, port: options.port, flag: '--port' });
  const webhookPort = await listen(webhookServer, { host, port: options.webhookPort, flag: '--webhook-port' }).catch(
    async (error: unknown) => {
      await close(metricsServer, 0);
      throw error;
    },
  );
  const stopListening = options.onChange(refresh);
  return {
    port,
    webhookPort,
    certificate: () => serving.certificate,
    stop: async (graceMs) => {
      stopListening();
      await Promise.all([close(metricsServer, graceMs), close(webhookServer, graceMs)]);
    },
  };
}

/** What the listener for metrics and probes needs, where there is no admission. */
export type MetricsServerOptions = Omit<ServerOptions, 'webhookPort' | 'admission' | 'clientPolicy'>;

/**
 * Serves metrics and probes alone, with the same certificate as {@link startServer}.
 * @throws ConfigurationError when the port cannot be used
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<Pick<RunningServer, 'port' | 'stop'>> {
  const fallback = await createFallbackCertificate(options.now);
  const initial = { cert: fallback.certificate, key: fallback.key };
  const server = createTlsServer(buildApp([helmet(), ...options.metrics]), initial);
  const refresh = renew([server], new ServingCertificate(fallback, options.log), options.inputs);
  const port = await listen(server, { host: options.host, port: options.port, flag: '--port' });
  const stopListening = options.onChange(refresh);
  return {
    port,
    stop: async (graceMs) => {
      stopListening();
      await close(server, graceMs);
    },
  };
}

/** Gives the servers what their TLS depends on, now and each time the returned function is called. */
function renew(servers: readonly Server[], serving: ServingCertificate, inputs: () => ServingInputs): () => void {
  const refresh = (): void => {
    const context = serving.refresh(inputs());
    if (context === undefined) return;
    for (const server of servers) server.setSecureContext(context);
  };
  refresh();
  return refresh;
}
