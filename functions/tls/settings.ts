import { getCiphers, type SecureVersion } from 'node:tls';
import type { KubeVirtConfiguration } from '../../src/api/kubevirt.ts';
import { CIPHERS } from './ciphers.table.ts';

/** What `spec.configuration.tlsConfiguration` asks of a server. */
export interface TlsSettings {
  minVersion: SecureVersion;
  /** OpenSSL cipher list; absent: Node's default. */
  ciphers?: string;
  /** Wanted names that this OpenSSL does not have, for one warning. */
  dropped: string[];
}

const VERSIONS: ReadonlyMap<string, SecureVersion> = new Map([
  ['VersionTLS10', 'TLSv1'],
  ['VersionTLS11', 'TLSv1.1'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

/** Suites of TLS 1.3 cannot be chosen. In Node's list they must stand beside the others all the same, else it offers TLS 1.2 at most. */
const TLS13_SUITES = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];

const available = new Set(getCiphers().map((name) => name.toUpperCase()));

/**
 * Translates the TLS settings of a KubeVirt object. An empty or unknown version means TLS 1.2 (spec/startup.md §5.1); suites that OpenSSL lacks are
 * left out and named, and a list of which nothing is left means the default.
 */
export function decideTlsSettings(configuration: KubeVirtConfiguration['tlsConfiguration']): TlsSettings {
  const minVersion = VERSIONS.get(configuration?.minTLSVersion ?? '') ?? 'TLSv1.2';
  const wanted = configuration?.ciphers ?? [];
  const known = wanted.map((name) => ({ name, openssl: Object.hasOwn(CIPHERS, name) ? CIPHERS[name] : undefined }));
  const usable = known.flatMap(({ openssl }) => (openssl !== undefined && available.has(openssl) ? [openssl] : []));
  const dropped = known
    .filter(({ openssl }) => openssl === undefined || !available.has(openssl))
    .map(({ name }) => name);
  return usable.length > 0
    ? { minVersion, ciphers: [...TLS13_SUITES, ...usable].join(':'), dropped }
    : { minVersion, dropped };
}
