import type { KubernetesObject } from '../api/objects.ts';

/** The fields of a Lease that decide who leads (spec/startup.md §7). */
interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds. */
  renewTime?: string;
}

/** Of a Lease that names none. */
const DEFAULT_DURATION_SECONDS = 15;

/**
 * Who leads by the Lease `virt-operator`, in words: a live operator of upstream, or a worker that goes on without Redis (design decision 3). Undefined when the
 * Lease is free or has run out at `now`.
 */
export function findForeignLeader(lease: KubernetesObject | undefined, now: Date): string | undefined {
  const { holderIdentity = '', leaseDurationSeconds, renewTime } = (lease?.spec ?? {}) as LeaseSpec;
  if (holderIdentity === '' || renewTime === undefined) return undefined;
  const until = Date.parse(renewTime) + (leaseDurationSeconds ?? DEFAULT_DURATION_SECONDS) * 1000;
  return until > now.getTime() ? `${holderIdentity} holds the Lease ${lease?.metadata.name ?? ''}` : undefined;
}
