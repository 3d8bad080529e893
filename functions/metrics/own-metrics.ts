import { X509Certificate } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, Histogram, Registry } from 'prom-client';
import type { KubernetesObject } from '../../src/api/objects.ts';

/** What every process is told about itself. */
export interface ProcessIdentity {
  role: string;
  version: string;
}

/** One finished pass, as far as metrics go. */
export interface FinishedPass {
  outcome: string;
  durationMs: number;
  /** Writes to the API server. */
  writes: number;
}

const PASS_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const WRITE_BUCKETS = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500];
const CACHE_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
const ADMISSION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10];
/** How often the event loop is measured; what a sample takes beyond that is lag. */
const LOOP_RESOLUTION_MS = 20;
const LOOP_QUANTILES = [0.5, 0.99, 1];

const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3);

/**
 * Our own metrics about one process, each with the prefix `virt_operator_` (design decision 12): what upstream does not tell about passes, caches,
 * certificates and admission (spec/observability.md §10).
 */
export class OwnMetrics {
  readonly registry = new Registry();
  readonly #passes: Histogram;
  readonly #writes: Histogram;
  readonly #caches: Histogram;
  readonly #admission: Histogram;
  readonly #policy: Gauge;
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #readCertificates: () => readonly KubernetesObject[] = () => [];
  #readOutdated: () => readonly { namespace: string; name: string; count: number }[] = () => [];

  constructor({ role, version }: ProcessIdentity) {
    const registers = [this.registry];
    this.#passes = new Histogram({
      name: 'virt_operator_pass_duration_seconds',
      help: 'Duration of the passes of this process by outcome.',
      labelNames: ['outcome'],
      buckets: PASS_BUCKETS,
      registers,
    });
    this.#writes = new Histogram({
      name: 'virt_operator_pass_writes',
      help: 'Writes to the API server per pass of this process.',
      buckets: WRITE_BUCKETS,
      registers,
    });
    this.#caches = new Histogram({
      name: 'virt_operator_cache_lag_seconds',
      help: 'How long passes waited until the caches had seen what others had reported.',
      buckets: CACHE_BUCKETS,
      registers,
    });
    this.#admission = new Histogram({
      name: 'virt_operator_admission_duration_seconds',
      help: 'Duration of admission decisions of this process by function and verdict.',
      labelNames: ['function', 'verdict'],
      buckets: ADMISSION_BUCKETS,
      registers,
    });
    new Gauge({
      name: 'virt_operator_info',
      help: '1, with the role and version of this process.',
      labelNames: ['role', 'version'],
      registers,
    }).set({ role, version }, 1);
    this.#policy = new Gauge({
      name: 'virt_operator_redis_eviction_policy',
      help: '1, with the maxmemory-policy of Redis as this process has last seen it; queues need noeviction.',
      labelNames: ['policy'],
      registers,
    });
    this.#addLoopGauge();
    this.#addCertificateGauge();
    this.#addOutdatedGauge();
    this.#loop.enable();
  }

  /** A pass of this process has ended. */
  observePass({ outcome, durationMs, writes }: FinishedPass): void {
    this.#passes.observe({ outcome }, durationMs / 1000);
    this.#writes.observe(writes);
  }

  /** Redis has this maxmemory-policy. */
  setEvictionPolicy(policy: string): void {
    this.#policy.reset();
    this.#policy.set({ policy }, 1);
  }

  /** The caches were as far as a pass needs them after so many seconds. */
  observeCacheLag(seconds: number): void {
    this.#caches.observe(seconds);
  }

  /** An admission function has decided. */
  observeAdmission(labels: { function: string; verdict: string }, seconds: number): void {
    this.#admission.observe(labels, seconds);
  }

  /** Says from which Secrets the ends of certificates are read, at each scrape. */
  followCertificates(readCertificates: () => readonly KubernetesObject[]): void {
    this.#readCertificates = readCertificates;
  }

  /** Says how many pods serve an old certificate, by Secret of this namespace, asked at each scrape (spec/field-reports.md B39). */
  followOutdatedCertificates(namespace: string, readCounts: () => ReadonlyMap<string, number>): void {
    this.#readOutdated = () => [...readCounts()].map(([name, count]) => ({ namespace, name, count }));
  }

  /** Stops measuring the event loop. */
  close(): void {
    this.#loop.disable();
  }

  #addLoopGauge(): void {
    const loop = this.#loop;
    new Gauge({
      name: 'virt_operator_event_loop_lag_seconds',
      help: 'Lag of the event loop since the last scrape; quantile 1 is the longest.',
      labelNames: ['quantile'],
      registers: [this.registry],
      collect() {
        for (const quantile of LOOP_QUANTILES)
          this.set({ quantile }, toSeconds(quantile === 1 ? loop.max : loop.percentile(quantile * 100)));
        loop.reset();
      },
    });
  }

  #addOutdatedGauge(): void {
    const read = () => this.#readOutdated();
    new Gauge({
      name: 'virt_operator_outdated_certificate_pods',
      help: 'Pods that go on serving a certificate that was replaced in its Secret; told by the process that leads.',
      labelNames: ['namespace', 'name'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { namespace, name, count } of read()) this.set({ namespace, name }, count);
      },
    });
  }

  #addCertificateGauge(): void {
    const read = () => this.#readCertificates();
    const ends = new WeakMap<KubernetesObject, number | undefined>();
    new Gauge({
      name: 'virt_operator_certificate_expiry_timestamp_seconds',
      help: 'When the certificate in a Secret ends, in seconds since the epoch.',
      labelNames: ['namespace', 'name'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const secret of read()) {
          // Objects of the caches never change, so that each certificate is parsed once.
          if (!ends.has(secret)) ends.set(secret, readEnd(secret));
          const end = ends.get(secret);
          const { namespace = '', name = '' } = secret.metadata;
          if (end !== undefined) this.set({ namespace, name }, end);
        }
      },
    });
  }
}

/** Seconds since the epoch; undefined for a Secret without a certificate, or with one that cannot be read. */
function readEnd(secret: KubernetesObject): number | undefined {
  const encoded = secret.data?.['tls.crt'];
  if (encoded === undefined || encoded === '') return undefined;
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64')).validToDate.getTime() / 1000;
  } catch {
    // Whoever serves the certificate says so; here its absence does.
    return undefined;
  }
}
