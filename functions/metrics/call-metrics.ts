import { Counter, Histogram, type Registry } from 'prom-client';

/** One finished call to the API server, as the transport reports it. */
export interface FinishedCall {
  method: string;
  path: string;
  /** Names of the query's parameters. */
  parameters: readonly string[];
  /** host:port */
  host: string;
  /** HTTP status, or `<error>` when there was no answer. */
  code: string;
  /** Plural resource and upstream's verb; `none` both for calls that are about no resource. */
  resource: string;
  verb: string;
  seconds: number;
  /** Seconds that the call waited for the client's rate limit. */
  waitedSeconds: number;
}

const LATENCY_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const LIMITER_BUCKETS = Array.from({ length: 10 }, (_, i) => 0.001 * 2 ** i);

/** Prefix of a resource's path, the namespace in it, the resource, the name, and what follows it. */
const OBJECT_PATH =
  /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+)(\/.*)?)?$/;

/**
 * The URL with everything replaced that would make a series of its own, percent-encoded as upstream's client prints it (spec/observability.md §3): objects
 * are called `{name}`, namespaces `{namespace}`, values of parameters `{value}`.
 */
export function templateUrl({ host, path, parameters }: Pick<FinishedCall, 'host' | 'path' | 'parameters'>): string {
  const [, prefix = path, namespace, resource, name, rest = ''] = OBJECT_PATH.exec(path) ?? [];
  const scope = namespace === undefined ? '' : '/namespaces/%7Bnamespace%7D';
  const leaf = resource === undefined ? '' : `/${resource}${name === undefined ? '' : '/%7Bname%7D'}${rest}`;
  const query = [...parameters].sort().map((parameter) => `${parameter}=%7Bvalue%7D`);
  return `https://${host}${prefix}${scope}${leaf}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Metrics of calls to the API server (spec/observability.md §3). */
export class CallMetrics {
  readonly #total: Counter;
  readonly #latency: Histogram;
  readonly #limiter: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = ['verb', 'url'];
    this.#total = new Counter({
      name: 'kubevirt_rest_client_requests_total',
      help: 'Calls to the API server by result.',
      labelNames: ['code', 'method', 'host', 'resource', 'verb'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'kubevirt_rest_client_request_latency_seconds',
      help: 'Duration of calls to the API server.',
      labelNames,
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#limiter = new Histogram({
      name: 'kubevirt_rest_client_rate_limiter_duration_seconds',
      help: 'Time that calls waited for the client rate limit.',
      labelNames,
      buckets: LIMITER_BUCKETS,
      registers,
    });
  }

  /** Records one finished call. */
  observe(call: FinishedCall): void {
    const { code, method, host, resource, verb } = call;
    this.#total.inc({ code, method, host, resource, verb });
    const labels = { verb: method, url: templateUrl(call) };
    this.#latency.observe(labels, call.seconds);
    if (call.waitedSeconds > 0) this.#limiter.observe(labels, call.waitedSeconds);
  }
}
