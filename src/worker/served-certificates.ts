import { X509Certificate } from 'node:crypto';
import type { KubernetesObject } from '../api/objects.ts';
import type { ObjectStore } from '../api/store.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import { isOutdated, listServingEndpoints, SERVED_SECRETS, type ServingEndpoint } from '../plan/served-certificates.ts';

/** An operand that serves another certificate than its Secret holds. */
export type OutdatedCertificate = Pick<ServingEndpoint, 'secret' | 'namespace' | 'pod'>;

/** What the look-out needs. */
export interface ServedCertificatesOptions {
  store: Pick<ObjectStore, 'get' | 'list' | 'onChange'>;
  operatorNamespace: string;
  /** The certificate that a port serves; undefined when there is none to be had. */
  read: (endpoint: ServingEndpoint, signal: AbortSignal) => Promise<X509Certificate | undefined>;
  log: Log;
  /** Default: the propagation limit, and once a minute. */
  times?: { limitMs: number; againMs: number } | undefined;
}

/** By then a changed Secret is in every pod: a kubelet looks once a minute, and its own cache may be a minute old; operands read the files again at once. */
const LIMIT_MS = 120_000;
/** How soon an operand that serves an old certificate is asked again. */
const AGAIN_MS = 60_000;
/** Handshakes at the same time. */
const PARALLEL = 16;

/** One tenure of this process. */
interface Watch {
  /** Ends it. */
  signal: AbortSignal;
  /** Called when `outdated()` has changed. */
  onChange: () => void;
}

/** What is known of one Secret. */
interface Known {
  certificate: string;
  /** When its operands are to be asked, by the monotonic clock; absent when they serve what they should. */
  dueAt: number | undefined;
  outdated: readonly OutdatedCertificate[];
  isAsked: boolean;
}

/**
 * Finds operands that go on serving a certificate that was replaced (spec/field-reports.md B39): some time after the certificate in a Secret has changed, each
 * pod that serves it is asked for its certificate by a TLS handshake, and again as long as it is an old one. Nothing is asked while no certificate changes,
 * and nothing of the API server ever.
 */
export class ServedCertificates {
  readonly #options: ServedCertificatesOptions;
  readonly #times: { limitMs: number; againMs: number };
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ServedCertificatesOptions) {
    this.#options = options;
    this.#times = options.times ?? { limitMs: LIMIT_MS, againMs: AGAIN_MS };
  }

  /** Keeps a look-out until the signal aborts; to be called when this process begins to lead. */
  watch(watch: Watch): void {
    const { signal } = watch;
    this.#known.clear();
    this.#lookAtSecrets(watch);
    const stop = this.#options.store.onChange(() => {
      this.#lookAtSecrets(watch);
    });
    const end = () => {
      stop();
      clearTimeout(this.#timer);
      this.#known.clear();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }

  /** Operands with an old certificate; undefined as long as not everyone has been asked. */
  outdated(): readonly OutdatedCertificate[] | undefined {
    const known = [...this.#known.values()];
    if (known.length === 0 || known.some(({ isAsked }) => !isAsked)) return undefined;
    return known.flatMap(({ outdated }) => outdated);
  }

  /** Pods with an old certificate by Secret, of the Secrets whose operands have been asked. */
  counts(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#known].filter(([, { isAsked }]) => isAsked).map(([secret, { outdated }]) => [secret, outdated.length]),
    );
  }

  #lookAtSecrets(watch: Watch): void {
    const { store, operatorNamespace } = this.#options;
    let isNews = false;
    for (const name of SERVED_SECRETS) {
      const certificate = certificateOf(store.get('Secret', name, operatorNamespace));
      const known = this.#known.get(name);
      if (certificate === known?.certificate) continue;
      isNews = true;
      if (certificate === undefined) this.#known.delete(name);
      else {
        const { outdated = [], isAsked = false } = known ?? {};
        this.#known.set(name, { certificate, dueAt: performance.now() + this.#times.limitMs, outdated, isAsked });
      }
    }
    if (isNews) this.#arm(watch);
  }

  #arm(watch: Watch): void {
    clearTimeout(this.#timer);
    const times = [...this.#known.values()].flatMap(({ dueAt }) => dueAt ?? []);
    if (watch.signal.aborted || times.length === 0) return;
    const wait = Math.max(0, Math.min(...times) - performance.now());
    this.#timer = setTimeout(() => {
      this.#ask(watch).catch((error: unknown) => {
        this.#options.log.error({ reason: errorText(error) }, 'the certificates of operands could not be looked at');
      });
    }, wait).unref();
  }

  async #ask(watch: Watch): Promise<void> {
    const { signal, onChange } = watch;
    const before = JSON.stringify(this.outdated());
    const now = performance.now();
    for (const [secret, known] of this.#known) {
      if (known.dueAt === undefined || known.dueAt > now) continue;
      const outdated = await this.#findOutdated(secret, known.certificate, signal);
      if (signal.aborted) return;
      // Changed meanwhile: what was found is about a certificate that is no longer wanted.
      if (this.#known.get(secret) !== known) continue;
      const dueAt = outdated.length > 0 ? performance.now() + this.#times.againMs : undefined;
      this.#known.set(secret, { ...known, outdated, dueAt, isAsked: true });
    }
    this.#arm(watch);
    if (JSON.stringify(this.outdated()) !== before) onChange();
  }

  async #findOutdated(secret: string, certificate: string, signal: AbortSignal): Promise<OutdatedCertificate[]> {
    const { store, operatorNamespace, read } = this.#options;
    const stored = parse(certificate);
    if (stored === undefined) return [];
    const waiting = listServingEndpoints(store, secret, operatorNamespace);
    const found: OutdatedCertificate[] = [];
    const lane = async () => {
      for (let endpoint = waiting.pop(); endpoint !== undefined && !signal.aborted; endpoint = waiting.pop()) {
        const served = await read(endpoint, signal);
        if (served === undefined || !isOutdated(served, stored)) continue;
        found.push({ secret, namespace: endpoint.namespace, pod: endpoint.pod });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, lane));
    return found.sort((a, b) => a.pod.localeCompare(b.pod));
  }
}

const certificateOf = (secret: KubernetesObject | undefined): string | undefined =>
  secret?.data?.['tls.crt'] || undefined;

/** Undefined for what is no certificate: whoever serves it says so. */
function parse(encoded: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
