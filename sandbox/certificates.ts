import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const LIFE_MS = 365 * 24 * 60 * 60 * 1000;
/** Clocks of a container and its host may differ a little. */
const BACKDATED_MS = 60 * 60 * 1000;

/** A certificate and its private key, PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

/** A certificate authority that signs certificates for clients and servers. */
export interface Authority {
  certificate: string;
  /** `organization` becomes the user's group. */
  issueClient(commonName: string, organization?: string): Promise<KeyPair>;
  issueServer(commonName: string, names: { dns: string[]; ip: string[] }): Promise<KeyPair>;
}

/** Creates a self-signed P-256 authority, valid for a year. */
export async function createAuthority(commonName: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    ...validity(),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const issue = (subject: x509.JsonName, extensions: x509.Extension[]) =>
    issueLeaf({ issuer: root.subject, signingKey: keys.privateKey, subject, extensions });

  return {
    certificate: root.toString('pem'),
    issueClient: (name, organization) =>
      issue(
        [{ CN: [name] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      ),
    issueServer: (name, { dns, ip }) =>
      issue(
        [{ CN: [name] }],
        [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension([
            ...dns.map((value) => ({ type: 'dns' as const, value })),
            ...ip.map((value) => ({ type: 'ip' as const, value })),
          ]),
        ],
      ),
  };
}

async function issueLeaf(options: {
  issuer: string;
  signingKey: webcrypto.CryptoKey;
  subject: x509.JsonName;
  extensions: x509.Extension[];
}): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: options.subject,
    issuer: options.issuer,
    publicKey: keys.publicKey,
    signingKey: options.signingKey,
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...options.extensions,
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: certificate.toString('pem'), key };
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + LIFE_MS) };
}

/** Files of the control plane's certificates and keys; users of the API server by name. */
export interface PkiFiles {
  ca: string;
  server: { cert: string; key: string };
  frontProxyCa: string;
  frontProxy: { cert: string; key: string };
  serviceAccount: { publicKey: string; privateKey: string };
  /** PEM, for kubeconfig files. */
  authority: Authority;
}

/** Makes all certificates of a control plane and writes them to `directory`. */
export async function writePki(directory: string): Promise<PkiFiles> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [authority, frontProxyAuthority] = await Promise.all([
    createAuthority('sandbox-ca'),
    createAuthority('sandbox-front-proxy-ca'),
  ]);
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const [server, frontProxy] = await Promise.all([
    authority.issueServer('kube-apiserver', { dns, ip: ['127.0.0.1', '10.96.0.1'] }),
    frontProxyAuthority.issueClient('front-proxy-client'),
  ]);
  const account = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const writePair = async (name: string, pair: KeyPair) => ({
    cert: await write(`${name}.crt`, pair.certificate),
    key: await write(`${name}.key`, pair.key),
  });
  return {
    ca: await write('ca.crt', authority.certificate),
    server: await writePair('apiserver', server),
    frontProxyCa: await write('front-proxy-ca.crt', frontProxyAuthority.certificate),
    frontProxy: await writePair('front-proxy', frontProxy),
    serviceAccount: {
      publicKey: await write('service-account.pub', account.publicKey),
      privateKey: await write('service-account.key', account.privateKey),
    },
    authority,
  };
}
