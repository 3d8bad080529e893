import type { Config } from '../config.ts';
import { ConfigurationError } from '../errors.ts';
import type { Log } from '../log.ts';
import { openRedis, type RedisConnections } from '../queue/connection.ts';
import type { Closers } from './role.ts';

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
  if (config.redisUrl === undefined) throw new ConfigurationError('this role needs Redis: set REDIS_URL');
  const redis = openRedis(
    {
      url: config.redisUrl,
      options: config.redisPassword === undefined ? {} : { password: config.redisPassword },
    },
    { clusterUid, name: config.hostname, log },
  );
  closers.add('Redis connections', () => {
    redis.close();
  });
  return redis;
}
