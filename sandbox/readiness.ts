import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { readLogTail, type Member } from './processes.ts';

const POLL_MS = 50;

/** What is asked, and which processes must not end meanwhile. */
export interface Waiting {
  api: ApiClient;
  members: readonly Member[];
  timeoutMs: number;
  /** Gives up with its reason. */
  signal?: AbortSignal | undefined;
}

/** Waits until the API server answers 200 at `path`, for example `/readyz`. */
export async function waitForApi(waiting: Waiting, path: string): Promise<void> {
  await waitUntil(
    waiting,
    `the API server's ${path}`,
    async () => (await waiting.api.call('GET', path)).status === 200,
  );
}

/** Waits until `count` nodes are ready: kwok works. */
export async function waitForNodes(waiting: Waiting, count: number): Promise<void> {
  await waitUntil(waiting, `${count} ready nodes`, async () => {
    const list = (await waiting.api.expect('GET', '/api/v1/nodes?resourceVersion=0')) as unknown as NodeList;
    return list.items.filter(isNodeReady).length >= count;
  });
}

/** Waits until the default ServiceAccount exists, without which no pod can be created: the controllers work. */
export async function waitForControllers(waiting: Waiting): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  await waitUntil(waiting, 'the controllers', async () => (await waiting.api.call('GET', path)).status === 200);
}

interface NodeList {
  items: { status?: { conditions?: { type: string; status: string }[] } }[];
}

function isNodeReady(node: NodeList['items'][number]): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/**
 * Asks again and again until the answer is true; no connection is no answer yet. Rejects with the log of a member that has ended, or after the time-out.
 */
async function waitUntil(waiting: Waiting, what: string, ask: () => Promise<boolean>): Promise<void> {
  const { members, timeoutMs } = waiting;
  const end = performance.now() + timeoutMs;
  const ended: Member[] = [];
  for (const member of members) void member.exited.then(() => ended.push(member));
  let last: unknown;
  while (performance.now() < end) {
    waiting.signal?.throwIfAborted();
    try {
      if (await ask()) return;
    } catch (error) {
      last = error;
    }
    const gone = ended[0];
    if (gone !== undefined) throw new Error(`${gone.name} ended while starting:\n${await readLogTail(gone)}`);
    await delay(POLL_MS);
  }
  throw new Error(`waited ${timeoutMs / 1000} s for ${what}`, { cause: last });
}
