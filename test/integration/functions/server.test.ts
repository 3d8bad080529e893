import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import express from 'express';
import { pino } from 'pino';
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
let server: RunningServer;
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
  webhookPort: 0,
  metrics: [createProbes({ live: [], ready: [() => missing], started: [] })],
  admission: [express.Router().get('/who', (_request, response) => void response.send('served'))],
  inputs: () => inputs,
  onChange: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  clientPolicy: () => ({ allowedNames, required: false }),
  now: new Date(),
  log,
});

before(async () => {
  server = await startServer(options());
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

test('the fallback certificate is served until the Secret exists, then the Secret; open connections stay open', async () => {
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
  }
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
  const clash = { ...options(), port: 0, webhookPort: server.webhookPort };
  await assert.rejects(
    startServer(clash),
    (error: Error) => error instanceof ConfigurationError && /--webhook-port/.test(error.message),
  );
});
