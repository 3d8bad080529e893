import type { ApiConnection } from '../api/connection.ts';
import type { JsonObject } from '../api/objects.ts';
import { errorText, isNotFound } from '../errors.ts';
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
  /** UID and generation of the KubeVirt object, as one text: an edit has one deadline. */
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
  /** The edit that was put off last; it stays when its migrations have ended, so that later ones do not put it off anew. */
  #waiting: { edit: string; until: Date } | undefined;

  constructor(connection: Pick<ApiConnection, 'request'>, patienceMs: number) {
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** Undefined when nothing has to be put off. Never rejects: what cannot be listed may be there, and puts an edit off as well. */
  async find({ edit, now, signal }: HoldRequest): Promise<RolloutHold | undefined> {
    const known = this.#waiting?.edit === edit ? this.#waiting.until : undefined;
    if (known !== undefined && known <= now) return undefined;
    const awaited = await this.#findAwaited(signal);
    if (awaited === undefined) return undefined;
    const until = known ?? new Date(now.getTime() + this.#patienceMs);
    this.#waiting = { edit, until };
    return { awaited, until };
  }

  async #findAwaited(signal: AbortSignal): Promise<string | undefined> {
    try {
      const migrations = await this.#count(signal);
      return migrations === 0 ? undefined : `${migrations} migrations of machines to new components`;
    } catch (error) {
      return `a list of the migrations of machines to new components (${errorText(error)})`;
    }
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
