import type { ApiConnection } from '../api/connection.ts';
import type { JsonObject } from '../api/objects.ts';
import { isNotFound } from '../errors.ts';
import type { RolloutHold } from '../plan/types.ts';

/** Migrations in all namespaces. */
const PATH = '/apis/kubevirt.io/v1/virtualmachineinstancemigrations';
/** Annotation with which virt-controller marks migrations that it has begun to bring machines to new components. */
const WORKLOAD_UPDATE = 'kubevirt.io/workloadUpdateMigration';
/** Phases in which nothing moves any more. */
const ENDED: readonly unknown[] = ['Succeeded', 'Failed'];
const PAGE_SIZE = 500;

/** What the hold is asked about. */
export interface HoldRequest {
  /** UID and generation of the KubeVirt object, as one text: an edit begins a new wait. */
  edit: string;
  now: Date;
  signal: AbortSignal;
}

/**
 * Finds out whether migrations are in flight that a restart of virt-handler would break off, and lets them finish for so long (spec/field-reports.md B28).
 * How long an edit has been put off is remembered in this process: a new leader begins anew.
 */
export class MigrationHold {
  readonly #patienceMs: number;
  readonly #connection: Pick<ApiConnection, 'request'>;
  #waiting: { edit: string; until: Date } | undefined;

  constructor(connection: Pick<ApiConnection, 'request'>, patienceMs: number) {
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** Undefined when nothing has to be put off. */
  async find({ edit, now, signal }: HoldRequest): Promise<RolloutHold | undefined> {
    const migrations = await this.#count(signal);
    if (migrations === 0) {
      this.#waiting = undefined;
      return undefined;
    }
    if (this.#waiting?.edit !== edit) this.#waiting = { edit, until: new Date(now.getTime() + this.#patienceMs) };
    const { until } = this.#waiting;
    return now < until ? { migrations, until } : undefined;
  }

  async #count(signal: AbortSignal): Promise<number> {
    let count = 0;
    let next: string | undefined;
    do {
      const page = await this.#readPage(next, signal);
      count += page.items.filter(isInFlight).length;
      next = page.next;
    } while (next !== undefined);
    return count;
  }

  async #readPage(next: string | undefined, signal: AbortSignal): Promise<{ items: Migration[]; next?: string }> {
    try {
      const query = { limit: PAGE_SIZE, continue: next };
      const { items, metadata } = await this.#connection.request({ method: 'GET', path: PATH, query, signal });
      const more = (metadata as { continue?: string } | undefined)?.continue;
      return { items: (items ?? []) as unknown as Migration[], ...(more ? { next: more } : {}) };
    } catch (error) {
      // Without the definition there are no migrations.
      if (isNotFound(error)) return { items: [] };
      throw error;
    }
  }
}

interface Migration {
  metadata: { annotations?: Record<string, string> };
  status?: JsonObject;
}

function isInFlight({ metadata, status = {} }: Migration): boolean {
  return metadata.annotations?.[WORKLOAD_UPDATE] !== undefined && !ENDED.includes(status['phase']);
}
