import { Redis } from 'ioredis';

/** What whoever counts commands sends itself. */
const OWN = /^(info|client\|\w+|hello|auth|select)$/;

/** Commands that a Redis has carried out so far, without those of counting. */
export async function countRedisCommands(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    const lines = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
    return [...lines].reduce((sum, [, command = '', calls]) => (OWN.test(command) ? sum : sum + Number(calls)), 0);
  } finally {
    redis.disconnect();
  }
}
