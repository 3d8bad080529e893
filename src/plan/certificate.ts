import { createPrivateKey, X509Certificate } from 'node:crypto';

import type { KubernetesObject } from '../api/objects.ts';

/** A certificate that was read from a Secret or a bundle. Parsing is pure: no clock, no I/O. */
export interface Certificate {
  x509: X509Certificate;
  pem: string;
  notBefore: Date;
  notAfter: Date;
  /** SHA-256 of the DER form. */
  fingerprint: string;
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads one PEM certificate; undefined when it is none. */
export function readCertificate(pem: string): Certificate | undefined {
  try {
    const x509 = new X509Certificate(pem);
    return {
      x509,
      pem: `${pem.trim()}\n`,
      notBefore: x509.validFromDate,
      notAfter: x509.validToDate,
      fingerprint: x509.fingerprint256,
    };
  } catch {
    // What is wrong with it does not matter: whatever cannot be read is made again or left out.
    return undefined;
  }
}

/** All certificates of a bundle, in order; blocks that cannot be read are left out. */
export function readBundle(text: string | undefined): Certificate[] {
  const blocks = text?.match(PEM_BLOCK) ?? [];
  return blocks.map((block) => readCertificate(block)).filter((certificate) => certificate !== undefined);
}

/** A certificate with its private key. */
export interface KeyPair {
  certificate: Certificate;
  privateKeyPem: string;
}

/** Key pairs by Secret: the objects of the caches are frozen, so a Secret that was read once need not be parsed again. */
const known = new WeakMap<KubernetesObject, { pair: KeyPair | undefined }>();

/** The key pair of a Secret; undefined when either half is missing, unreadable, or does not fit the other. */
export function readKeyPair(secret: KubernetesObject): KeyPair | undefined {
  const remembered = known.get(secret);
  if (remembered !== undefined) return remembered.pair;
  const pair = parseKeyPair(secret);
  known.set(secret, { pair });
  return pair;
}

function parseKeyPair({ data = {} }: KubernetesObject): KeyPair | undefined {
  const certificate = readCertificate(decode(data['tls.crt']));
  const privateKeyPem = decode(data['tls.key']);
  if (certificate === undefined) return undefined;
  try {
    const fits = certificate.x509.checkPrivateKey(createPrivateKey(privateKeyPem));
    return fits ? { certificate, privateKeyPem } : undefined;
  } catch {
    // An unreadable key is as good as none.
    return undefined;
  }
}

function decode(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}

/** Whether `now` lies within the validity of a certificate. */
export function isValidAt(certificate: Certificate, now: Date): boolean {
  return certificate.notBefore <= now && now <= certificate.notAfter;
}

/** The seconds of its birth in the subject of an authority (spec/certificates.md §1.1). */
const BIRTH = /@(\d+)$/;

/** When an authority was made: the validity of ours begins before that, for clocks that are behind. */
export function birthOf({ x509, notBefore }: Certificate): Date {
  const seconds = BIRTH.exec(x509.subject)?.[1];
  return seconds === undefined ? notBefore : new Date(Number(seconds) * 1000);
}

/** Whether `leaf` was signed by exactly this authority, and both are valid now. */
export function isSignedBy(leaf: Certificate, authority: Certificate, now: Date): boolean {
  return (
    isValidAt(leaf, now) &&
    isValidAt(authority, now) &&
    leaf.x509.checkIssued(authority.x509) &&
    leaf.x509.verify(authority.x509.publicKey)
  );
}
