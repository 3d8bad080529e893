import type { KubernetesObject } from '../api/objects.ts';

/** The fields of a Lease that decide who leads (spec/startup.md §7). */
interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds, by the clock of the holder. */
  renewTime?: string;
}

/** Of a Lease that names none. */
const DEFAULT_DURATION_SECONDS = 15;
/** Two clocks differ by less. A Lease that ran out longer ago is not looked at twice. */
const CLOCK_DIFFERENCE_MS = 600_000;

/**
 * Tells whether somebody leads by the Lease `virt-operator`: a live operator of upstream, or a worker that goes on without Redis (design decision 3). What
 * counts is that the Lease was renewed while we watched it, by our own clock: that of the holder may go wrong by minutes. So a Lease that is seen for the first
 * time counts as live for its duration, unless it has run out long ago.
 */
export class LeaseObserver {
  readonly #now: () => number;
  #seen: string | undefined;
  #since = 0;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Who leads, in words; undefined when the Lease is free or has run out. To be asked more often than a Lease lasts. */
  findLeader(lease: KubernetesObject | undefined, today: Date = new Date()): string | undefined {
    const spec: LeaseSpec = lease?.spec ?? {};
    const { holderIdentity, renewTime } = spec;
    if (!holderIdentity || renewTime === undefined) return undefined;
    this.#note(`${holderIdentity} ${renewTime}`);
    const durationMs = durationOf(spec);
    const isOld = Date.parse(renewTime) + durationMs + CLOCK_DIFFERENCE_MS < today.getTime();
    if (isOld || this.#now() - this.#since >= durationMs) return undefined;
    return `${holderIdentity} holds the Lease ${lease?.metadata.name ?? ''}`;
  }

  #note(sign: string): void {
    if (sign === this.#seen) return;
    this.#seen = sign;
    this.#since = this.#now();
  }
}

function durationOf({ leaseDurationSeconds = DEFAULT_DURATION_SECONDS }: LeaseSpec): number {
  return leaseDurationSeconds * 1000;
}
