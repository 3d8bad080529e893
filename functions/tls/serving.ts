import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { errorText } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { KeyPair } from './fallback-certificate.ts';
import { decideTlsSettings, type TlsSettings } from './settings.ts';

/** What decides about the TLS of a listener; read again at each change. */
export interface ServingInputs {
  /** The Secret `kubevirt-operator-certs`, once it exists. */
  secret: KubernetesObject | undefined;
  /** The KubeVirt object whose TLS settings apply. */
  kubeVirt: KubeVirt | undefined;
  /** PEM bundle that client certificates are verified against; absent: the last one that was there, before the first none is accepted. */
  clientCa?: string | undefined;
}

const decode = (value: string | undefined) => Buffer.from(value ?? '', 'base64').toString('utf8');

/**
 * Reads the key pair of a Secret of type kubernetes.io/tls.
 * @throws Error naming the Secret when a part is missing or the two do not belong together
 */
function parseKeyPair(secret: KubernetesObject): KeyPair {
  const name = secret.metadata.name ?? '';
  try {
    const certificate = decode(secret.data?.['tls.crt']);
    const key = decode(secret.data?.['tls.key']);
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key does not belong to the certificate');
    return { certificate, key, version: secret.metadata.resourceVersion ?? '' };
  } catch (cause) {
    throw new Error(`Secret ${name} holds no usable key pair in tls.crt and tls.key`, { cause });
  }
}

/**
 * What a TLS listener serves, kept in step with the Secret, the client CA and the KubeVirt object. What cannot be used leaves the last good one in place,
 * each for itself; before the first Secret the fallback is served (spec/startup.md §4.5 and §5).
 */
export class ServingCertificate {
  #pair: KeyPair;
  #expiresAt: Date;
  #settings: TlsSettings = decideTlsSettings(undefined);
  #clientCa: string | undefined;
  #applied = '';
  /** What was last refused or warned about, by subject, so that each is said once. */
  readonly #said = new Map<string, string>();
  readonly #log: Log;

  constructor(fallback: KeyPair, log: Log) {
    this.#pair = fallback;
    this.#expiresAt = readExpiry(fallback);
    this.#log = log;
  }

  /** The certificate in use, PEM. */
  get certificate(): string {
    return this.#pair.certificate;
  }

  /** When the certificate in use ends. */
  get expiresAt(): Date {
    return this.#expiresAt;
  }

  /** Reads the inputs; true when the secure context is another one than before. */
  refresh(inputs: ServingInputs): boolean {
    this.#readPair(inputs.secret);
    this.#readClientCa(inputs.clientCa);
    this.#settings = decideTlsSettings(inputs.kubeVirt?.spec.configuration?.tlsConfiguration);
    const dropped = this.#settings.dropped.join(', ');
    this.#once('ciphers', dropped, () => {
      this.#log.warn({ ciphers: dropped }, 'cipher suites left out: OpenSSL lacks them or they cannot be chosen');
    });
    const state = JSON.stringify([this.#pair.version, this.#settings, this.#clientCa]);
    const isChanged = state !== this.#applied;
    this.#applied = state;
    return isChanged;
  }

  /** What new connections are served with. */
  secureContext(): SecureContextOptions {
    const { minVersion, ciphers } = this.#settings;
    return {
      cert: this.#pair.certificate,
      key: this.#pair.key,
      minVersion,
      ...(ciphers === undefined ? {} : { ciphers }),
      // Without a list Node would trust every public authority.
      ca: this.#clientCa ?? [],
    };
  }

  #readPair(secret: KubernetesObject | undefined): void {
    const version = secret?.metadata.resourceVersion;
    if (secret === undefined || version === this.#pair.version || version === this.#said.get('pair')) return;
    try {
      this.#pair = parseKeyPair(secret);
      this.#expiresAt = readExpiry(this.#pair);
      this.#log.info({ name: secret.metadata.name, expiresAt: this.#expiresAt }, 'serving certificate loaded');
    } catch (error) {
      this.#said.set('pair', version ?? '');
      this.#log.error({ reason: errorText(error) }, 'serving certificate kept: the new one cannot be used');
    }
  }

  #readClientCa(pem: string | undefined): void {
    if (pem === undefined || pem === this.#clientCa || pem === this.#said.get('client CA')) return;
    try {
      checkBundle(pem);
      this.#clientCa = pem;
    } catch (error) {
      this.#once('client CA', pem, () => {
        this.#log.error({ reason: errorText(error) }, 'authority of clients kept: the new one cannot be used');
      });
    }
  }

  #once(subject: string, text: string, say: () => void): void {
    if (text !== '' && text !== this.#said.get(subject)) say();
    this.#said.set(subject, text);
  }
}

function readExpiry({ certificate }: KeyPair): Date {
  return new X509Certificate(certificate).validToDate;
}

/** Throws when a PEM bundle holds no certificate, or one that cannot be read: OpenSSL would pass over it in silence and trust nobody. */
function checkBundle(pem: string): void {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  if (certificates === null) throw new Error('no certificate in it');
  for (const certificate of certificates) new X509Certificate(certificate);
}
