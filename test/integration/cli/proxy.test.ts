import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

import { createAuthority } from '../../../sandbox/certificates.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { sendJson, startScriptedServer, type ScriptedServer } from '../fixtures/scripted-server.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;

/** A proxy that passes everything on, and what was asked of it. */
async function startProxy(target: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const { hostname, port } = new URL(target);
  const proxy = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(502).end();
  }).on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`);
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  atEnd(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { url: `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

/** An API server without a KubeVirt object, and a kubeconfig for it. */
async function startCluster(): Promise<{
  server: ScriptedServer;
  writeKubeconfig: (more?: object) => Promise<string>;
}> {
  const authority = await createAuthority('ca');
  const tls = await authority.issueServer('api', { dns: [], ip: ['127.0.0.1'] });
  const server = await startScriptedServer((_, response) => {
    sendJson(response, { items: [] });
  }, tls);
  const directory = await mkdtemp(join(tmpdir(), 'proxy-'));
  atEnd(() => rm(directory, { recursive: true }));
  const writeKubeconfig = async (more: object = {}) => {
    const file = join(directory, 'kubeconfig');
    const data = Buffer.from(authority.certificate).toString('base64');
    const cluster = { server: server.url, 'certificate-authority-data': data, ...more };
    const content = {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 'abc' } }],
    };
    await writeFile(file, JSON.stringify(content));
    return file;
  };
  return { server, writeKubeconfig };
}

async function runRemove(kubeconfig: string, env: Record<string, string> = {}): Promise<{ code: number; err: string }> {
  const child = spawn(process.execPath, [MAIN, 'remove', '-n', 'a', '--kubeconfig', kubeconfig], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const err = await text(child.stderr);
  const [code] = (await exited) as [number];
  return { err, code };
}

const NOTHING = /there is no KubeVirt object in the namespace a/;

test('L24: a command goes through the proxy that the kubeconfig names, with its credentials', async () => {
  const { server, writeKubeconfig } = await startCluster();
  const proxy = await startProxy(server.url);
  const { code, err } = await runRemove(await writeKubeconfig({ 'proxy-url': proxy.url }));
  assert.match(err, NOTHING);
  assert.equal(code, 0);
  assert.deepEqual(proxy.asked, [`${new URL(server.url).host} Basic ${Buffer.from('me:secret').toString('base64')}`]);
  assert.equal(server.received[0]?.headers.authorization, 'Bearer abc');
});

test('L24: with HTTPS_PROXY and NO_PROXY in the environment, a command goes to the API server directly', async () => {
  const { server, writeKubeconfig } = await startCluster();
  const proxy = await startProxy(server.url);
  const env = {
    HTTPS_PROXY: proxy.url,
    HTTP_PROXY: proxy.url,
    NO_PROXY: '127.0.0.0/8,10.96.0.0/12',
    NODE_USE_ENV_PROXY: '1',
  };
  const { code, err } = await runRemove(await writeKubeconfig(), env);
  assert.match(err, NOTHING);
  assert.equal(code, 0);
  assert.deepEqual(proxy.asked, []);
});
