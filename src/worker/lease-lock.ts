import { OPERATOR_LEASE } from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { ApiClient } from '../apply/client.ts';
import { errorText, isStale } from '../errors.ts';
import type { Log } from '../log.ts';
import { LeaseObserver } from '../observe/foreign-leader.ts';
import { Tenure } from '../queue/tenure.ts';
import type { Lock, Term } from '../queue/types.ts';
import { wait } from '../queue/wait.ts';

/** Milliseconds. */
export interface LeaseTimes {
  /** After this time without a renewal others may take the Lease. */
  leaseMs: number;
  /** A holder that could not renew for so long gives up. */
  renewDeadlineMs: number;
  /** How often to renew, to try, and to ask whether the Lease is still the way to lead. */
  retryMs: number;
  /** How long a new holder does nothing: a leader by Redis, who looks at the Lease now and then, must have come to an end. */
  quietMs: number;
}

/** Upstream's times (spec/startup.md §7); a leader by Redis asks every 2 s and its pass has 5 s to settle. */
const TIMES: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000, quietMs: 8000 };

/** How often it is tried to give the Lease back, when somebody writes it meanwhile. */
const RELEASE_TRIES = 5;

/** What a lock by Lease needs. */
export interface LeaseLockOptions {
  /** Should use the reserved lane. */
  client: Pick<ApiClient, 'find' | 'create' | 'replace'>;
  namespace: string;
  /** No other process may have the same name. */
  holder: string;
  log: Log;
  /** Whether this is the time to lead by the Lease, asked again and again: it is as long as Redis is unusable. */
  isWanted: () => boolean;
  times?: Partial<LeaseTimes>;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** The fields of a Lease that this lock writes; times are RFC 3339 with microseconds. */
interface LeaseSpec {
  holderIdentity: string;
  leaseDurationSeconds: number;
  acquireTime: string;
  renewTime: string;
  leaseTransitions: number;
}

/**
 * Leadership by the Lease `virt-operator`, as upstream's operators have it (spec/startup.md §7), for as long as Redis cannot decide it (design decision 3).
 * It keeps out a live operator of upstream and workers in the same plight alike; a leader by Redis looks at the Lease and gives way.
 */
export class LeaseLock implements Lock {
  readonly #options: LeaseLockOptions;
  readonly #times: LeaseTimes;
  readonly #now: () => number;
  readonly #observer: LeaseObserver;
  #said: string | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#now = options.now ?? (() => performance.now());
    this.#observer = new LeaseObserver(this.#now);
  }

  async run({ signal, onLead }: { signal: AbortSignal; onLead: (term: Term) => Promise<void> }): Promise<void> {
    while (!signal.aborted) {
      const sentAt = this.#now();
      if (this.#options.isWanted() && (await this.#tryTake())) await this.#hold(sentAt, signal, onLead);
      await wait(this.#times.retryMs, signal);
    }
  }

  /** Takes or renews the Lease; false when somebody else has it. Rejects when the API server does not answer. */
  async #take(): Promise<boolean> {
    const { client, namespace, holder } = this.#options;
    const target = { kind: 'Lease', name: OPERATOR_LEASE, namespace } as const;
    const lease = await client.find(target);
    const seen = (lease?.spec ?? {}) as Partial<LeaseSpec>;
    const isOurs = seen.holderIdentity === holder;
    const other = isOurs ? undefined : this.#observer.findLeader(lease);
    if (other !== undefined) {
      this.#say(`waiting: ${other}`);
      return false;
    }
    const spec = this.#buildSpec(isOurs ? seen : { leaseTransitions: (seen.leaseTransitions ?? 0) + 1 });
    try {
      if (lease === undefined) await client.create('Lease', buildLease(namespace, { ...spec, leaseTransitions: 0 }));
      else await client.replace('Lease', { ...lease, spec: { ...lease.spec, ...spec } });
      return true;
    } catch (error) {
      // Somebody was faster; the next try sees who.
      if (isStale(error)) return false;
      throw error;
    }
  }

  async #tryTake(): Promise<boolean> {
    try {
      return await this.#take();
    } catch (error) {
      this.#say(`waiting: the Lease cannot be taken: ${errorText(error)}`);
      return false;
    }
  }

  #buildSpec({ acquireTime, leaseTransitions = 0 }: Partial<LeaseSpec>): LeaseSpec {
    const renewTime = microTime();
    return {
      holderIdentity: this.#options.holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(this.#times.leaseMs / 1000)),
      acquireTime: acquireTime ?? renewTime,
      renewTime,
      leaseTransitions,
    };
  }

  async #hold(takenAt: number, signal: AbortSignal, onLead: (term: Term) => Promise<void>): Promise<void> {
    const { log } = this.#options;
    const { leaseMs, renewDeadlineMs, retryMs, quietMs } = this.#times;
    this.#said = undefined;
    const tenure = new Tenure({
      // Like the fencing numbers of Redis: no lower than the time.
      fence: Date.now(),
      times: {
        ttlMs: leaseMs,
        marginMs: leaseMs - renewDeadlineMs,
        renewMs: retryMs,
        pollMs: retryMs,
        permissionMs: 0,
      },
      now: this.#now,
      takenAt,
      renew: () => this.#take(),
      log,
    });
    const over = new AbortController();
    const watching = this.#watchOver(tenure, AbortSignal.any([signal, over.signal]));
    try {
      log.warn({ lease: OPERATOR_LEASE }, 'Redis is unusable: this worker goes on without it, by the Lease');
      await wait(quietMs, tenure.signal);
      if (!tenure.signal.aborted) await onLead(tenure);
    } catch (error) {
      log.error({ error: errorText(error) }, 'the leader failed');
    } finally {
      over.abort();
      await watching;
      tenure.stop();
      await this.#release();
    }
  }

  /** Ends the tenure when the process stops or Redis can be used again. */
  async #watchOver(tenure: Tenure, ended: AbortSignal): Promise<void> {
    while (!ended.aborted && this.#options.isWanted()) await wait(this.#times.retryMs, ended);
    tenure.windDown(this.#options.isWanted() ? 'the process stops' : 'Redis can be used again');
  }

  /** Lets others lead at once instead of after the lease time, as far as the Lease is still ours. */
  async #release(tries = RELEASE_TRIES): Promise<void> {
    const { client, namespace, holder, log } = this.#options;
    try {
      const lease = await client.find({ kind: 'Lease', name: OPERATOR_LEASE, namespace });
      if (lease?.spec?.['holderIdentity'] !== holder) return;
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
      await client.replace('Lease', { ...lease, spec });
      log.info({ lease: OPERATOR_LEASE }, 'the Lease is given back');
    } catch (error) {
      // The last renewal was still on its way.
      if (isStale(error) && tries > 1) return this.#release(tries - 1);
      log.warn({ error: errorText(error) }, 'the Lease could not be given back; it ends by itself');
    }
  }

  #say(text: string): void {
    if (this.#said !== text) this.#options.log.info(text);
    this.#said = text;
  }
}

function buildLease(namespace: string, spec: LeaseSpec): KubernetesObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: OPERATOR_LEASE, namespace },
    spec: { ...spec },
  };
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
