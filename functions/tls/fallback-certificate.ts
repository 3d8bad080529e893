import 'reflect-metadata';
import { createHash, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A PEM certificate and its PEM private key. */
export interface KeyPair {
  certificate: string;
  key: string;
  /** Changes whenever the pair does; the Secret's resourceVersion for one that came from a Secret. */
  version: string;
}

const DAY_MS = 24 * 3600 * 1000;
const NAME = 'fallback.certificate.kubevirt.io';
const DNS_NAMES = ['fallback', 'fallback.fallback', 'fallback.fallback.svc', 'fallback.fallback.svc.cluster.local'];
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Makes the certificate that is served while the Secret `kubevirt-operator-certs` does not exist, so that probes pass before the first installation
 * (spec/startup.md §4.5). Self-signed: nothing trusts it, the names only say what it is.
 */
export async function createFallbackCertificate(now: Date): Promise<KeyPair> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${NAME}`,
    notBefore: now,
    notAfter: new Date(now.getTime() + 356 * 10 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(DNS_NAMES.map((value) => ({ type: 'dns', value }))),
    ],
  });
  const pem = certificate.toString('pem');
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: pem, key, version: `fallback-${createHash('sha256').update(pem).digest('hex').slice(0, 12)}` };
}
