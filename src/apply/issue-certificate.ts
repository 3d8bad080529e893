import { createPrivateKey, generateKeyPair, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

import type * as X509Library from '@peculiar/x509';

import type { CertificateRequest } from '../plan/types.ts';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  /** One `CERTIFICATE` block, no chain. */
  certificatePem: string;
  /** One `EC PRIVATE KEY` block (SEC 1). */
  privateKeyPem: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const generate = promisify(generateKeyPair);

/**
 * Makes an ECDSA P-256 key pair and a certificate for it, self-signed or signed by the CA in the request (spec/certificates.md §1.4).
 * The X.509 library is loaded at the first certificate: most passes need none.
 */
export async function issueCertificate(request: CertificateRequest): Promise<KeyPair> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
  const x509 = await loadX509();
  const { signer } = request;
  const signerCertificate = signer === undefined ? undefined : new x509.X509Certificate(signer.certificatePem);
  const signingKey = signer === undefined ? privateKey : createPrivateKey(signer.privateKeyPem);
  const subject = [{ CN: [request.commonName] }];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: buildSerial(),
      subject,
      issuer: signerCertificate?.subjectName ?? subject,
      notBefore: request.notBefore,
      notAfter: request.notAfter,
      signingAlgorithm: { ...ALGORITHM, hash: 'SHA-256' },
      signingKey: cryptoKey(signingKey, 'sign'),
      publicKey: cryptoKey(publicKey, 'verify'),
      extensions: await buildExtensions(x509, request, { publicKey, signerCertificate }),
    },
    webcrypto,
  );
  return {
    certificatePem: `${certificate.toString('pem').trim()}\n`,
    privateKeyPem: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
}

type X509 = typeof X509Library;

async function loadX509(): Promise<X509> {
  // The library's decorators need this polyfill to be there first.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

async function buildExtensions(
  x509: X509,
  request: CertificateRequest,
  keys: { publicKey: KeyObject; signerCertificate: X509Library.X509Certificate | undefined },
): Promise<X509Library.Extension[]> {
  const { keyEncipherment, digitalSignature, keyCertSign } = x509.KeyUsageFlags;
  const leaf = keyEncipherment | digitalSignature;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the library takes a set of flags as a number but types it as one of them
  const usages: X509Library.KeyUsageFlags = request.isCa ? leaf | keyCertSign : leaf;
  const extensions: X509Library.Extension[] = [
    new x509.KeyUsagesExtension(usages, true),
    await x509.SubjectKeyIdentifierExtension.create(cryptoKey(keys.publicKey, 'verify')),
  ];
  if (request.isCa) extensions.push(new x509.BasicConstraintsExtension(true, undefined, true));
  if (request.usage !== undefined) {
    const purpose = request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
    extensions.push(new x509.ExtendedKeyUsageExtension([purpose]));
  }
  if (request.dnsNames.length > 0) {
    extensions.push(
      new x509.SubjectAlternativeNameExtension(request.dnsNames.map((value) => ({ type: 'dns', value }))),
    );
  }
  if (keys.signerCertificate !== undefined) {
    extensions.push(await x509.AuthorityKeyIdentifierExtension.create(keys.signerCertificate.publicKey));
  }
  return extensions;
}

function cryptoKey(key: KeyObject, use: 'sign' | 'verify'): webcrypto.CryptoKey {
  return key.toCryptoKey(ALGORITHM, true, [use]);
}

/** A random positive serial of 63 bits, never zero, in hex. */
function buildSerial(): string {
  const bytes = randomBytes(8);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  bytes[7] = (bytes[7] ?? 0) | 1;
  return bytes.toString('hex');
}
