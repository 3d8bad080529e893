import type { RedisOptions } from 'ioredis';
import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { Config, RedisSentinel } from '../config.ts';
import { ConfigurationError } from '../errors.ts';
import type { Log } from '../log.ts';
import { connectRedis as openClient, openRedis, type RedisConfig, type RedisConnections } from '../queue/connection.ts';
import { guardEvictionPolicy } from '../queue/eviction-policy.ts';
import { waitForCluster } from '../queue/find-cluster.ts';
import type { Closers, RoleContext } from './role.ts';

/**
 * Opens the Redis connections of a process. They connect in the background: a Redis that is away is said in the log and waited for.
 * Throws ConfigurationError when the configuration names no Redis.
 */
export function connectRedis(parts: {
  config: Config;
  log: Log;
  clusterUid: string;
  closers: Closers;
}): RedisConnections {
  const { config, log, clusterUid, closers } = parts;
  const redis = openRedis(readRedisConfig(config), { clusterUid, name: config.hostname, log });
  closers.add('Redis connections', () => {
    redis.close();
  });
  return redis;
}

/**
 * Follows the eviction policy of Redis into the metrics. The promise rejects when Redis has one at the start with which jobs could be lost, unless the
 * configuration takes that; it never resolves. Whoever starts a role ends with it.
 */
export function guardRedis(parts: {
  context: RoleContext;
  redis: RedisConnections;
  metrics: OperatorMetrics;
  closers: Closers;
}): Promise<never> {
  const { context, redis, metrics, closers } = parts;
  const ending = new AbortController();
  closers.add('watch over the eviction policy', () => {
    ending.abort(new Error('the process ends'));
  });
  const guarded = guardEvictionPolicy({
    redis: redis.impatient,
    log: context.log,
    signal: ending.signal,
    isTolerated: context.config.redisMayEvict,
    onPolicy: (policy) => {
      metrics.own.setEvictionPolicy(policy);
    },
  });
  // It may reject before anybody listens: while the role is still starting.
  guarded.catch(() => undefined);
  return guarded;
}

/** The cluster that a process without access to the API server works for: the configuration's, else the one whose keys are in Redis. */
export async function findClusterUid({ config, log, signal }: RoleContext): Promise<string> {
  if (config.clusterUid !== undefined) return config.clusterUid;
  const redis = openClient(readRedisConfig(config), { patience: 'patient', name: `${config.hostname}-finder`, log });
  // Commands of a patient connection wait for Redis, whatever the signal says.
  const close = (): void => {
    redis.disconnect();
  };
  signal.addEventListener('abort', close);
  try {
    return await waitForCluster(redis, log, signal);
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

function readRedisConfig({ redisUrl, redisPassword, redisSentinel }: Config): RedisConfig {
  const options = redisPassword === undefined ? {} : { password: redisPassword };
  if (redisSentinel !== undefined) return { options: { ...options, ...sentinelOptions(redisSentinel) } };
  if (redisUrl === undefined) throw new ConfigurationError('this role needs Redis: set REDIS_URL');
  return { url: redisUrl, options };
}

function sentinelOptions({ nodes, master, password, username, database, tls }: RedisSentinel): RedisOptions {
  return {
    sentinels: nodes.map((node) => ({ ...node })),
    name: master,
    db: database,
    ...(password !== undefined && { sentinelPassword: password }),
    ...(username !== undefined && { username }),
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}
