import { Counter, Histogram, type Registry } from 'prom-client';

/** One finished call to the API server, as the transport reports it. */
export interface FinishedCall {
  method: string;
  /** Path and query of the URL. */
  url: string;
  /** host:port */
  host: string;
  /** HTTP status, or `<error>` when there was no answer. */
  code: string;
  seconds: number;
  /** Seconds that the call waited for the client's rate limit. */
  waitedSeconds: number;
}

const LATENCY_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const LIMITER_BUCKETS = Array.from({ length: 10 }, (_, i) => 0.001 * 2 ** i);

/** Splits an API path into the parts that metrics and labels need (spec/observability.md §3). */
export function parseApiPath(path: string): { resource: string; namespace?: string; name?: string } {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'watch');
  const rest = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : [];
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = 'none', name] = namespaced ? rest.slice(2) : rest;
  return {
    resource,
    ...(namespaced && rest[1] !== undefined ? { namespace: rest[1] } : {}),
    ...(name === undefined ? {} : { name }),
  };
}

/** upstream's verb of a call: WATCH, LIST, GET, CREATE, UPDATE, PATCH or DELETE (spec/observability.md §3). */
export function decideVerb(method: string, url: URL, named: boolean): string {
  if (method === 'POST') return 'CREATE';
  if (method === 'PUT') return 'UPDATE';
  if (method !== 'GET') return method;
  if (url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1') return 'WATCH';
  return named ? 'GET' : 'LIST';
}

/** The URL with everything replaced that would make a series of its own. */
function templateUrl(url: URL, namespace: string | undefined, name: string | undefined): string {
  const path = url.pathname
    .split('/')
    .map((part, index, parts) =>
      namespace !== undefined && part === namespace && parts[index - 1] === 'namespaces' ? '{namespace}' : part,
    )
    .map((part) => (name !== undefined && part === name ? '{name}' : part))
    .join('/');
  const query = [...url.searchParams.keys()].map((key) => `${key}=%7Bvalue%7D`).join('&');
  return query === '' ? path : `${path}?${query}`;
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
    const url = new URL(call.url, 'https://server');
    const { resource, namespace, name } = parseApiPath(url.pathname);
    const verb = resource === 'none' ? 'none' : decideVerb(call.method, url, name !== undefined);
    this.#total.inc({ code: call.code, method: call.method, host: call.host, resource, verb });
    const labels = { verb: call.method, url: templateUrl(url, namespace, name) };
    this.#latency.observe(labels, call.seconds);
    if (call.waitedSeconds > 0) this.#limiter.observe(labels, call.waitedSeconds);
  }
}
