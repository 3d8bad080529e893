import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import express from 'express';
import { pino } from 'pino';
import { readClientPolicy } from '../../../functions/client-certificates.ts';
import { createProbes } from '../../../functions/probes/index.ts';
import { startServer, type RunningServer } from '../../../functions/server.ts';
import { createFallbackCertificate } from '../../../functions/tls/fallback-certificate.ts';
import type { ServingInputs } from '../../../functions/tls/serving.ts';
import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import { asKubeVirt } from '../../../src/api/kubevirt.ts';
import { ConfigurationError } from '../../../src/errors.ts';

const log = pino({ level: 'silent' });
const listeners = new Set<() => void>();
const inputs: ServingInputs = { secret: undefined, kubeVirt: undefined };
let server: RunningServer & { webhookPort: number };
let required = false;
let now = new Date();
let allowedNames: string[] | undefined = [];
let missing: string | undefined;

const change = (changes: Partial<ServingInputs>) => {
  Object.assign(inputs, changes);
  for (const listener of listeners) listener();
};
const encode = (text: string) => Buffer.from(text).toString('base64');
const buildSecret = async (resourceVersion: string) => {
  const pair = await createFallbackCertificate(new Date());
  const data = { 'tls.crt': encode(pair.certificate), 'tls.key': encode(pair.key) };
  return {
    pair,
    secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubevirt-operator-certs', resourceVersion }, data },
  };
};

const options = () => ({
  host: '0.0.0.0',
  port: 0,
  metrics: [createProbes({ live: [], ready: [() => missing], started: [] })],
  webhooks: {
    port: 0,
    routers: [
      express
        .Router()
        .get('/who', (_request, response) => void response.send('served'))
        .get('/broken', () => {
          throw new Error('a secret of the operator');
        }),
    ],
    clientPolicy: () => ({ allowedNames, required }),
  },
  inputs: () => inputs,
  onChange: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  now: () => now,
  log,
});

async function start() {
  const started = await startServer(options());
  assert.ok(started.webhookPort !== undefined);
  return { ...started, webhookPort: started.webhookPort };
}
before(async () => {
  server = await start();
});
after(() => server.stop(0));

async function open(port: number, tls: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...tls });
  await once(socket, 'secureConnect');
  return socket;
}
async function servedCertificate(port: number): Promise<string> {
  const socket = await open(port);
  const pem = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return pem.trim();
}
const get = (path: string, port: number, tls: object = {}) =>
  new Promise<{ code: number; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...tls }, (response) => {
      let body = '';
      response
        .on('data', (chunk: Buffer) => (body += chunk.toString()))
        .on('end', () => {
          resolve({ code: response.statusCode ?? 0, body });
        });
    })
      .on('error', reject)
      .end();
  });

test('B40: the fallback certificate is served until the Secret exists, then the Secret; open connections stay open', async () => {
  const socket = await open(server.webhookPort);
  const fallback = await servedCertificate(server.webhookPort);
  const { pair, secret } = await buildSecret('1');
  change({ secret });
  assert.equal(await servedCertificate(server.webhookPort), pair.certificate.trim());
  assert.equal(await servedCertificate(server.port), pair.certificate.trim());
  assert.notEqual(fallback, pair.certificate.trim());
  socket.write('GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
});

test('a Secret that cannot be used, or goes away, leaves the last good pair in place', async () => {
  const before = await servedCertificate(server.webhookPort);
  const { secret } = await buildSecret('2');
  const other = await buildSecret('2');
  change({ secret: { ...secret, data: { ...secret.data, 'tls.key': other.secret.data['tls.key'] } } });
  assert.equal(await servedCertificate(server.webhookPort), before);
  change({ secret: undefined });
  assert.equal(await servedCertificate(server.webhookPort), before);
});

test('minimum version and ciphers of the KubeVirt object apply to new connections', async () => {
  const configuration = (tlsConfiguration: object) => asKubeVirt({ spec: { configuration: { tlsConfiguration } } });
  change({ kubeVirt: configuration({ minTLSVersion: 'VersionTLS13' }) });
  await assert.rejects(open(server.webhookPort, { maxVersion: 'TLSv1.2' }));
  change({
    kubeVirt: configuration({
      minTLSVersion: 'VersionTLS12',
      ciphers: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'TLS_RSA_WITH_RC4_128_SHA'],
    }),
  });
  const socket = await open(server.webhookPort, { maxVersion: 'TLSv1.2' });
  assert.equal(socket.getCipher().name, 'ECDHE-ECDSA-AES256-GCM-SHA384');
  socket.destroy();
  const newest = await open(server.webhookPort);
  assert.equal(newest.getProtocol(), 'TLSv1.3', 'suites of TLS 1.2 do not take TLS 1.3 away');
  newest.destroy();
  change({ kubeVirt: undefined });
  (await open(server.webhookPort, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).destroy();
});

test('a client certificate is verified if one is given', async () => {
  const valid = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000), dnsNames: [] };
  const ca = await issueCertificate({ ...valid, commonName: 'ca', isCa: true });
  const leaf = await issueCertificate({
    ...valid,
    commonName: 'front-proxy',
    isCa: false,
    usage: 'client',
    signer: ca,
  });
  const tls = { cert: leaf.certificatePem, key: leaf.privateKeyPem };
  const clientCa = ca.certificatePem;
  const rows: { name: string; clientCa?: string; names: string[] | undefined; want: number }[] = [
    { name: 'unknown authority', names: [], want: 401 },
    { name: 'known authority, any name', clientCa, names: [], want: 200 },
    { name: 'known authority, this name', clientCa, names: ['front-proxy'], want: 200 },
    { name: 'known authority, another name', clientCa, names: ['somebody-else'], want: 401 },
    { name: 'the cluster names no client', clientCa, names: undefined, want: 401 },
    { name: 'an authority that went away', names: [], want: 200 },
    { name: 'an authority that cannot be read', clientCa: 'no PEM at all', names: [], want: 200 },
  ];
  for (const { name, names, want, ...trust } of rows) {
    allowedNames = names;
    change({ clientCa: trust.clientCa });
    assert.equal((await get('/who', server.webhookPort, tls)).code, want, name);
    assert.equal(
      (await get('/who', server.webhookPort)).code,
      200,
      `${name}: a caller without a certificate is served`,
    );
    required = true;
    assert.equal((await get('/who', server.webhookPort)).code, 401, `${name}: unless one is required`);
    assert.equal((await get('/who', server.webhookPort, tls)).code, want, `${name}: which changes nothing for others`);
    required = false;
  }
});

const policies: { name: string; names: string | undefined; want: readonly string[] | undefined }[] = [
  { name: 'a list', names: '["a","b"]', want: ['a', 'b'] },
  { name: 'an empty list', names: '[]', want: [] },
  { name: 'no list', names: undefined, want: undefined },
  { name: 'half a list', names: '["a"', want: undefined },
  { name: 'something else', names: '{"a":1}', want: undefined },
  { name: 'a list of something else', names: '[1]', want: undefined },
];
for (const { name, names, want } of policies) {
  test(`names of clients: ${name}`, () => {
    const data: Record<string, string> = names === undefined ? {} : { 'requestheader-allowed-names': names };
    const policy = readClientPolicy({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data }, false);
    assert.deepEqual(policy.allowedNames, want);
  });
}

test('a router that throws is answered in two words, without a stack', async () => {
  assert.deepEqual(await get('/broken', server.webhookPort), { code: 500, body: 'internal error' });
  assert.deepEqual(await get('/%ff', server.webhookPort), { code: 404, body: 'not found' });
});

test('the server says what it lacks: time of its certificate', () => {
  assert.equal(server.missing(), undefined);
  now = new Date(Date.now() + 20 * 365 * 24 * 3_600_000);
  assert.match(server.missing() ?? '', /certificate has expired/);
  now = new Date();
});

test('a connection is closed after its hundredth answer, so that clients come to other replicas', async () => {
  const socket = await open(server.webhookPort);
  socket.setEncoding('latin1');
  const ended = once(socket, 'end');
  for (let i = 1; i <= 100; i++) {
    socket.write('GET /who HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [string];
    assert.match(answer, i < 100 ? /connection: keep-alive/i : /connection: close/i, `answer ${i}`);
  }
  await ended;
});

test('a draining server is not ready and serves on, new connections too; each answer closes its connection', async () => {
  const draining = await start();
  const exchange = async (socket: TLSSocket) => {
    socket.write('GET /who HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  };
  const kept = await open(draining.webhookPort);
  assert.match(await exchange(kept), /keep-alive/i);
  draining.drain();
  assert.match(draining.missing() ?? '', /ending/);
  const closed = once(kept, 'end');
  assert.match(await exchange(kept), /200 OK.*connection: close/is);
  await closed;
  assert.match(await exchange(await open(draining.webhookPort)), /200 OK.*connection: close/is);
  await draining.stop(0);
  await assert.rejects(open(draining.webhookPort));
});

test('probes say what is missing', async () => {
  assert.deepEqual(await get('/readyz', server.port), { code: 200, body: 'ok\n' });
  missing = 'the caches are not filled';
  assert.deepEqual(await get('/readyz', server.port), { code: 503, body: 'the caches are not filled\n' });
  assert.equal((await get('/healthz', server.port)).code, 200);
});

test('0.0.0.0 means both families', async () => {
  const socket = await open(server.port, { host: '::1' });
  socket.destroy();
});

test('a taken port is one sentence that names the flag, and the other port is given back', async () => {
  const clash = { ...options(), webhooks: { ...options().webhooks, port: server.webhookPort } };
  await assert.rejects(
    startServer(clash),
    (error: Error) => error instanceof ConfigurationError && /--webhook-port/.test(error.message),
  );
});
