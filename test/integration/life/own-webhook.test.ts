import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, test } from 'node:test';
import { connect } from 'node:tls';

import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import { NAMESPACE, startOperator, type Operator } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startLeader, startLifeSite, type LifeSite } from './harness.ts';
import { createAgainAndAgain } from './own-webhook.ts';

const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const SERVING = 'kubevirt-operator-certs';

let site: LifeSite;
before(async () => {
  site = await startLifeSite();
});

/** A serving certificate of that name, as data of a Secret. */
async function issue(commonName: string): Promise<Record<string, string>> {
  const { certificatePem, privateKeyPem } = await issueCertificate({
    commonName,
    isCa: false,
    usage: 'server',
    dnsNames: ['kubevirt-operator-webhook.kubevirt.svc'],
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return { 'tls.crt': encode(certificatePem), 'tls.key': encode(privateKeyPem) };
}

/** The name in the certificate that a new connection is served; rejects when nobody takes it. */
async function readServed(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return String(socket.getPeerCertificate().subject.CN);
  } finally {
    socket.destroy();
  }
}

test('B40: when the serving Secret changes, every replica serves the new certificate within five seconds, without a break', async () => {
  const { api } = site.plane;
  const metadata = { name: SERVING, namespace: NAMESPACE, labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } };
  const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data: await issue('first') };
  await api.expect('POST', SECRETS, secret);
  const replicas = await Promise.all([startOperator(site, 'functions'), startOperator(site, 'functions')]);
  await Promise.all(replicas.map((replica) => replica.said('functions are served')));
  const serveAll = (name: string, timeoutMs: number) =>
    Promise.all(replicas.map(({ webhookPort }) => servesOnly(webhookPort, name, timeoutMs)));
  await serveAll('first', 10_000);
  for (const name of ['second', 'third']) {
    await api.expect('PUT', `${SECRETS}/${SERVING}`, { ...secret, data: await issue(name) });
    await serveAll(name, 5000);
  }
  await end(replicas);
  await api.expect('DELETE', `${SECRETS}/${SERVING}`);
});

/** Resolves when a new connection is served that certificate. Unlike `eventually`, no refused connection is forgiven. */
async function servesOnly(port: number, name: string, timeoutMs: number): Promise<void> {
  const refused: unknown[] = [];
  await eventually(
    async () => readServed(port).catch((error: unknown) => refused.push(error)),
    (served) => served === name,
    timeoutMs,
  );
  assert.deepEqual(refused, []);
}

async function end(replicas: readonly Operator[]): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
}

test('B43: created and deleted again and again, the webhook never refuses our own writes and has its certificate first', async () => {
  await startLeader(site);
  await createAgainAndAgain(site, 2);
});
