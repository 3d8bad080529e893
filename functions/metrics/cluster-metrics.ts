import { Gauge, Registry } from 'prom-client';
import { errorText } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { QueueCounts } from '../../src/queue/counts.ts';
import type { LeaderInfo } from '../../src/queue/lock.ts';
import type { PassRecord } from '../../src/queue/pass-log.ts';
import { readInTime } from './in-time.ts';

/** What Redis knows about the work of all processes together. */
export interface ClusterSnapshot {
  /** Jobs by queue and state. */
  queues: Readonly<Record<string, QueueCounts>>;
  /** Absent when nobody leads. */
  leader: LeaderInfo | undefined;
  /** Absent when there was none, or Redis has lost it. */
  lastPass: PassRecord | undefined;
}

/** A page of metrics in Prometheus' text format. */
export interface MetricsPage {
  metrics(): Promise<string>;
}

const PREFIX = 'virt_operator';

/**
 * Our own metrics that come through Redis: every replica shows the same (design decision 12). A Redis that cannot be used is a metric of its own, and the others
 * are absent meanwhile. `read` then resolves to undefined, or rejects.
 */
export class ClusterMetrics implements MetricsPage {
  readonly #registry = new Registry();
  readonly #read: () => Promise<ClusterSnapshot | undefined>;
  readonly #log: Log;
  readonly #redis = this.#gauge('redis_up', 'Whether Redis answers and takes writes.');
  readonly #jobs = this.#gauge('queue_jobs', 'Jobs in the queues.', ['queue', 'state']);
  readonly #held = this.#gauge('lock_held', 'Whether a process leads.');
  readonly #holder = this.#gauge('lock_holder', '1, with the name of the process that leads.', ['holder']);
  readonly #age = this.#gauge('lock_age_seconds', 'How long the leader has led.');
  readonly #passEnd = this.#gauge('last_pass_timestamp_seconds', 'When the last pass ended.', ['outcome']);
  readonly #passDuration = this.#gauge('last_pass_duration_seconds', 'How long the last pass took.');
  readonly #passWrites = this.#gauge('last_pass_writes', 'Writes to the API server of the last pass.');
  /** The page that is being made; who asks meanwhile gets the same one, since gauges are shared. */
  #making: Promise<string> | undefined;

  constructor(options: { read: () => Promise<ClusterSnapshot | undefined>; log: Log }) {
    this.#read = options.read;
    this.#log = options.log;
  }

  /** Reads Redis and returns the page. Never rejects because of Redis. */
  metrics(): Promise<string> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<string> {
    const snapshot = await this.#look();
    this.#registry.resetMetrics();
    this.#redis.set(snapshot === undefined ? 0 : 1);
    if (snapshot === undefined) return this.#registry.getSingleMetricAsString(`${PREFIX}_redis_up`).then(withNewline);
    this.#show(snapshot);
    return this.#registry.metrics();
  }

  async #look(): Promise<ClusterSnapshot | undefined> {
    try {
      return await readInTime(this.#read);
    } catch (error) {
      this.#log.debug({ reason: errorText(error) }, 'metrics without Redis');
      return undefined;
    }
  }

  #show({ queues, leader, lastPass }: ClusterSnapshot): void {
    for (const [queue, counts] of Object.entries(queues))
      for (const [state, count] of Object.entries(counts)) this.#jobs.set({ queue, state }, count as number);
    this.#held.set(leader === undefined ? 0 : 1);
    this.#age.set((leader?.ageMs ?? 0) / 1000);
    if (leader !== undefined) this.#holder.set({ holder: leader.holder }, 1);
    if (lastPass === undefined) return;
    const { startedAt, durationMs, writes, outcome } = lastPass;
    this.#passEnd.set({ outcome }, (startedAt + durationMs) / 1000);
    this.#passDuration.set(durationMs / 1000);
    this.#passWrites.set(writes);
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `${PREFIX}_${name}`, help, labelNames, registers: [this.#registry] });
  }
}

const withNewline = (text: string) => `${text}\n`;
