import { Agent, request } from 'node:https';

import type { ApiObject } from './api-object.ts';
import { watchUrl, type WatchEvent } from './watch.ts';

/** An answer of the API server; `body` is undefined when it was not JSON. */
export interface ApiAnswer {
  status: number;
  body: ApiObject;
  text: string;
}

/** The sandbox's own small client: it prepares and looks at a cluster, the operator has another one. */
export interface ApiClient {
  /** Sends one request; rejects only when no answer came. `body` is sent as JSON, `contentType` overrides the type. */
  call(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer>;
  /** Like call, but rejects with what the server said when the status is not 2xx. */
  expect(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiObject>;
  /** The events of a watch, until the server ends it or `signal` aborts; throws when it is refused or breaks. */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
  close(): void;
}

/** TLS identity and authority of a client; PEM. */
export interface ClientIdentity {
  ca: string | Buffer | undefined;
  cert?: string | Buffer | undefined;
  key?: string | Buffer | undefined;
  token?: string | undefined;
  /** Accepts any certificate of the server. */
  insecure?: boolean;
}

/** Creates a client with keep-alive connections, at most 16. `timeoutMs` bounds the silence of one call. */
export function createApiClient(server: string, identity: ClientIdentity, timeoutMs = 30_000): ApiClient {
  const agent = new Agent({
    ca: identity.ca,
    cert: identity.cert,
    key: identity.key,
    rejectUnauthorized: identity.insecure !== true,
    keepAlive: true,
    maxSockets: 16,
  });
  const headers = {
    'user-agent': 'virt-operator-sandbox',
    ...(identity.token === undefined ? {} : { authorization: `Bearer ${identity.token}` }),
  };

  const call: ApiClient['call'] = (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request(`${server}${path}`, {
        agent,
        method,
        timeout: timeoutMs,
        headers: payload === undefined ? headers : { ...headers, 'content-type': contentType },
      });
      outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      outgoing.once('error', (cause) => {
        reject(new Error(`${method} ${server}${path} got no answer`, { cause }));
      });
      outgoing.once('response', (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: incoming.statusCode ?? 0, body: parseBody(text), text });
        });
      });
      outgoing.end(payload);
    });

  return {
    call,
    watch: (path, signal) => watchUrl(`${server}${path}`, { agent, headers }, signal),
    async expect(method, path, body, contentType) {
      const answer = await call(method, path, body, contentType);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    },
    close: () => {
      agent.destroy();
    },
  };
}

function parseBody(text: string): ApiObject {
  if (!text.startsWith('{')) return {};
  return JSON.parse(text) as ApiObject;
}
