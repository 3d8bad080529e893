import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const BUCKETS = Array.from({ length: 10 }, (_, i) => 1e-8 * 10 ** i);
/** Upstream's name of its only queue. */
const QUEUE = { name: 'virt-operator' };

/** Metrics of the queue as this process sees it, under upstream's names (spec/observability.md §4). */
export class QueueMetrics {
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waited: Histogram;
  readonly #worked: Histogram;
  #runningSince: number | undefined;

  constructor(registry: Registry) {
    const common = { labelNames: ['name'], registers: [registry] };
    const named = (suffix: string, help: string) => ({ name: `kubevirt_workqueue_${suffix}`, help, ...common });
    this.#depth = new Gauge(named('depth', 'Keys that wait.'));
    this.#adds = new Counter(named('adds_total', 'Keys added.'));
    this.#retries = new Counter(named('retries_total', 'Keys added again after a failure or by a timer.'));
    this.#waited = new Histogram({
      ...named('queue_duration_seconds', 'Time a key waited for its pass.'),
      buckets: BUCKETS,
    });
    this.#worked = new Histogram({ ...named('work_duration_seconds', 'Duration of a pass.'), buckets: BUCKETS });
    this.#ageGauge(named('unfinished_work_seconds', 'Time of running passes that no histogram holds yet.'));
    this.#ageGauge(named('longest_running_processor_seconds', 'Age of the longest running pass.'));
  }

  /** A key was added to the queue; `again` when it was a retry or a timer. */
  added(again: boolean): void {
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
    if (this.#runningSince !== undefined) this.#worked.observe(QUEUE, this.#age());
    this.#runningSince = undefined;
  }

  #age(): number {
    return this.#runningSince === undefined ? 0 : (Date.now() - this.#runningSince) / 1000;
  }

  #ageGauge(options: { name: string; help: string; labelNames: string[]; registers: Registry[] }): void {
    const age = () => this.#age();
    new Gauge({
      ...options,
      collect() {
        this.set(QUEUE, age());
      },
    });
  }
}
