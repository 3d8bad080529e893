import type { Response } from 'express';

/** How soon a page comes back after its stream has ended. */
const RETRY_MS = 1000;
/** A page that does not read for so long is let go; it comes back and gets everything anew. */
const UNREAD_MAX_BYTES = 1024 * 1024;

/** Server-sent events to one page. */
export interface EventStream {
  /** Sends one event; `json` is one line. */
  send(event: string, json: string): void;
  close(): void;
}

/** Makes a response a stream of events; `onClose` is called once when the page has gone. */
export function openEventStream(response: Response, onClose: () => void): EventStream {
  response.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // For nginx: a proxy that gathers output would show nothing for minutes.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  response.write(`retry: ${RETRY_MS}\n\n`);
  response.on('close', onClose);
  return {
    send: (event, json) => {
      if (response.writableLength > UNREAD_MAX_BYTES) response.destroy();
      else response.write(`event: ${event}\ndata: ${json}\n\n`);
    },
    close: () => {
      response.end();
    },
  };
}
