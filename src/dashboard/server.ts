import { createServer, type Server } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import type { Queue } from 'bullmq';
import express from 'express';
import helmet from 'helmet';
import { ConfigurationError } from '../errors.ts';
import { requireAccess, type DashboardTokens } from './access.ts';
import { BOARD_PATH, serveBoard } from './board.ts';

/** What the dashboard needs. */
export interface DashboardOptions {
  /** Address to listen on; anything but loopback needs a reading token. */
  host: string;
  port: number;
  tokens: DashboardTokens;
  /** The queues that Bull Board shows. */
  queues: readonly Queue[];
}

/** A running dashboard. */
export interface Dashboard {
  url: string;
  stop(): Promise<void>;
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);

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

/** Bull Board's page holds one script of its own inline, and styles. */
const CONTENT_SECURITY = {
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'", "'unsafe-inline'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    upgradeInsecureRequests: null,
  },
};

/**
 * Starts the dashboard: Bull Board under /queues, read-only unless a write token is set.
 * @throws ConfigurationError when it would be open beyond loopback, or the port cannot be used
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { host, tokens, queues } = options;
  if (!isLoopback(host) && tokens.read === undefined) {
    throw new ConfigurationError(
      `the dashboard would be open on ${host}: set DASHBOARD_TOKEN, or let it listen on 127.0.0.1`,
    );
  }
  const app = express();
  app.disable('x-powered-by');
  app.use(helmet({ contentSecurityPolicy: CONTENT_SECURITY }));
  app.use(requireAccess(tokens));
  app.get('/', (_request, response) => {
    response.redirect(302, BOARD_PATH);
  });
  app.use(BOARD_PATH, serveBoard(queues, tokens.write === undefined));
  const server = createServer(app);
  await listen(server, host, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}${BOARD_PATH}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
        server.closeAllConnections();
      }),
  };
}
