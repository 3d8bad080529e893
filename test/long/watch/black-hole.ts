/**
 * For a network namespace of its own: an informer, with the limits of production, on a server whose packets one day go nowhere. Prints what it saw as JSON.
 */
import { execFileSync } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { createLog } from '../../../src/log.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { Informer } from '../../../src/watch/informer.ts';

const ADDRESS = '10.9.9.9';
const IPROUTE = 'ip';
const ip = (...args: string[]) => execFileSync(IPROUTE, args, { stdio: 'inherit' });

ip('link', 'set', 'lo', 'up');
ip('address', 'add', `${ADDRESS}/32`, 'dev', 'lo');
// Rules that come before the one for local addresses can drop what would go there.
ip('rule', 'add', 'preference', '100', 'lookup', 'local');
ip('rule', 'delete', 'preference', '0');

const objects = ['a'];
let version = 10;
let watches = 0;
const missed: string[] = [];
const list = () => ({
  metadata: { resourceVersion: String(version) },
  items: objects.map((name) => ({ metadata: { name, resourceVersion: '5', uid: name } })),
});

const server = createServer((request, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  if (!new URL(request.url ?? '/', 'http://x').searchParams.has('watch')) {
    response.end(JSON.stringify(list()));
    return;
  }
  watches += 1;
  response.flushHeaders();
  for (const name of missed) {
    const object = { metadata: { name, resourceVersion: String(version), uid: name } };
    response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  }
});
await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
const { port } = server.address() as { port: number };

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';
const connection = await createConnection({
  master: `http://${ADDRESS}:${port}`,
  qps: 100,
  burst: 100,
  userAgent: 'test',
  log,
});
const informer = new Informer({
  connection,
  source: { path: '/api/v1/things', metadataOnly: false },
  name: 'Thing',
  project: (object) => object,
  log,
});
void informer.run();

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await pause(50);
};
await until(() => watches === 1 && informer.state === 'synced');
ip('rule', 'add', 'preference', '50', 'to', ADDRESS, 'blackhole');
const droppedAt = performance.now();
version = 11;
missed.push('missed');
await until(() => informer.stats().failures > 0);
const noticedMs = performance.now() - droppedAt;
ip('rule', 'delete', 'preference', '50');
await until(() => informer.get('missed') !== undefined);
process.stdout.write(JSON.stringify({ noticedMs, knownMs: performance.now() - droppedAt }), () => process.exit(0));
