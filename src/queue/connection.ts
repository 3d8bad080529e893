import { Cluster, Redis, type ClusterNode, type RedisOptions } from 'ioredis';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';

/** A connection to one Redis server, to what Sentinel names as master, or to a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/**
 * Where Redis is. `url` (`redis://`, `rediss://`) and `options` go to ioredis as they are: TLS, Sentinel, user and password need no words of ours.
 * With `cluster` the nodes are the way in and `options` apply to each node.
 */
export interface RedisConfig {
  url?: string;
  options?: RedisOptions;
  cluster?: readonly ClusterNode[];
}

/**
 * `impatient`: a command fails at once while Redis is away, for producers, the lock and metrics. `patient`: commands wait for Redis, for the
 * BullMQ worker and for subscriptions.
 */
export type Patience = 'impatient' | 'patient';

/** How long an impatient command may take, in milliseconds. */
const COMMAND_TIMEOUT_MS = 3000;
const CONNECT_TIMEOUT_MS = 3000;
const RECONNECT_MAX_MS = 1000;

const PATIENCE = {
  impatient: { maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: COMMAND_TIMEOUT_MS },
  patient: { maxRetriesPerRequest: null, enableOfflineQueue: true },
} as const satisfies Record<Patience, RedisOptions>;

/**
 * Opens a connection; it connects in the background and comes back by itself after an outage, within a second of Redis doing so.
 * Each outage is logged once when it begins and once when it ends.
 */
export function connectRedis(config: RedisConfig, how: { patience: Patience; name: string; log: Log }): RedisClient {
  const options: Options = {
    ...config.options,
    replyMapping: 'legacy',
    ...PATIENCE[how.patience],
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: how.name,
    retryStrategy: reconnectDelay,
    // After a fail-over the old master answers, but refuses writes.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
  const redis = openClient(config, options);
  logOutages(redis, how.log.child({ redis: how.name }));
  return redis;
}

/** Map replies stay flat arrays, which is what BullMQ reads. */
type Options = RedisOptions & { replyMapping: 'legacy' };

function openClient(config: RedisConfig, options: Options): RedisClient {
  if (config.cluster !== undefined) {
    return new Cluster([...config.cluster], {
      redisOptions: options,
      enableOfflineQueue: options.enableOfflineQueue ?? true,
      clusterRetryStrategy: reconnectDelay,
    });
  }
  return config.url === undefined ? new Redis(options) : new Redis(config.url, options);
}

/** Milliseconds before attempt number `attempt` to connect again. */
function reconnectDelay(attempt: number): number {
  return Math.min(attempt * 50, RECONNECT_MAX_MS);
}

function logOutages(redis: RedisClient, log: Log): void {
  let down = false;
  redis.on('error', (error: unknown) => {
    if (!down) log.warn({ error: errorText(error) }, 'Redis is not reachable; trying again');
    down = true;
  });
  redis.on('ready', () => {
    if (down) log.info('Redis is reachable again');
    down = false;
  });
}

/** The connections of one process, and the prefix of every key that it uses. */
export interface RedisConnections {
  readonly prefix: string;
  /** Fails fast; opened at once. */
  readonly impatient: RedisClient;
  /** Waits; opened when it is first asked for. */
  patient(): RedisClient;
  /** For subscriptions alone; opened when it is first asked for. */
  subscriber(): RedisClient;
  /** Closes all of them without waiting for commands. */
  close(): void;
}

/** Opens the connections of a process. `clusterUid` is the UID of the namespace kube-system, so that clusters may share one Redis. */
export function openRedis(
  config: RedisConfig,
  identity: { clusterUid: string; name: string; log: Log },
): RedisConnections {
  const open = new Map<string, RedisClient>();
  const connect = (purpose: string, patience: Patience): RedisClient => {
    const existing = open.get(purpose);
    if (existing !== undefined) return existing;
    const redis = connectRedis(config, { patience, name: `${identity.name}-${purpose}`, log: identity.log });
    open.set(purpose, redis);
    return redis;
  };
  return {
    prefix: buildKeyPrefix(identity.clusterUid),
    impatient: connect('producer', 'impatient'),
    patient: () => connect('worker', 'patient'),
    subscriber: () => connect('subscriber', 'patient'),
    close: () => {
      for (const redis of open.values()) redis.disconnect();
    },
  };
}

/** The prefix of every key and channel. Its braces are a hash tag: all keys lie in one slot, so that scripts work on a Redis Cluster. */
export function buildKeyPrefix(clusterUid: string): string {
  return `virt-operator:{${clusterUid}}`;
}
