import { buildKeyPrefix } from '../../src/queue/connection.ts';
import { connectOnce } from '../redis.ts';

/** How many keys one step of the scan looks at. */
const SCAN_COUNT = 1000;

/**
 * Removes what the operator has written into a Redis that is not ours: the cluster it belonged to is gone. Keys of other clusters stay.
 * Rejects when Redis is out of reach.
 */
export async function removeKeys(redisUrl: string, clusterUid: string): Promise<void> {
  const redis = await connectOnce(redisUrl);
  const pattern = `${buildKeyPrefix(clusterUid)}:*`;
  try {
    let cursor = '0';
    do {
      const [next, keys] = (await redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT)) as [
        string,
        string[],
      ];
      if (keys.length > 0) await redis.del(...keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}
