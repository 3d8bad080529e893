import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ApiClient } from './api-client.ts';

/** Secret with the certificate of each Service that the stand-in speaks for (spec/sandbox.md). */
const SECRET_OF_SERVICE: ReadonlyMap<string, string> = new Map([
  ['virt-api', 'kubevirt-virt-api-certs'],
  ['virt-template-api-service', 'kubevirt-virt-template-api-certs'],
  ['virt-template-webhook-service', 'kubevirt-virt-template-webhook-certs'],
]);

/** A running stand-in. */
export interface StandIn {
  port: number;
  close(): Promise<void>;
}

/** Which Secret holds the certificate for a TLS server name such as `virt-api.kubevirt.svc`; undefined for Services it does not speak for. */
export function decideSecret(serverName: string): { namespace: string; name: string } | undefined {
  const [service = '', namespace] = serverName.split('.');
  const name = SECRET_OF_SERVICE.get(service);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

/**
 * Starts the HTTPS server that stands in for KubeVirt's servers, none of which runs on fake nodes: it admits every AdmissionReview and serves empty
 * resource lists, with the certificate that the operator has put into the Secret of the Service asked for. Without that Secret the handshake fails, as
 * it does with a pod that waits for its Secret.
 */
export async function startStandIn(api: ApiClient): Promise<StandIn> {
  const server = createServer(
    {
      SNICallback: (serverName, done) => {
        readContext(api, serverName).then(
          (context) => {
            done(null, context);
          },
          (error: unknown) => {
            done(error instanceof Error ? error : new Error(String(error)));
          },
        );
      },
    },
    (request, response) => {
      void answer(request, response);
    },
  );
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readContext(api: ApiClient, serverName: string): Promise<SecureContext> {
  const secret = decideSecret(serverName);
  if (secret === undefined) throw new Error(`no stand-in for ${serverName}`);
  const { data } = (await api.expect('GET', `/api/v1/namespaces/${secret.namespace}/secrets/${secret.name}`)) as {
    data?: Record<string, string>;
  };
  const decode = (key: string) => Buffer.from(data?.[key] ?? '', 'base64');
  return createSecureContext({ cert: decode('tls.crt'), key: decode('tls.key') });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = decideAnswer(request.method ?? '', request.url ?? '', Buffer.concat(parts).toString());
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  } catch {
    // Not JSON, or the caller has gone: there is nothing to admit.
    response.writeHead(400).end();
  }
}

/** What the stand-in answers; undefined means 404. Throws when a posted body is not JSON. */
export function decideAnswer(method: string, url: string, body: string): Record<string, unknown> | undefined {
  const path = url.split('?')[0] ?? '';
  if (method === 'POST') return decideReview(JSON.parse(body) as AdmissionReview);
  const group = /^\/apis\/([^/]+)\/([^/]+)$/.exec(path);
  if (method !== 'GET' || group === null) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group[1]}/${group[2]}`, resources: [] };
}

/** The fields of a review that matter here. */
interface AdmissionReview {
  kind?: string;
  apiVersion?: string;
  request?: { uid?: string };
}

function decideReview(review: AdmissionReview): Record<string, unknown> | undefined {
  const uid = review.request?.uid;
  if (review.kind !== 'AdmissionReview' || uid === undefined) return undefined;
  return { kind: 'AdmissionReview', apiVersion: review.apiVersion, response: { uid, allowed: true } };
}
