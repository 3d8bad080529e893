import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

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
const QUEUE_BUCKETS = Array.from({ length: 10 }, (_, i) => 1e-8 * 10 ** i);
const QUEUE = { name: 'virt-operator' };

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

/**
 * Upstream's metrics of this process (spec/observability.md §2–5), each under its name. Vectors appear with their first label combination, the leader's
 * gauge only while this process leads.
 */
export class OperatorMetrics {
  readonly registry = new Registry();
  readonly #leading = this.#gauge('kubevirt_virt_operator_leading_status', '1 on the replica that leads and works.');
  readonly #ready = this.#gauge('kubevirt_virt_operator_ready_status', '1 on a replica that can take the lead.');
  readonly #calls: Counter;
  readonly #latency: Histogram;
  readonly #limiter: Histogram;
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waited: Histogram;
  readonly #worked: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  #runningSince: number | undefined;
  #emulation: Gauge | undefined;
  #emulationEnabled = false;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const rest = ['verb', 'url'];
    this.#calls = new Counter({
      name: 'kubevirt_rest_client_requests_total',
      help: 'Calls to the API server by result.',
      labelNames: ['code', 'method', 'host', 'resource', 'verb'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'kubevirt_rest_client_request_latency_seconds',
      help: 'Duration of calls to the API server.',
      labelNames: rest,
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#limiter = new Histogram({
      name: 'kubevirt_rest_client_rate_limiter_duration_seconds',
      help: 'Time that calls waited for the client rate limit.',
      labelNames: rest,
      buckets: LIMITER_BUCKETS,
      registers,
    });
    const queue = { labelNames: ['name'], registers };
    this.#depth = new Gauge({ name: 'kubevirt_workqueue_depth', help: 'Keys that wait.', ...queue });
    this.#adds = new Counter({ name: 'kubevirt_workqueue_adds_total', help: 'Keys added.', ...queue });
    this.#retries = new Counter({
      name: 'kubevirt_workqueue_retries_total',
      help: 'Keys added again after a failure or by a timer.',
      ...queue,
    });
    this.#waited = new Histogram({
      name: 'kubevirt_workqueue_queue_duration_seconds',
      help: 'Time a key waited for its pass.',
      buckets: QUEUE_BUCKETS,
      ...queue,
    });
    this.#worked = new Histogram({
      name: 'kubevirt_workqueue_work_duration_seconds',
      help: 'Duration of a pass.',
      buckets: QUEUE_BUCKETS,
      ...queue,
    });
    const age = () => (this.#runningSince === undefined ? 0 : (Date.now() - this.#runningSince) / 1000);
    this.#unfinished = new Gauge({
      name: 'kubevirt_workqueue_unfinished_work_seconds',
      help: 'Time of running passes that no histogram holds yet.',
      ...queue,
      collect: () => {
        this.#unfinished.set(QUEUE, age());
      },
    });
    this.#longest = new Gauge({
      name: 'kubevirt_workqueue_longest_running_processor_seconds',
      help: 'Age of the longest running pass.',
      ...queue,
      collect: () => {
        this.#longest.set(QUEUE, age());
      },
    });
  }

  /** Leadership of this process gained or lost. */
  setLeading(leading: boolean): void {
    this.#leading.set(leading ? 1 : 0);
    if (leading && this.#emulation === undefined) {
      this.#emulation = this.#gauge(
        'kubevirt_configuration_emulation_enabled',
        '1 when the KubeVirt object enables software emulation.',
      );
      this.setEmulationEnabled(this.#emulationEnabled);
    } else if (!leading && this.#emulation !== undefined) {
      this.registry.removeSingleMetric('kubevirt_configuration_emulation_enabled');
      this.#emulation = undefined;
    }
  }

  /** This process could lead: its caches are there. */
  setReady(ready: boolean): void {
    this.#ready.set(ready ? 1 : 0);
  }

  /** Follows `developerConfiguration.useEmulation`; exposed only while leading. */
  setEmulationEnabled(enabled: boolean): void {
    this.#emulationEnabled = enabled;
    this.#emulation?.set(enabled ? 1 : 0);
  }

  /** Records one call to the API server. */
  observeCall(call: FinishedCall): void {
    const url = new URL(call.url, 'https://server');
    const { resource, namespace, name } = parseApiPath(url.pathname);
    const verb = decideVerb(call.method, url, name !== undefined);
    this.#calls.inc({
      code: call.code,
      method: call.method,
      host: call.host,
      resource,
      verb: resource === 'none' ? 'none' : verb,
    });
    const labels = { verb: call.method, url: templateUrl(url, namespace, name) };
    this.#latency.observe(labels, call.seconds);
    if (call.waitedSeconds > 0) this.#limiter.observe(labels, call.waitedSeconds);
  }

  /** A key was added to the queue; `again` when it was a retry or a timer. */
  observeAdd(again: boolean): void {
    this.#adds.inc(QUEUE);
    if (again) this.#retries.inc(QUEUE);
  }

  /** Number of keys that wait. */
  setDepth(depth: number): void {
    this.#depth.set(QUEUE, depth);
  }

  /** A pass begins `waitedSeconds` after its key was added. */
  passStarted(waitedSeconds: number): void {
    this.#runningSince = Date.now();
    this.#waited.observe(QUEUE, waitedSeconds);
  }

  /** The running pass has ended. */
  passEnded(): void {
    if (this.#runningSince === undefined) return;
    this.#worked.observe(QUEUE, (Date.now() - this.#runningSince) / 1000);
    this.#runningSince = undefined;
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }
}
