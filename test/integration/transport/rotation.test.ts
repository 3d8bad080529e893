import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { createAuthority } from '../../../sandbox/certificates.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { Informer } from '../../../src/watch/informer.ts';
import { buildObject } from '../../unit/watch/build-object.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import { testLog } from '../queue/harness.ts';

type Authority = Awaited<ReturnType<typeof createAuthority>>;

/** An API server with one object, behind a certificate of this authority and for this token; a new watch is told of `news`. */
async function serve(how: { authority: Authority; token: string; port: number; news?: string }): Promise<Server> {
  const { authority, token, port, news } = how;
  const { certificate, key } = await authority.issueServer('api', { dns: [], ip: ['127.0.0.1'] });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end('{}');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    if (!(request.url ?? '').includes('watch=true')) {
      response.end(JSON.stringify({ metadata: { resourceVersion: '10' }, items: [buildObject('old', 5)] }));
      return;
    }
    response.flushHeaders();
    if (news !== undefined) response.write(`${JSON.stringify({ type: 'ADDED', object: buildObject(news, 11) })}\n`);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

test('L21: token and CA both replaced while running: calls and watches work with the new ones, without a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rotation-'));
  atEnd(() => rm(directory, { recursive: true }));
  const project = async (authority: Authority, token: string) => {
    await writeFile(join(directory, 'ca.crt'), authority.certificate);
    await writeFile(join(directory, 'token'), token);
  };
  const [first, second] = [await createAuthority('one'), await createAuthority('two')];
  await project(first, 't1');
  let server = await serve({ authority: first, token: 't1', port: 0 });
  atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const log = testLog();
  const connection = await createConnection({
    environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) },
    serviceAccountDirectory: directory,
    qps: 1e4,
    burst: 1e4,
    userAgent: 'test',
    log,
  });
  const source = { path: '/api/v1/things', metadataOnly: false };
  const informer = new Informer({ connection, source, name: 'Thing', project: (object) => object, log });
  const running = informer.run();
  atEnd(async () => {
    informer.stop();
    await running;
    connection.close();
    server.closeAllConnections();
  });
  await informer.whenSettled(new AbortController().signal);
  const call = () => connection.request({ method: 'GET', path: '/api/v1/things' });
  await call();

  await project(second, 't2');
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  server = await serve({ authority: second, token: 't2', port, news: 'news' });
  const replacedAt = performance.now();
  await eventually(
    () => call(),
    ({ items }) => Array.isArray(items),
    120_000,
  );
  await eventually(
    () => informer.list().find(({ metadata }) => metadata.name === 'news'),
    (object) => object !== undefined,
    120_000,
  );
  const took = performance.now() - replacedAt;
  assert.ok(took < 5000, `${took} ms: nobody has to wait until the files are read again by themselves`);
});
