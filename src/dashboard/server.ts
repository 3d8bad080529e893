import { createServer, type Server } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { ConfigurationError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { DashboardTokens } from './access.ts';
import { buildApp } from './app.ts';
import { isLoopback } from './guard.ts';
import { Live } from './live.ts';
import type { Shown } from './shown.ts';

/** What the dashboard needs to be opened. */
export interface DashboardOptions {
  /** Address to listen on; anything but loopback needs a reading token. */
  host: string;
  port: number;
  tokens: DashboardTokens;
  log: Log;
}

/** A running dashboard. */
export interface Dashboard {
  /** Address of the run page, without a token. */
  url: string;
  /** Begins to show what is in Redis; until then the pages say that it is being looked for. */
  attach(shown: Shown): void;
  /** May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the dashboard: the run page at the root, Bull Board at /queues.
 * @throws ConfigurationError when it would be open beyond loopback, or the port cannot be used
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { host, tokens, log } = options;
  if (!isLoopback(host) && tokens.read === undefined) {
    throw new ConfigurationError(
      `the dashboard would be open on ${host}: set DASHBOARD_TOKEN, or let it listen on 127.0.0.1`,
    );
  }
  const live = new Live();
  let shown: Shown | undefined;
  const server = createServer(buildApp({ tokens, live, shown: () => shown, log }));
  await listen(server, host, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`,
    attach: (found) => {
      shown = found;
      live.attach(found.source);
    },
    stop: () => stop(server, live),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new ConfigurationError(
          `the dashboard cannot listen on ${host} port ${port} (${cause.code ?? ''}); choose another with --dashboard-port`,
          { cause },
        ),
      );
    });
    server.once('listening', resolve);
    server.listen(port, host);
  });
}

function stop(server: Server, live: Live): Promise<void> {
  live.stop();
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeAllConnections();
  });
}
