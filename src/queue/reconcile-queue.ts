import { Queue } from 'bullmq';
import type { Cause } from '../api/causes.ts';
import type { KindName } from '../api/kinds.ts';
import type { ResourceVersions } from '../api/store.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import {
  buildWriteName,
  highestVersions,
  isComparable,
  parseCauses,
  withoutOwnWrites,
  writeNameOf,
  type AwaitedDelete,
  type Taken,
} from './causes.ts';
import type { RedisClient, RedisConnections } from './connection.ts';
import { deduplicationIdOf, JOB_VERSION, type JobData } from './job-data.ts';
import { readJobs } from './job-source.ts';
import { buildKeys, RECONCILE_QUEUE, type Keys } from './keys.ts';
import { DELETE_AWAITED_MS, OwnWrites } from './own-writes.ts';
import { RECORD_CAUSES, RECORD_WRITE } from './record-scripts.ts';
import type { ActiveJob, PassQueue, WriteRecorder } from './types.ts';

/** Longer than a cache may be silent (90 s, design decision 7), short enough that a restored etcd does not slow passes down for long. */
const VERSIONS_TTL_MS = 600_000;
/** Causes kept per key: more than the events of one whole installation. */
const CAUSES_MAX = 1000;
const OWN_WRITES_MAX = 5000;
/** Entries of BullMQ's event stream; nothing of ours reads it. */
const EVENTS_MAX = 1000;
/** Finished jobs stay for a day, 200 at most of each outcome (design decision 2). */
const KEEP = { age: 86_400, count: 200 };

/** What a reconcile queue needs. */
export interface ReconcileQueueOptions {
  redis: RedisConnections;
  log: Log;
}

/** The queue `reconcile` in Redis, for producers and for the leader (design decisions 2 and 4). */
export class ReconcileQueue implements PassQueue, WriteRecorder {
  readonly #connections: RedisConnections;
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #log: Log;
  /** What this process has written. */
  readonly own = new OwnWrites();
  /** BullMQ's own view, for those who show or count jobs. */
  readonly queue: Queue<JobData>;

  constructor(options: ReconcileQueueOptions) {
    this.#connections = options.redis;
    this.#redis = options.redis.impatient;
    this.#keys = buildKeys(options.redis.prefix);
    this.#log = options.log;
    this.queue = openQueue(options.redis, RECONCILE_QUEUE);
  }

  async add(key: string, causes: Cause | readonly Cause[]): Promise<void> {
    await this.#recordCauses(key, Array.isArray(causes) ? (causes as readonly Cause[]) : [causes as Cause]);
    await this.queue.add(
      RECONCILE_QUEUE,
      { version: JOB_VERSION, key },
      {
        deduplication: { id: deduplicationIdOf(key), keepLastIfActive: true },
        attempts: 1,
        removeOnComplete: KEEP,
        removeOnFail: KEEP,
      },
    );
  }

  /** Causes and versions go in before the job does, so that whoever runs the job sees them. */
  async #recordCauses(key: string, causes: readonly Cause[]): Promise<void> {
    const { versions } = this.#keys;
    const rows = causes.flatMap((cause) => {
      const raises = cause.kind !== undefined && isComparable(cause.resourceVersion);
      return [JSON.stringify(cause), cause.kind ?? '', raises ? cause.resourceVersion : ''];
    });
    const keys = [versions, this.#keys.causes(key), this.#keys.dropped(key)];
    await this.#redis.eval(RECORD_CAUSES, keys.length, ...keys, VERSIONS_TTL_MS, CAUSES_MAX, ...rows.map(String));
  }

  async takeCauses(key: string): Promise<Taken> {
    const now = Date.now();
    const replies = await this.#redis
      .multi()
      .lrange(this.#keys.causes(key), 0, -1)
      .getdel(this.#keys.dropped(key))
      .del(this.#keys.causes(key))
      .hgetall(this.#keys.versions)
      .zrangebyscore(this.#keys.deletes, now - DELETE_AWAITED_MS, '+inf')
      .exec();
    const [lines, dropped, , versions, deletes] = valuesOf(replies);
    const causes = parseCauses(lines as string[], Number(dropped ?? 0), now);
    const own = await this.#ownAmong(causes);
    return {
      causes: withoutOwnWrites(causes, (name) => own.has(name)),
      versions: highestVersions(versions as ResourceVersions, this.own.versions()),
      deletes: uniqueDeletes([...(deletes as string[]).map(parseDelete), ...this.own.deletes(now)]),
    };
  }

  /** Which states that the causes name we have written: this process, or an earlier leader. */
  async #ownAmong(causes: readonly Cause[]): Promise<Set<string>> {
    const names = [...new Set(causes.map(writeNameOf).filter((name) => name !== undefined))];
    const own = new Set(names.filter((name) => this.own.has(name)));
    const unknown = names.filter((name) => !own.has(name));
    if (unknown.length === 0) return own;
    const scores = await this.#redis.zmscore(this.#keys.ownWrites, unknown);
    unknown.forEach((name, index) => {
      if (scores[index] !== null) own.add(name);
    });
    return own;
  }

  async recordWrite(kind: KindName, resourceVersion: string): Promise<void> {
    if (!isComparable(resourceVersion)) return;
    this.own.recordWrite(kind, resourceVersion);
    const name = buildWriteName(kind, resourceVersion);
    const { versions, ownWrites } = this.#keys;
    const args = [VERSIONS_TTL_MS, kind, resourceVersion, name, Date.now(), OWN_WRITES_MAX];
    await this.#tolerate(this.#redis.eval(RECORD_WRITE, 2, versions, ownWrites, ...args));
  }

  async recordDelete(kind: KindName, uid: string): Promise<void> {
    const now = Date.now();
    this.own.recordDelete(kind, uid, now);
    const recorded = this.#redis
      .multi()
      .zadd(this.#keys.deletes, now, `${kind}/${uid}`)
      .zremrangebyscore(this.#keys.deletes, '-inf', now - DELETE_AWAITED_MS)
      .exec();
    await this.#tolerate(recorded.then(valuesOf));
  }

  /** Recording for the next leader must not fail the pass that writes: this process remembers by itself. */
  async #tolerate(recorded: Promise<unknown>): Promise<void> {
    try {
      await recorded;
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, 'an own write is remembered in this process only');
    }
  }

  jobs(signal: AbortSignal): AsyncIterable<ActiveJob> {
    return readJobs({ redis: this.#connections, queue: this.queue, log: this.#log, add: this.add.bind(this), signal });
  }

  /** Sets again what Redis keeps as a setting and may have lost: one active job in the whole queue. To be called after each recovery. */
  async writeSettings(): Promise<void> {
    await this.queue.setGlobalConcurrency(1);
  }

  /** Lets go of BullMQ's listeners; the connections belong to whoever opened them. */
  async close(): Promise<void> {
    await this.queue.close();
  }
}

/** Opens BullMQ's view of one of our queues; for the dashboard and for counts as well. Its commands fail fast. */
export function openQueue<Data>(redis: RedisConnections, name: string): Queue<Data> {
  const queue = new Queue<Data>(name, {
    connection: redis.impatient,
    prefix: redis.prefix,
    skipVersionCheck: true,
    streams: { events: { maxLen: EVENTS_MAX } },
  });
  // The connection itself logs its outages; BullMQ only repeats them, and would throw if nobody listened.
  queue.on('error', () => undefined);
  return queue;
}

/** The results of a transaction; throws the first error among them. */
function valuesOf(replies: [Error | null, unknown][] | null): unknown[] {
  if (replies === null) throw new Error('Redis discarded a transaction');
  return replies.map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}

function parseDelete(name: string): AwaitedDelete {
  const slash = name.indexOf('/');
  return { kind: name.slice(0, slash) as KindName, uid: name.slice(slash + 1) };
}

function uniqueDeletes(deletes: readonly AwaitedDelete[]): AwaitedDelete[] {
  return [...new Map(deletes.map((one) => [`${one.kind}/${one.uid}`, one])).values()];
}
