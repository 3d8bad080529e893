import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { readInTime } from './in-time.ts';

const BUCKETS = Array.from({ length: 10 }, (_, i) => 1e-8 * 10 ** i);
/** Upstream's name of its only queue. */
const QUEUE = { name: 'virt-operator' };

interface GaugeOptions {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
}

/** Metrics of the queue as this process sees it, under upstream's names (spec/observability.md §4). */
export class QueueMetrics {
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waited: Histogram;
  readonly #worked: Histogram;
  #runningSince: number | undefined;
  #readDepth: (() => Promise<number | undefined>) | undefined;

  constructor(registry: Registry) {
    const common = { labelNames: ['name'], registers: [registry] };
    const named = (suffix: string, help: string) => ({ name: `kubevirt_workqueue_${suffix}`, help, ...common });
    this.#depthGauge(named('depth', 'Keys that wait.'));
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

  /**
   * Says how many keys wait, asked at each scrape; absent when nobody knows. To be given by the process that works on the queue and taken back when it does
   * so no more: the queue is one, and sums over processes must not count it twice.
   */
  followDepth(readDepth: (() => Promise<number | undefined>) | undefined): void {
    this.#readDepth = readDepth;
  }

  /** A pass begins `waitedSeconds` after its key was added. */
  passStarted(waitedSeconds: number): void {
    this.#runningSince = performance.now();
    this.#waited.observe(QUEUE, waitedSeconds);
  }

  /** The running pass has ended. */
  passEnded(): void {
    if (this.#runningSince !== undefined) this.#worked.observe(QUEUE, this.#age());
    this.#runningSince = undefined;
  }

  #age(): number {
    return this.#runningSince === undefined ? 0 : (performance.now() - this.#runningSince) / 1000;
  }

  #depthGauge(options: GaugeOptions): void {
    const read = () => (this.#readDepth === undefined ? Promise.resolve(0) : readInTime(this.#readDepth));
    new Gauge({
      ...options,
      async collect() {
        const depth = await read();
        if (depth === undefined) this.remove(QUEUE);
        else this.set(QUEUE, depth);
      },
    });
  }

  #ageGauge(options: GaugeOptions): void {
    const age = () => this.#age();
    new Gauge({
      ...options,
      collect() {
        this.set(QUEUE, age());
      },
    });
  }
}
