import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer as createTlsServer, request as sendRequest } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

import { createAuthority } from '../../../sandbox/certificates.ts';
import type { ControlPlane } from '../../../sandbox/control-plane.ts';
import { buildKubeconfig, parseKubeconfig } from '../../../sandbox/kubeconfig.ts';

/** A way to a server that can be made worse. */
export interface FaultyWay {
  /** Breaks every connection and takes no new one. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Which calls go wrong. */
export interface Mischief {
  /** Share of calls, from 0 to 1. */
  rate: number;
  /** The same calls go wrong in the same ways whenever the seed is the same, in whatever order they come. */
  seed: number;
  /** How long a call without an answer is kept, in milliseconds, before the way gives it up: longer than the caller waits, the caller does. */
  patienceMs: number;
}

/** A way to the API server that can answer in its place. */
export interface FaultyApi extends FaultyWay {
  /** Kubeconfig that leads this way. */
  kubeconfig: string;
  /** From now on calls go wrong; undefined ends that. Returns how many have gone wrong since the last time, by kind of fault. */
  setMischief(mischief: Mischief | undefined): Record<string, number>;
}

/** Numbers from 0 up to 1. */
export type Random = () => number;

/** A generator whose numbers follow from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Call {
  incoming: IncomingMessage;
  answer: ServerResponse;
  patienceMs: number;
  /** Sends the call on; the server's answer is handed over, or thrown away. */
  forward: (isKept: boolean) => void;
}

interface Fault {
  name: string;
  /** How often it comes, against the others. */
  weight: number;
  strike: (call: Call) => void;
}

/** What can go wrong with a call. After some of it the caller cannot know whether the server has done what was asked. */
const FAULTS: readonly Fault[] = [
  {
    name: '409',
    weight: 4,
    strike: ({ answer }) => {
      refuse(answer, 409, 'Conflict');
    },
  },
  {
    name: '429',
    weight: 4,
    strike: ({ answer }) => {
      refuse(answer, 429, 'TooManyRequests', { 'retry-after': '1' });
    },
  },
  {
    name: '500',
    weight: 4,
    strike: ({ answer }) => {
      refuse(answer, 500, 'InternalError');
    },
  },
  { name: 'connection broken', weight: 2, strike: ({ incoming }) => incoming.socket.destroy() },
  {
    name: 'done, connection broken',
    weight: 2,
    strike: ({ incoming, forward }) => {
      forward(false);
      incoming.socket.destroy();
    },
  },
  {
    name: 'never answered',
    weight: 1,
    strike: ({ incoming, answer, patienceMs }) => {
      later(answer, patienceMs, () => incoming.socket.destroy());
    },
  },
  {
    name: 'done, answered too late',
    weight: 1,
    strike: ({ answer, patienceMs, forward }) => {
      forward(false);
      later(answer, patienceMs, () => {
        refuse(answer, 504, 'Timeout');
      });
    },
  },
];
const ALL_WEIGHTS = FAULTS.reduce((sum, { weight }) => sum + weight, 0);

function refuse(answer: ServerResponse, code: number, reason: string, headers: Record<string, string> = {}): void {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'by chance' };
  answer.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(status));
}

/** Does it then, unless the caller has gone. */
function later(answer: ServerResponse, milliseconds: number, act: () => void): void {
  const timer = setTimeout(act, milliseconds);
  answer.once('close', () => {
    clearTimeout(timer);
  });
}

/** Decides call by call. The number of times that a call has come counts, so that it does not go wrong for ever. */
class Chance {
  readonly #mischief: Mischief;
  readonly #calls = new Map<string, number>();
  readonly struck: Record<string, number> = {};

  constructor(mischief: Mischief) {
    this.#mischief = mischief;
  }

  decide({ method = '', url = '' }: IncomingMessage): Fault | undefined {
    const call = `${method} ${url.replace(/[?&](resourceVersion|timeoutSeconds)=[^&]*/g, '')}`;
    const count = (this.#calls.get(call) ?? 0) + 1;
    this.#calls.set(call, count);
    const digest = createHash('sha256').update(`${this.#mischief.seed} ${count} ${call}`).digest();
    const random = createRandom(digest.readUInt32LE());
    if (random() >= this.#mischief.rate) return undefined;
    const fault = pickFault(random());
    this.struck[fault.name] = (this.struck[fault.name] ?? 0) + 1;
    return fault;
  }
}

function pickFault(random: number): Fault {
  let left = random * ALL_WEIGHTS;
  const picked = FAULTS.find(({ weight }) => (left -= weight) < 0);
  assert.ok(picked !== undefined);
  return picked;
}

/** Starts a way to the API server of `plane` for a user with all rights. */
export async function openFaultyApi(plane: ControlPlane): Promise<FaultyApi> {
  const { server: target, identity } = parseKubeconfig(readFileSync(plane.kubeconfig, 'utf8'));
  const authority = await createAuthority('faulty-way-ca');
  const pair = await authority.issueServer('faulty-way', { dns: ['localhost'], ip: ['127.0.0.1'] });
  const agent = new Agent({ ca: identity.ca, cert: identity.cert, key: identity.key, keepAlive: true });
  let chance: Chance | undefined;
  let patienceMs = 0;
  const server = createTlsServer({ cert: pair.certificate, key: pair.key }, (incoming, answer) => {
    const forward: Call['forward'] = (isKept) => {
      relay(`${target}${incoming.url ?? ''}`, agent, { incoming, answer, isKept });
    };
    const fault = chance?.decide(incoming);
    if (fault === undefined) forward(true);
    else fault.strike({ incoming, answer, patienceMs, forward });
  });
  const way = openGate(server, 'secureConnection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(plane.directory, `faulty-way-${port}.kubeconfig`);
  const credentials = { token: 'not looked at' };
  const url = `https://127.0.0.1:${port}`;
  await writeFile(
    kubeconfig,
    buildKubeconfig({ server: url, ca: authority.certificate, user: 'faulty', credentials }),
    { mode: 0o600 },
  );
  return {
    ...way,
    kubeconfig,
    setMischief: (mischief) => {
      const struck = chance?.struck ?? {};
      chance = mischief && new Chance(mischief);
      patienceMs = mischief?.patienceMs ?? patienceMs;
      return struck;
    },
    stop: async () => {
      await way.stop();
      agent.destroy();
    },
  };
}

/** Sends a call to the server; its answer is handed over, or thrown away. */
function relay(url: string, agent: Agent, { incoming, answer, isKept }: Relayed): void {
  const headers = { ...incoming.headers };
  delete headers.authorization;
  delete headers.host;
  const outgoing = sendRequest(url, { agent, method: incoming.method, headers }, (response) => {
    response.on('error', () => answer.destroy());
    if (!isKept) {
      response.resume();
      return;
    }
    answer.writeHead(response.statusCode ?? 502, response.headers);
    // A watch without events has begun all the same.
    answer.flushHeaders();
    response.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  // A call whose caller has gone is finished all the same, but a watch would never end.
  answer.on('close', () => {
    if (url.includes('watch=')) outgoing.destroy();
  });
  incoming.pipe(outgoing);
}

interface Relayed {
  incoming: IncomingMessage;
  answer: ServerResponse;
  isKept: boolean;
}

/** Starts a way to a TCP server on loopback, for example Redis. */
export async function openFaultyPort(port: number): Promise<FaultyWay & { port: number }> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  const way = openGate(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { ...way, port: (server.address() as AddressInfo).port };
}

interface Gated {
  on(event: string, listener: (socket: Socket) => void): unknown;
  close(): unknown;
}

function openGate(server: Gated & NodeJS.EventEmitter, event: 'connection' | 'secureConnection'): FaultyWay {
  const sockets = new Set<Socket>();
  let isCut = false;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (isCut) socket.destroy();
  });
  return {
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => {
      isCut = false;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
