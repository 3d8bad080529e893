import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CallMetrics, type FinishedCall } from './call-metrics.ts';
import { OwnMetrics, type ProcessIdentity } from './own-metrics.ts';
import { QueueMetrics } from './queue-metrics.ts';

/**
 * The metrics of this process. Upstream's (spec/observability.md §2–5) stand under their names and stay per process, so that upstream's rules hold (design
 * decision 12); vectors appear with their first label combination. Ours stand beside them.
 */
export class OperatorMetrics {
  readonly registry = new Registry();
  readonly own: OwnMetrics;
  readonly queue = new QueueMetrics(this.registry);
  readonly #calls = new CallMetrics(this.registry);
  readonly #leading = this.#gauge('kubevirt_virt_operator_leading_status', '1 on the replica that leads and works.');
  #emulation: Gauge | undefined;
  #isReady = false;
  #isServing: () => boolean = () => true;

  constructor(identity: ProcessIdentity) {
    this.own = new OwnMetrics(identity);
    collectDefaultMetrics({ register: this.registry });
    const isReady = () => this.#isReady && this.#isServing();
    new Gauge({
      name: 'kubevirt_virt_operator_ready_status',
      help: '1 on a replica that can do its part.',
      registers: [this.registry],
      collect() {
        this.set(isReady() ? 1 : 0);
      },
    });
  }

  /** Leadership of this process gained or lost. */
  setLeading(leading: boolean): void {
    this.#leading.set(leading ? 1 : 0);
  }

  /** This process could do its part: its caches are there. */
  setReady(ready: boolean): void {
    this.#isReady = ready;
  }

  /** Says whether readiness holds, asked at each scrape. Upstream's gauge never returns to zero (spec/observability.md §10); ours follows the probe. */
  followReadiness(isServing: () => boolean): void {
    this.#isServing = isServing;
  }

  /**
   * Follows `developerConfiguration.useEmulation`. Upstream's leader alone exposes it, so that its absence reads as "off" while nobody leads and an alert
   * fires wrongly (spec/observability.md §10); here every process does that knows a KubeVirt object. The alert's rule asks whether the sum is zero.
   */
  setEmulationEnabled(enabled: boolean): void {
    this.#emulation ??= this.#gauge(
      'kubevirt_configuration_emulation_enabled',
      '1 when the KubeVirt object enables software emulation.',
    );
    this.#emulation.set(enabled ? 1 : 0);
  }

  /** Records one call to the API server. */
  observeCall(call: FinishedCall): void {
    this.#calls.observe(call);
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }
}
