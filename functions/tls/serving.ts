import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Server } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { errorText } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { KeyPair } from './fallback-certificate.ts';
import { decideTlsSettings } from './settings.ts';

/** What decides about the TLS of a listener; read again at each change. */
export interface ServingInputs {
  /** The Secret `kubevirt-operator-certs`, once it exists. */
  secret: KubernetesObject | undefined;
  /** The KubeVirt object whose TLS settings apply. */
  kubeVirt: KubeVirt | undefined;
  /** PEM bundle that client certificates are verified against; absent: none is accepted. */
  clientCa?: string | undefined;
}

const decode = (value: string | undefined) => Buffer.from(value ?? '', 'base64').toString('utf8');

/**
 * Reads the key pair of a Secret of type kubernetes.io/tls.
 * @throws Error naming the Secret when a part is missing or the two do not belong together
 */
export function parseKeyPair(secret: KubernetesObject): KeyPair {
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
 * Keeps a TLS listener in step with the Secret and the KubeVirt object: new connections get the new settings, running ones are not touched and the
 * listener is never closed. A Secret that cannot be used leaves the last good pair in place; before the first one the fallback is served.
 */
export class ServingCertificate {
  #pair: KeyPair;
  #applied = '';
  #rejected = '';
  #warned = '';
  readonly #log: Log;

  constructor(fallback: KeyPair, log: Log) {
    this.#pair = fallback;
    this.#log = log;
  }

  /** The certificate in use, PEM. */
  get certificate(): string {
    return this.#pair.certificate;
  }

  /** Recomputes the settings; returns them when they changed, else undefined. */
  refresh(inputs: ServingInputs): SecureContextOptions | undefined {
    this.#readPair(inputs.secret);
    const settings = decideTlsSettings(inputs.kubeVirt?.spec.configuration?.tlsConfiguration);
    this.#warn(settings.dropped.join(', '));
    const state = JSON.stringify([this.#pair.version, settings, inputs.clientCa]);
    if (state === this.#applied) return undefined;
    this.#applied = state;
    return {
      cert: this.#pair.certificate,
      key: this.#pair.key,
      minVersion: settings.minVersion,
      ...(settings.ciphers === undefined ? {} : { ciphers: settings.ciphers }),
      ...(inputs.clientCa === undefined ? {} : { ca: inputs.clientCa }),
    };
  }

  /** Applies the settings to a listener when they changed. */
  applyTo(server: Server, inputs: ServingInputs): void {
    const context = this.refresh(inputs);
    if (context !== undefined) server.setSecureContext(context);
  }

  #readPair(secret: KubernetesObject | undefined): void {
    const version = secret?.metadata.resourceVersion;
    if (secret === undefined || version === this.#pair.version || version === this.#rejected) return;
    try {
      this.#pair = parseKeyPair(secret);
      this.#log.info({ name: secret.metadata.name }, 'serving certificate loaded');
    } catch (error) {
      this.#rejected = version ?? '';
      this.#log.error({ reason: errorText(error) }, 'serving certificate kept: the new one cannot be used');
    }
  }

  #warn(dropped: string): void {
    if (dropped !== '' && dropped !== this.#warned)
      this.#log.warn({ ciphers: dropped }, 'cipher suites left out: OpenSSL lacks them or they cannot be chosen');
    this.#warned = dropped;
  }
}
