import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range from which Linux and macOS take ports for outgoing connections: a port given back stays free for a restart. */
const RANGE = { from: 20_000, to: 32_000 };

/** True when nothing listens on this loopback port. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** A loopback port that nobody listens on, outside of the range of outgoing connections. Rejects when 200 tries find none. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(RANGE.from, RANGE.to);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free loopback port between ${RANGE.from} and ${RANGE.to}`);
}
