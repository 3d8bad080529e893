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
function keepAsking(
  socket: TLSSocket,
  bytes: Buffer,
  isOver: () => boolean,
  tell: (answer: string, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let data = '';
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(bytes);
    };
    socket.on('data', (chunk: Buffer) => {
      data += chunk.toString('latin1');
      const length = lengthOfAnswer(data);
      if (length === undefined) return;
      tell(data.slice(0, length), performance.now() - sentAt);
      data = data.slice(length);
      if (!isOver()) send();
      else {
        socket.destroy();
        resolve();
      }
    });
    socket.once('error', reject).once('end', () => {
      reject(new Error('the server has closed the connection'));
    });
    socket.once('secureConnect', send);
  });
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
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: '127.0.0.1', port, rejectUnauthorized: false }).setNoDelay(true),
  );
  await Promise.all(sockets.map((socket) => keepAsking(socket, bytes, () => performance.now() >= end, tell)));
  return { milliseconds, seconds, bad, firstBad };
}

process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)) as LoadOrder)));
