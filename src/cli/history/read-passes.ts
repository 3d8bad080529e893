import { createLog } from '../../log.ts';
import type { PassRecord } from '../../queue/pass-log.ts';
import { RedisAway } from '../frame/redis-away.ts';

/** How long Redis may take to answer. */
const CONNECT_MS = 3000;

/** The passes that Redis remembers of a cluster, newest first. Rejects with RedisAway when Redis does not answer. */
export async function readPasses(
  config: { url: string; password: string | undefined },
  clusterUid: string,
  limit: number,
): Promise<PassRecord[]> {
  // Loaded here: without Redis nobody needs it.
  const [{ openRedis }, { PassLog }] = await Promise.all([
    import('../../queue/connection.ts'),
    import('../../queue/pass-log.ts'),
  ]);
  const log = createLog({ role: 'history', verbosity: 0 });
  log.level = 'silent';
  const { url, password } = config;
  const redis = openRedis(
    { url, options: password === undefined ? {} : { password } },
    { clusterUid, name: 'history', log },
  );
  try {
    await whenReady(redis.impatient);
    return await new PassLog(redis, log).read(limit);
  } catch (cause) {
    throw new RedisAway('Redis does not tell the passes', { cause });
  } finally {
    redis.close();
  }
}

/** An impatient connection refuses commands until it is there. */
function whenReady(redis: {
  status: string;
  once: (event: string, listener: (error?: unknown) => void) => unknown;
}): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${CONNECT_MS} ms`));
    }, CONNECT_MS);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    redis.once('ready', () => {
      settle(resolve);
    });
    redis.once('error', (error) => {
      settle(() => {
        reject(new Error('no connection', { cause: error }));
      });
    });
  });
}
