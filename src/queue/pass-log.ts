import type { Cause } from '../api/causes.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { buildKeys } from './keys.ts';

/** Passes kept, whatever their outcome. */
const PASSES_MAX = 200;
/** Causes and written objects kept per pass: some kilobytes at most. */
const PASS_CAUSES_MAX = 50;
const PASS_WRITTEN_MAX = 50;

/** What a pass tells about itself beside its outcome; shown to people. */
export interface PassReport {
  /** Steps that the pass came through, in order. */
  steps?: { name: string; actions: number; durationMs: number }[];
  /** The first objects that were written, `Kind namespace/name`, and how; `writes` of the record counts all writes. */
  written?: { verb: string; object: string }[];
  /** What failed on which object. */
  errors?: { object: string; error: string }[];
}

/** A finished pass. */
export interface PassRecord extends PassReport {
  /** Id of its job. */
  id: string;
  key: string;
  /** The first causes; `causesTotal` counts them all. */
  causes: readonly Cause[];
  causesTotal: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  outcome: 'done' | 'later' | 'retry' | 'never' | 'aborted';
  /** Why it comes again or has failed. */
  reason?: string;
  /** Writes to the API server. */
  writes: number;
  worker: string;
}

/** The finished passes, for people. Redis may lose them. */
export class PassLog {
  readonly #redis: RedisConnections;
  readonly #log: Log;
  readonly #key: string;

  constructor(redis: RedisConnections, log: Log) {
    this.#redis = redis;
    this.#log = log;
    this.#key = buildKeys(redis.prefix).passes;
  }

  /** Adds a pass. Never rejects: history is no reason to fail. */
  async append(record: PassRecord): Promise<void> {
    const entry = JSON.stringify(shorten(record));
    try {
      await this.#redis.impatient
        .multi()
        .lpush(this.#key, entry)
        .ltrim(this.#key, 0, PASSES_MAX - 1)
        .publish(this.#key, record.id)
        .exec();
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, 'a pass is missing in the history');
    }
  }

  /** The last passes, newest first. Rejects when Redis is out of reach. */
  async read(limit = PASSES_MAX): Promise<PassRecord[]> {
    const entries = await this.#redis.impatient.lrange(this.#key, 0, limit - 1);
    return entries.map((entry) => JSON.parse(entry) as PassRecord);
  }
}

function shorten(record: PassRecord): PassRecord {
  const { causes, written } = record;
  return {
    ...record,
    causes: causes.slice(0, PASS_CAUSES_MAX),
    ...(written === undefined ? {} : { written: written.slice(0, PASS_WRITTEN_MAX) }),
  };
}
