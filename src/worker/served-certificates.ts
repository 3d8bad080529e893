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
/** A pod that does not answer is asked so often in all: it may be about to start, or a policy of the network may keep us out for ever. */
const MAX_ASKED = 5;

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
  /** Pods that are asked again; absent before everybody has been asked for this certificate. */
  again: ReadonlySet<string> | undefined;
  /** How often pods have been asked for this certificate. */
  asked: number;
}

/** What a round of handshakes has shown. */
interface Round {
  outdated: OutdatedCertificate[];
  /** Pods that did not answer. */
  silent: string[];
}

/**
 * Finds operands that go on serving a certificate that was replaced (spec/field-reports.md B39): some time after the certificate in a Secret has changed, each
 * pod that serves it is asked for its certificate by a TLS handshake, and again as long as it is an old one, also when it does not answer meanwhile. Nothing is asked while no certificate changes,
 * and nothing of the API server ever.
 */
export class ServedCertificates {
  readonly #options: ServedCertificatesOptions;
  readonly #times: { limitMs: number; againMs: number };
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  /** The tenure of now; a round of the one before may still be going on. */
  #watch: Watch | undefined;
  #isAsking = false;

  constructor(options: ServedCertificatesOptions) {
    this.#options = options;
    this.#times = options.times ?? { limitMs: LIMIT_MS, againMs: AGAIN_MS };
  }

  /** Keeps a look-out until the signal aborts; to be called when this process begins to lead. */
  watch(watch: Watch): void {
    const { signal } = watch;
    this.#watch = watch;
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
        const dueAt = performance.now() + this.#times.limitMs;
        this.#known.set(name, { certificate, dueAt, outdated, isAsked, again: undefined, asked: 0 });
      }
    }
    if (isNews) this.#arm(watch);
  }

  #arm(watch: Watch): void {
    clearTimeout(this.#timer);
    // A round arms it when it ends.
    if (this.#isAsking) return;
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
    const before = JSON.stringify(this.outdated());
    this.#isAsking = true;
    try {
      for (const [secret, known] of this.#known) await this.#askWhenDue(secret, known, watch.signal);
    } finally {
      this.#isAsking = false;
      this.#arm(this.#watch ?? watch);
    }
    if (!watch.signal.aborted && JSON.stringify(this.outdated()) !== before) watch.onChange();
  }

  async #askWhenDue(secret: string, known: Known, signal: AbortSignal): Promise<void> {
    if (signal.aborted || known.dueAt === undefined || known.dueAt > performance.now()) return;
    const { outdated, silent } = await this.#findOutdated(secret, known, signal);
    // Changed or over meanwhile: what was found is about a certificate that is no longer wanted.
    if (this.#known.get(secret) !== known) return;
    const asked = known.asked + 1;
    const again = new Set([...outdated.map(({ pod }) => pod), ...(asked < MAX_ASKED ? silent : [])]);
    const dueAt = again.size > 0 ? performance.now() + this.#times.againMs : undefined;
    this.#known.set(secret, { ...known, outdated, dueAt, isAsked: true, again, asked });
  }

  async #findOutdated(secret: string, known: Known, signal: AbortSignal): Promise<Round> {
    const { store, operatorNamespace, read } = this.#options;
    const stored = parse(known.certificate);
    const round: Round = { outdated: [], silent: [] };
    if (stored === undefined) return round;
    const waiting = listServingEndpoints(store, secret, operatorNamespace).filter(
      ({ pod }) => known.again === undefined || known.again.has(pod),
    );
    const lane = async () => {
      for (let endpoint = waiting.pop(); endpoint !== undefined && !signal.aborted; endpoint = waiting.pop()) {
        const { namespace, pod } = endpoint;
        const served = await read(endpoint, signal);
        if (served === undefined) round.silent.push(pod);
        const isOld = served === undefined ? isKnownAsOld(known, pod) : isOutdated(served, stored);
        if (isOld) round.outdated.push({ secret, namespace, pod });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, lane));
    round.outdated.sort((a, b) => a.pod.localeCompare(b.pod));
    return round;
  }
}

/** Whether a pod was found with an old certificate before, since which it has not shown a new one. */
function isKnownAsOld({ outdated }: Known, name: string): boolean {
  return outdated.some(({ pod }) => pod === name);
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
