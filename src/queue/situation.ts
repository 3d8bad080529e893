import { z } from 'zod';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { buildKeys } from './keys.ts';

const milliseconds = z.number();

/** How far a workload is: `missing` is wanted and not created, `outdated` waits for its turn, `rolling` is on its way, `removing` is being deleted. */
const componentState = z.object({
  kind: z.enum(['Deployment', 'DaemonSet']),
  name: z.string(),
  state: z.enum(['missing', 'outdated', 'rolling', 'ready', 'removing']),
  /** Pods that it is to have, pods of its present template, and ready pods. */
  wanted: z.number(),
  updated: z.number(),
  ready: z.number(),
  /** Pods that have crashed and are not ready. */
  crashing: z.number(),
});

const certificateState = z.object({
  /** Name of the Secret that holds it. */
  secret: z.string(),
  isAuthority: z.boolean(),
  notBefore: milliseconds,
  notAfter: milliseconds,
  /** When it is renewed; absent where nothing renews it. */
  renewsAt: milliseconds.optional(),
});

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  /** When its status changed; absent when nobody has noted it. */
  since: milliseconds.optional(),
});

const situation = z.object({
  /** `namespace/name` of the KubeVirt object. */
  key: z.string(),
  phase: z.string(),
  version: z.object({ target: z.string(), observed: z.string() }),
  conditions: z.array(condition),
  /** The step that is being done; absent when no pass runs. */
  step: z.string().optional(),
  /** Why the last pass did not come to its end; absent when it did. */
  waiting: z.object({ step: z.string(), awaited: z.string() }).optional(),
  components: z.array(componentState),
  certificates: z.array(certificateState),
});

/** Where one KubeVirt object stands after the last pass; for people. Times are milliseconds since the epoch. */
export type Situation = z.infer<typeof situation>;
/** The rollout of one Deployment or DaemonSet. */
export type ComponentState = z.infer<typeof componentState>;
/** The certificate in one Secret. */
export type CertificateState = z.infer<typeof certificateState>;

/**
 * Stores a situation unless Redis holds just this one, and tells it.
 * KEYS[1] hash of situations, and the channel. ARGV[1] key of the KubeVirt object, ARGV[2] situation. Returns 1 when it was news.
 */
const WRITE = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PUBLISH', KEYS[1], ARGV[1])
return 1
`;

/** The situation of every KubeVirt object, kept in Redis, which may lose it, and told on a channel. */
export class SituationBoard {
  readonly #redis: RedisConnections;
  readonly #log: Log;
  readonly #name: string;

  constructor(redis: RedisConnections, log: Log) {
    this.#redis = redis;
    this.#log = log;
    this.#name = buildKeys(redis.prefix).situations;
  }

  /** Replaces the situation of its object. Never rejects: a display is no reason to fail. */
  async write(news: Situation): Promise<void> {
    await this.#tolerate(this.#redis.impatient.eval(WRITE, 1, this.#name, news.key, JSON.stringify(news)));
  }

  /** Forgets an object that is gone. Never rejects. */
  async remove(key: string): Promise<void> {
    await this.#tolerate(this.#redis.impatient.multi().hdel(this.#name, key).publish(this.#name, key).exec());
  }

  /** All situations by key, without those that this build cannot read. Rejects when Redis is out of reach. */
  async read(): Promise<Situation[]> {
    const texts = await this.#redis.impatient.hgetall(this.#name);
    const found = Object.values(texts).map(parseSituation);
    return found.filter((each) => each !== undefined).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #tolerate(written: Promise<unknown>): Promise<void> {
    try {
      await written;
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, 'the situation is not shown');
    }
  }
}

/** Undefined for what another build has written in another form. */
function parseSituation(text: string): Situation | undefined {
  try {
    return situation.parse(JSON.parse(text));
  } catch {
    // Shown to people alone; the next pass of the present leader writes it anew.
    return undefined;
  }
}
