import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Log } from '../src/log.ts';
import { verifyClient, type ClientPolicy } from './client-certificates.ts';
import { openListener, type Patience, type TlsListener } from './tls-listener.ts';
import { createFallbackCertificate } from './tls/fallback-certificate.ts';
import { ServingCertificate, type ServingInputs } from './tls/serving.ts';

/** The listener for admission. */
export interface WebhookOptions {
  /** `--webhook-port`. */
  port: number;
  routers: readonly RequestHandler[];
  clientPolicy: () => ClientPolicy;
}

/** What the HTTPS listeners need. */
export interface ServerOptions {
  /** `--listen`. */
  host: string;
  /** `--port`: metrics, profiler and probes. */
  port: number;
  /** Routers of that port. */
  metrics: readonly RequestHandler[];
  /** Absent in roles without admission. */
  webhooks?: WebhookOptions;
  /** What TLS depends on; read at each change. */
  inputs: () => ServingInputs;
  /** Calls back after each change of the inputs; returns the way to stop that. */
  onChange: (listener: () => void) => () => void;
  now: () => Date;
  log: Log;
  /** How long callers may take; default: as long as API servers wait. */
  patience?: Patience;
}

/** The running listeners. */
export interface RunningServer {
  port: number;
  /** Absent without admission. */
  webhookPort?: number;
  /** The certificate that new connections get, PEM. */
  certificate(): string;
  /** When it ends. */
  certificateExpiresAt(): Date;
  /** What keeps callers from being served, as a sentence; undefined when nothing does. */
  missing(): string | undefined;
  /** Announces the end: not ready any more, and every answer closes its connection. New connections are still served. */
  drain(): void;
  /** Stops taking connections, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
}

/** Opens both listeners, or none when one of them fails. */
async function openListeners(options: ServerOptions, serving: ServingCertificate): Promise<TlsListener[]> {
  const { host, port, log, webhooks, patience } = options;
  const secureContext = serving.secureContext();
  const common = { host, secureContext, log, patience };
  const routers = [helmet(), ...options.metrics];
  const metrics = await openListener({ ...common, port, flag: '--port', routers, requestCertificate: false });
  if (webhooks === undefined) return [metrics];
  try {
    const admission = await openListener({
      ...common,
      port: webhooks.port,
      flag: '--webhook-port',
      routers: [verifyClient(webhooks.clientPolicy), ...webhooks.routers],
      requestCertificate: true,
    });
    return [metrics, admission];
  } catch (error) {
    await metrics.stop(0);
    throw error;
  }
}

/**
 * Serves the functions over TLS with the certificate of the Secret, the fallback until it exists; certificate, client CA and the TLS settings of the
 * KubeVirt object apply to new connections without closing a listener.
 * @throws ConfigurationError when a port cannot be used
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const serving = new ServingCertificate(await createFallbackCertificate(options.now()), options.log);
  serving.refresh(options.inputs());
  const listeners = await openListeners(options, serving);
  const stopListening = options.onChange(() => {
    if (!serving.refresh(options.inputs())) return;
    for (const listener of listeners) listener.setSecureContext(serving.secureContext());
  });
  const [metrics, admission] = listeners;
  let isDraining = false;
  const drain = () => {
    if (!isDraining) for (const listener of listeners) listener.drain();
    isDraining = true;
  };
  return {
    port: metrics?.port ?? 0,
    ...(admission === undefined ? {} : { webhookPort: admission.port }),
    certificate: () => serving.certificate,
    certificateExpiresAt: () => serving.expiresAt,
    missing: () => {
      if (isDraining) return 'the process is ending';
      if (!listeners.every((listener) => listener.isListening())) return 'a port is not open';
      return options.now() < serving.expiresAt ? undefined : 'the serving certificate has expired';
    },
    drain,
    stop: async (graceMs) => {
      drain();
      stopListening();
      await Promise.all(listeners.map((listener) => listener.stop(graceMs)));
    },
  };
}
