import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { TestContext } from 'node:test';

import type { DashboardTokens } from '../../../src/dashboard/access.ts';
import { startDashboard } from '../../../src/dashboard/server.ts';
import { createShown } from '../../../src/dashboard/shown.ts';
import { openParts, type Parts } from '../queue/harness.ts';

/** A dashboard over the queue parts of a cluster of its own. */
export interface TestDashboard extends Parts {
  /** Ends with a slash. */
  url: string;
}

/** Opens a dashboard on loopback; it ends with the test. Without `url` of a Redis it is not told of any. */
export async function openDashboard(
  t: TestContext,
  redisUrl: string,
  tokens: DashboardTokens = {},
): Promise<TestDashboard> {
  const parts = await openParts(t, redisUrl);
  const { redis, queue, timers, log } = parts;
  const dashboard = await startDashboard({ host: '127.0.0.1', port: 0, tokens, log });
  t.after(() => dashboard.stop());
  dashboard.attach(createShown({ redis, queue, timers: timers.queue, log }));
  return { ...parts, url: dashboard.url };
}

/** An answer, read to its end. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** What is sent beside the address; `headers` may name any Host. */
export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends exactly this: fetch would normalise the path, set headers of its own and follow redirects. */
export function ask(url: string, path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The one cookie that an answer sets: the pair, and its attributes in lower case. */
export function cookieOf({ headers }: Answer): { pair: string; attributes: string[] } {
  const [cookie, ...more] = headers['set-cookie'] ?? [];
  assert.ok(typeof cookie === 'string' && more.length === 0, `${String(cookie)} ${more.join()}`);
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
  return { pair, attributes: attributes.map((each) => each.toLowerCase()) };
}

/** The events of one open page. */
export interface Stream {
  /** All events so far, oldest first. */
  readonly events: readonly { event: string; data: unknown }[];
  /** The last data of an event as soon as it is as wanted; fails after ten seconds. */
  until<T>(event: string, want: (data: T) => boolean): Promise<T>;
  close(): Promise<void>;
}

/** Opens the stream of events as a page does; it ends with the test. */
export async function openStream(t: TestContext, url: string, headers: Record<string, string> = {}): Promise<Stream> {
  const stop = new AbortController();
  const response = await fetch(new URL('events', url), { headers, signal: stop.signal });
  assert.equal(response.status, 200, await (response.ok ? '' : response.text()));
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const events: { event: string; data: unknown }[] = [];
  const listeners = new Set<() => void>();
  const reading = readEvents(response, (event) => {
    events.push(event);
    for (const listener of listeners) listener();
  }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const close = async () => {
    stop.abort();
    await reading;
  };
  t.after(close);
  const until = <T>(name: string, want: (data: T) => boolean): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(() => {
      reject(new Error(`no such ${name}; last: ${JSON.stringify(events.findLast(({ event }) => event === name))}`));
    }, 10_000);
    const look = () => {
      const last = events.findLast(({ event }) => event === name);
      try {
        if (last !== undefined && want(last.data as T)) resolve(last.data as T);
      } catch (error) {
        reject(error);
      }
    };
    listeners.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      listeners.delete(look);
    });
  };
  return { events, until, close };
}

async function readEvents(
  response: Response,
  onEvent: (event: { event: string; data: unknown }) => void,
): Promise<void> {
  assert.ok(response.body !== null);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) onEvent({ event, data: JSON.parse(data) });
    }
  }
}
