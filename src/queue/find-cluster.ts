import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { ConfigurationError, errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import { buildKeyPrefix, type RedisClient } from './connection.ts';

/** Keys looked at with one command. */
const SCAN_COUNT = 1000;
const ASK_AGAIN_MS = 1000;

/** UIDs of the clusters whose keys this Redis holds, in ascending order. */
export async function findClusters(redis: RedisClient): Promise<string[]> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const found = new Set<string>();
  for (const node of nodes) {
    const keys = node.scanStream({ match: `${buildKeyPrefix('*')}:*`, count: SCAN_COUNT }) as AsyncIterable<string[]>;
    for await (const page of keys) {
      for (const key of page) found.add(key.slice(key.indexOf('{') + 1, key.indexOf('}')));
    }
  }
  return [...found].toSorted();
}

/**
 * The cluster whose keys Redis holds, for a process that has no way to ask the cluster itself; waits until there is one. Rejects with
 * ConfigurationError when there are several, and with the signal's reason.
 */
export async function waitForCluster(redis: RedisClient, log: Log, signal: AbortSignal): Promise<string> {
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted();
    const clusters = await findClusters(redis).catch((error: unknown) => {
      log.debug({ reason: errorText(error) }, 'Redis did not tell its keys');
      return [];
    });
    const [uid, ...others] = clusters;
    if (others.length > 0) {
      throw new ConfigurationError(
        `Redis holds the queues of several clusters: name one with CLUSTER_UID, the UID of its namespace kube-system (${clusters.join(', ')})`,
      );
    }
    if (uid !== undefined) return uid;
    if (isFirst) log.info('waiting for a gateway or a worker to put its queue into Redis');
    await sleep(ASK_AGAIN_MS, undefined, { signal });
  }
}
