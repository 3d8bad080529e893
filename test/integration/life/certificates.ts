import { X509Certificate } from 'node:crypto';

import { NAMESPACE, type Site } from '../install/harness.ts';

/** The authority that signs leaf certificates, and the ConfigMap with its bundle. */
export const AUTHORITY = 'kubevirt-ca';

/** The certificate in a Secret of the operator's namespace. */
export async function readCertificate({ plane }: Pick<Site, 'plane'>, secret: string): Promise<X509Certificate> {
  const { data } = await plane.api.expect('GET', `/api/v1/namespaces/${NAMESPACE}/secrets/${secret}`);
  return new X509Certificate(Buffer.from((data as Record<string, string>)['tls.crt'] ?? '', 'base64'));
}

/** The certificates of a bundle by their fingerprints, in their order. */
export function fingerprintsIn(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block).fingerprint256);
}
