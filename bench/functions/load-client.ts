/**
 * A process that sends one request over and over on a few TLS connections, each as soon as the last one is answered, and prints what it saw as JSON. Plain
 * sockets and prepared bytes: what is measured is the server. Reads its order as JSON from standard input.
 */
import { connect, type TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import type { LoadOrder, LoadReport } from './load.ts';

const END_OF_HEAD = '\r\n\r\n';

/** The length of the first whole answer in `data`; undefined while it is not complete. */
function lengthOfAnswer(data: string): number | undefined {
  const head = data.indexOf(END_OF_HEAD);
  if (head < 0) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(data.slice(0, head))?.[1] ?? Number.NaN);
  const end = head + END_OF_HEAD.length + length;
  return data.length >= end ? end : undefined;
}

/** Sends `bytes` and waits for the answer, again and again until `isOver`; calls `tell` with each answer and its milliseconds. */
class Lane {
  readonly #open: () => TLSSocket;
  readonly #bytes: Buffer;
  #socket: TLSSocket;
  #answer = Promise.withResolvers<string>();
  #data = '';

  constructor(open: () => TLSSocket, bytes: Buffer) {
    this.#open = open;
    this.#bytes = bytes;
    this.#socket = this.#connect();
  }

  async keepAsking(isOver: () => boolean, tell: (answer: string, milliseconds: number) => void): Promise<void> {
    while (!isOver()) {
      const sentAt = performance.now();
      this.#answer = Promise.withResolvers();
      // A new connection counts: whoever is asked to connect anew waits for that, too.
      if (this.#socket.destroyed) this.#socket = this.#connect();
      this.#socket.write(this.#bytes);
      const answer = await this.#answer.promise;
      tell(answer, performance.now() - sentAt);
      if (/\r\nconnection: close\r\n/i.test(answer)) this.#socket.destroy();
    }
    this.#socket.destroy();
  }

  #connect(): TLSSocket {
    this.#data = '';
    const socket = this.#open();
    socket.on('data', (chunk: Buffer) => {
      this.#data += chunk.toString('latin1');
      const length = lengthOfAnswer(this.#data);
      if (length === undefined) return;
      const answer = this.#data.slice(0, length);
      this.#data = this.#data.slice(length);
      this.#answer.resolve(answer);
    });
    socket.once('error', (error) => {
      this.#answer.reject(error);
    });
    return socket;
  }
}

async function run({ port, path, body, connections, seconds, warmUpSeconds, want }: LoadOrder): Promise<LoadReport> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const bytes = Buffer.from(head + body);
  const start = performance.now() + warmUpSeconds * 1000;
  const end = start + seconds * 1000;
  const milliseconds: number[] = [];
  let bad = 0;
  let firstBad = '';
  const tell = (answer: string, took: number) => {
    if (performance.now() < start) return;
    milliseconds.push(took);
    if (answer.startsWith('HTTP/1.1 200 ') && answer.includes(want)) return;
    bad++;
    firstBad ||= answer;
  };
  const open = () => connect({ host: '127.0.0.1', port, rejectUnauthorized: false }).setNoDelay(true);
  const lanes = Array.from({ length: connections }, () => new Lane(open, bytes));
  await Promise.all(lanes.map((lane) => lane.keepAsking(() => performance.now() >= end, tell)));
  return { milliseconds, seconds, bad, firstBad };
}

process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)) as LoadOrder)));
