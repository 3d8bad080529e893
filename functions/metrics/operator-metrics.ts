import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CallMetrics, type FinishedCall } from './call-metrics.ts';
import { QueueMetrics } from './queue-metrics.ts';

const EMULATION = 'kubevirt_configuration_emulation_enabled';

/**
 * Upstream's metrics of this process (spec/observability.md §2–5), each under its name. Vectors appear with their first label combination, the leader's
 * gauge only while this process leads.
 */
export class OperatorMetrics {
  readonly registry = new Registry();
  readonly queue = new QueueMetrics(this.registry);
  readonly #calls = new CallMetrics(this.registry);
  readonly #leading = this.#gauge('kubevirt_virt_operator_leading_status', '1 on the replica that leads and works.');
  readonly #ready = this.#gauge('kubevirt_virt_operator_ready_status', '1 on a replica that can take the lead.');
  #emulation: Gauge | undefined;
  #isEmulationEnabled = false;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Leadership of this process gained or lost. */
  setLeading(leading: boolean): void {
    this.#leading.set(leading ? 1 : 0);
    if (leading && this.#emulation === undefined) {
      this.#emulation = this.#gauge(EMULATION, '1 when the KubeVirt object enables software emulation.');
      this.setEmulationEnabled(this.#isEmulationEnabled);
    } else if (!leading && this.#emulation !== undefined) {
      this.registry.removeSingleMetric(EMULATION);
      this.#emulation = undefined;
    }
  }

  /** This process could lead: its caches are there. */
  setReady(ready: boolean): void {
    this.#ready.set(ready ? 1 : 0);
  }

  /** Follows `developerConfiguration.useEmulation`; exposed only while leading. */
  setEmulationEnabled(enabled: boolean): void {
    this.#isEmulationEnabled = enabled;
    this.#emulation?.set(enabled ? 1 : 0);
  }

  /** Records one call to the API server. */
  observeCall(call: FinishedCall): void {
    this.#calls.observe(call);
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }
}
