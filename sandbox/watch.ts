import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';

import type { ApiObject } from './api-object.ts';

/** One line of a watch. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: ApiObject;
}

/** The events of a watch, until the server ends it or `signal` aborts; throws when it is refused or breaks. */
export async function* watchUrl(
  url: string,
  options: RequestOptions,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, undefined> {
  const outgoing = request(url, { ...options, signal });
  // What breaks it is thrown below; the emitter itself would end the process.
  outgoing.on('error', () => undefined);
  outgoing.end();
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (incoming.statusCode !== 200) throw new Error(`GET ${url} was answered ${incoming.statusCode ?? 0}`);
    yield* readEvents(incoming);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    outgoing.destroy();
  }
}

async function* readEvents(incoming: IncomingMessage): AsyncGenerator<WatchEvent, void, undefined> {
  incoming.setEncoding('utf8');
  let rest = '';
  for await (const text of incoming) {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as WatchEvent;
  }
}
