import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';

import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import type { CertificateRequest } from '../../../src/plan/types.ts';

const request = (change: Partial<CertificateRequest> = {}): CertificateRequest => ({
  commonName: 'kubevirt.io@1700000000',
  isCa: true,
  dnsNames: [],
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2126-01-08T00:00:00Z'),
  ...change,
});

const CA_USAGE = ['digitalSignature', 'keyEncipherment', 'keyCertSign'] as const;
const LEAF_USAGE = ['digitalSignature', 'keyEncipherment'] as const;

function usagesOf(pem: string): string[] {
  const usages = new x509.X509Certificate(pem).getExtension(x509.KeyUsagesExtension)?.usages ?? 0;
  return Object.entries(x509.KeyUsageFlags)
    .filter(([, flag]) => typeof flag === 'number' && (usages & flag) !== 0)
    .map(([name]) => name);
}

test('a CA is self-signed, ECDSA P-256, with exactly the usages of a CA', async () => {
  const { certificatePem, privateKeyPem } = await issueCertificate(request());
  const certificate = new X509Certificate(certificatePem);
  assert.match(certificatePem, /^-----BEGIN CERTIFICATE-----\n[\s\S]+\n-----END CERTIFICATE-----\n$/);
  assert.match(privateKeyPem, /^-----BEGIN EC PRIVATE KEY-----\n/);
  assert.equal(certificate.subject, 'CN=kubevirt.io@1700000000');
  assert.equal(certificate.issuer, certificate.subject);
  assert.equal(certificate.ca, true);
  assert.equal(certificate.verify(certificate.publicKey), true);
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  assert.equal(certificate.checkPrivateKey(createPrivateKey(privateKeyPem)), true);
  assert.deepEqual(usagesOf(certificatePem).sort(), [...CA_USAGE].sort());
  assert.equal(certificate.keyUsage, undefined, 'no extended usage');
});

for (const usage of ['server', 'client'] as const) {
  test(`a ${usage} certificate is signed by its CA and good for that alone`, async () => {
    const ca = await issueCertificate(request());
    const dnsNames = usage === 'server' ? ['virt-api', 'virt-api.kubevirt.svc'] : [];
    const { certificatePem, privateKeyPem } = await issueCertificate(
      request({ commonName: 'kubevirt.io:system:x', isCa: false, usage, dnsNames, signer: ca }),
    );
    const certificate = new X509Certificate(certificatePem);
    const authority = new X509Certificate(ca.certificatePem);
    assert.equal(certificate.checkIssued(authority), true);
    assert.equal(certificate.verify(authority.publicKey), true);
    assert.equal(certificate.ca, false);
    assert.equal(certificate.checkPrivateKey(createPrivateKey(privateKeyPem)), true);
    assert.equal(
      certificate.subjectAltName,
      usage === 'server' ? 'DNS:virt-api, DNS:virt-api.kubevirt.svc' : undefined,
    );
    assert.deepEqual(certificate.keyUsage, [usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2']);
    assert.deepEqual(usagesOf(certificatePem).sort(), [...LEAF_USAGE].sort());
    assert.equal(new Date(certificate.validFrom).toISOString(), '2026-01-01T00:00:00.000Z');
    assert.equal(new Date(certificate.validTo).toISOString(), '2126-01-08T00:00:00.000Z');
  });
}

test('serials are positive, at most 63 bits and differ', async () => {
  const serials = await Promise.all(
    Array.from({ length: 8 }, async () =>
      BigInt(`0x${new X509Certificate((await issueCertificate(request())).certificatePem).serialNumber}`),
    ),
  );
  assert.equal(new Set(serials).size, serials.length);
  for (const serial of serials) assert.ok(serial > 0n && serial < 1n << 63n, String(serial));
});
