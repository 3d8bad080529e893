import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiClient } from './api-client.ts';
import { createServiceLookup, hasReadyEndpoint, type ServiceName } from './services.ts';
import { startStandIn } from './stand-in.ts';

/** Service of the operator's admission functions (spec/webhooks.md). */
const OPERATOR_WEBHOOK = 'kubevirt-operator-webhook';

/** A running egress proxy. */
export interface EgressProxy {
  /** Loopback ports of the operator's admission functions; they are used in turn, one that refuses is passed over. */
  setWebhookPorts(ports: readonly number[]): void;
  close(): Promise<void>;
}

/** Host and port of a CONNECT request's target; undefined when it is not `host:port`. IPv6 addresses stand in brackets. */
export function parseConnectTarget(target: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(target);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || !(port >= 1 && port <= 65_535) ? undefined : { host, port };
}

/** Ports in the order in which connection number `turn` tries them. */
export function rotate(ports: readonly number[], turn: number): number[] {
  const start = ports.length === 0 ? 0 : turn % ports.length;
  return [...ports.slice(start), ...ports.slice(0, start)];
}

/**
 * Listens on a Unix socket for the API server's CONNECT requests to ClusterIPs: webhooks and aggregated APIs. Connections to the operator's webhook
 * Service go to the operator, all others to a stand-in for KubeVirt's own servers (spec/sandbox.md "Webhooks and aggregated APIs on loopback"), as long as
 * the Service has a ready endpoint: without a ready pod nothing answers in a real cluster either.
 */
export async function startEgressProxy(options: {
  socket: string;
  api: ApiClient;
  webhookPorts: readonly number[];
}): Promise<EgressProxy> {
  const lookup = createServiceLookup(options.api);
  const standIn = await startStandIn(options.api);
  const sockets = new Set<Duplex>();
  let webhookPorts = options.webhookPorts;
  let turn = 0;

  const portsOf = async (service: ServiceName) => {
    if (service.name === OPERATOR_WEBHOOK) return rotate(webhookPorts, turn++);
    return (await hasReadyEndpoint(options.api, service)) ? [standIn.port] : [];
  };

  const serve = async (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const target = parseConnectTarget(request.url ?? '');
    if (target === undefined) {
      refuse(client, 400, `not a host and port: ${request.url ?? ''}`);
      return;
    }
    const service = await lookup.find(target.host);
    if (service === undefined) {
      refuse(client, 502, `no Service has the address ${target.host}`);
      return;
    }
    const upstream = await connectFirst(await portsOf(service));
    if (upstream === undefined) {
      refuse(client, 503, `nothing answers for ${service.namespace}/${service.name}`);
      return;
    }
    sockets.add(upstream);
    upstream.once('close', () => sockets.delete(upstream));
    join(client, upstream, head);
  };

  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, client: Duplex, head: Buffer) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    serve(request, client, head).catch((error: unknown) => {
      refuse(client, 502, error instanceof Error ? error.message : String(error));
    });
  });
  server.listen(options.socket);
  await once(server, 'listening');

  return {
    setWebhookPorts(ports) {
      webhookPorts = [...ports];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
      await standIn.close();
    },
  };
}

function refuse(client: Duplex, status: number, reason: string): void {
  client.end(`HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${reason}\n`);
}

/** Connects to the first port that accepts. */
async function connectFirst(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      // Refused: the next replica may answer, as a Service would choose only among ready ones.
      socket.destroy();
    }
  }
  return undefined;
}

function join(client: Duplex, upstream: Socket, head: Buffer): void {
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  client.pipe(upstream).pipe(client);
  upstream.on('error', () => client.destroy());
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
}
