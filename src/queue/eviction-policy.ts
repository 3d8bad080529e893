import { ConfigurationError, errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisClient } from './connection.ts';
import { wait } from './wait.ts';

/** What queues need of `maxmemory-policy`: with any other, Redis drops keys of theirs when its memory is full. */
const GOOD_POLICY = 'noeviction';
/** What is said where Redis does not tell. */
const UNKNOWN = 'unknown';
/** How often to look; an administrator may change the policy at any time. */
const INTERVAL_MS = 60_000;

/** What `guardEvictionPolicy` needs. */
export interface PolicyGuardOptions {
  redis: RedisClient;
  log: Log;
  signal: AbortSignal;
  /** Another policy is only warned of. */
  isTolerated: boolean;
  /** Told what was found, at every look. */
  onPolicy: (policy: string) => void;
  intervalMs?: number;
}

/**
 * Looks at the eviction policy of Redis as soon as it is in reach, then once a minute, until `signal` aborts (spec/field-reports.md L04). Rejects with
 * ConfigurationError when the first one that is found is a wrong one that is not tolerated; never resolves. One that becomes wrong later is warned of.
 */
export async function guardEvictionPolicy(options: PolicyGuardOptions): Promise<never> {
  const { signal, isTolerated, onPolicy } = options;
  let last: string | undefined;
  while (!signal.aborted) {
    const policy = await look(options);
    if (policy !== undefined) {
      onPolicy(policy);
      if (last === undefined && isWrong(policy) && !isTolerated) throw new ConfigurationError(describe(policy));
      if (policy !== last) tell(policy, options.log);
      last = policy;
    }
    await whenDue(options, last !== undefined);
  }
  return new Promise<never>(() => undefined);
}

/** The policy, or nothing while Redis is out of reach. */
async function look({ redis, log }: PolicyGuardOptions): Promise<string | undefined> {
  if (!isReady(redis)) return undefined;
  const policy = await readEvictionPolicy(redis, log);
  // No answer because Redis has gone meanwhile is no refusal.
  return policy === UNKNOWN && !isReady(redis) ? undefined : policy;
}

const isReady = ({ status }: RedisClient): boolean => status === 'ready';

const isWrong = (policy: string): boolean => policy !== GOOD_POLICY && policy !== UNKNOWN;

function describe(policy: string): string {
  return `Redis has maxmemory-policy ${policy} and would drop jobs when its memory is full: set it to ${GOOD_POLICY}, or REDIS_MAY_EVICT=true to go on all the same`;
}

function tell(policy: string, log: Log): void {
  if (isWrong(policy)) log.warn({ policy }, describe(policy));
  if (policy === UNKNOWN) log.warn(`Redis does not tell its maxmemory-policy; it has to be ${GOOD_POLICY}`);
}

/** Until the next look: a while, or until Redis comes into reach for the first time. */
async function whenDue(
  { redis, signal, intervalMs = INTERVAL_MS }: PolicyGuardOptions,
  isKnown: boolean,
): Promise<void> {
  const ready = new AbortController();
  const onReady = (): void => {
    ready.abort();
  };
  if (!isKnown) redis.once('ready', onReady);
  await wait(intervalMs, AbortSignal.any([signal, ready.signal]));
  redis.off('ready', onReady);
}

/**
 * The eviction policy: INFO names it, and where a managed service forbids that, CONFIG may. `unknown` when both are refused: that is no reason not to
 * start. Never rejects.
 */
async function readEvictionPolicy(redis: RedisClient, log: Log): Promise<string> {
  const ways = [
    async () => parseEvictionPolicy(await redis.info('memory')),
    async () => (await redis.config('GET', 'maxmemory-policy'))[1] ?? UNKNOWN,
  ];
  for (const ask of ways) {
    try {
      const policy = await ask();
      if (policy !== UNKNOWN) return policy;
    } catch (error) {
      log.debug({ reason: errorText(error) }, 'Redis refuses to tell its maxmemory-policy');
    }
  }
  return UNKNOWN;
}

/** The eviction policy that an answer to `INFO memory` names; `unknown` when it names none. */
export function parseEvictionPolicy(info: string): string {
  return /^maxmemory_policy:(.*?)\r?$/m.exec(info)?.[1] ?? UNKNOWN;
}
