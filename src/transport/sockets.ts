import * as http from 'node:http';
import * as https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Access, TlsMaterial } from './credentials.ts';

/** Most calls at the same time; more wait inside the agent. The executor sends 16 in parallel, status and lock calls come on top. */
const MAX_CALLS = 24;
/** How long an unused socket stays open, in milliseconds; less than the 90 s after which the API server closes it. */
const IDLE_MS = 60_000;
/** First TCP keep-alive probe after so many milliseconds of silence. */
export const TCP_KEEP_ALIVE_MS = 30_000;

/** Agents that share one TLS configuration: a bounded one for calls, an unbounded one for watches. */
interface Pool {
  tls: TlsMaterial;
  calls: http.Agent;
  watches: http.Agent;
}

/** The sockets of one connection. New TLS material (a rotated CA or client certificate) starts a new pool; the old one ends as its calls do. */
export class Sockets {
  readonly #secure: boolean;
  #pool: Pool | undefined;

  constructor(server: URL) {
    this.#secure = server.protocol === 'https:';
  }

  /** The agent to send a call with. */
  agent(access: Access, purpose: 'calls' | 'watches'): http.Agent {
    if (access.agent !== undefined) return access.agent;
    if (this.#pool?.tls !== access.tls) {
      this.#pool?.calls.destroy();
      this.#pool = this.#build(access.tls);
    }
    return this.#pool[purpose];
  }

  /** Closes every socket, used ones too. */
  close(): void {
    this.#pool?.calls.destroy();
    this.#pool?.watches.destroy();
    this.#pool = undefined;
  }

  #build(tls: TlsMaterial): Pool {
    const base: http.AgentOptions = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, timeout: IDLE_MS };
    if (!this.#secure) {
      return { tls, calls: new http.Agent({ ...base, maxSockets: MAX_CALLS }), watches: new http.Agent(base) };
    }
    const { ca, cert, key, ...rest } = tls;
    const material = Object.fromEntries(Object.entries({ ca, cert, key }).filter(([, pem]) => pem !== undefined));
    // One parsed context for all sockets: each would otherwise parse and hold its own copy of the CA.
    const options: https.AgentOptions = { ...base, ...rest, secureContext: createSecureContext(material) };
    return { tls, calls: new https.Agent({ ...options, maxSockets: MAX_CALLS }), watches: new https.Agent(options) };
  }
}
