import type { Queue } from 'bullmq';
import type { RedisConnections } from '../queue/connection.ts';
import { readCounts, type QueueCounts } from '../queue/counts.ts';
import { buildKeys } from '../queue/keys.ts';
import { readLeader } from '../queue/lock.ts';
import { PassLog, type PassRecord } from '../queue/pass-log.ts';
import { ProgressBoard, type Progress } from '../queue/progress.ts';
import { SituationBoard, type Situation } from '../queue/situation.ts';
import { readWakeUps, type ArmedWakeUp } from '../queue/wake-ups.ts';
import type { Log } from '../log.ts';

/** Passes that the run page shows without being asked for more. */
const RECENT_PASSES = 12;
/** Causes, written objects and errors of a pass that are shown; their numbers are told besides. */
const LISTED_MAX = 20;

/** A pass as the run page shows it. */
export interface ShownPass extends PassRecord {
  /** How many errors there were; `errors` holds the first ones. */
  errorsTotal: number;
}

/** What the run page shows, part by part. Times are milliseconds since the epoch. */
export interface Overview {
  /** How far the last pass with steps has come; null before the first. */
  progress: Progress | null;
  situations: Situation[];
  /** Null when nobody leads. */
  leader: { holder: string; since: number } | null;
  /** Jobs of the queue `reconcile` by state. */
  queue: QueueCounts;
  wakeUps: ArmedWakeUp[];
  /** The last passes, newest first. */
  passes: ShownPass[];
}

/** Where the run page gets what it shows. */
export interface OverviewSource {
  /** Rejects when Redis is out of reach, with a reason for people. */
  read(): Promise<Overview>;
  /** All passes that are kept, newest first. Rejects like `read`. */
  readPasses(): Promise<ShownPass[]>;
  /** Calls `listener` whenever something may have changed, until the returned function is called. Changes of counts alone are not told. */
  follow(listener: () => void): () => void;
}

/** Reads everything from Redis; the queue is one on the same connections. */
export function createOverviewSource(parts: { redis: RedisConnections; queue: Queue; log: Log }): OverviewSource {
  const { redis, queue, log } = parts;
  const passLog = new PassLog(redis, log);
  const progress = new ProgressBoard(redis, log);
  const situations = new SituationBoard(redis, log);
  const readPasses = async (limit?: number) => (await passLog.read(limit)).map(shortenPass);
  const read = async (): Promise<Overview> => {
    const [progressNow, situationsNow, leader, counts, wakeUps, passes] = await Promise.all([
      progress.read(),
      situations.read(),
      readLeader(redis),
      readCounts(redis, queue),
      readWakeUps(redis),
      readPasses(RECENT_PASSES),
    ]);
    if (counts === undefined) throw new Error('the jobs of the queue cannot be counted');
    return {
      progress: progressNow ?? null,
      situations: situationsNow,
      leader: leader === undefined ? null : { holder: leader.holder, since: leader.fence },
      queue: counts,
      wakeUps,
      passes,
    };
  };
  const connection = rememberTrouble(redis);
  return {
    read: () => connection.explain(read()),
    readPasses: () => connection.explain(readPasses()),
    follow: (listener) => followChannels(redis, listener, log),
  };
}

function shortenPass(pass: PassRecord): ShownPass {
  const { causes, written = [], errors = [] } = pass;
  return {
    ...pass,
    causes: causes.slice(0, LISTED_MAX),
    written: written.slice(0, LISTED_MAX),
    errors: errors.slice(0, LISTED_MAX),
    errorsTotal: errors.length,
  };
}

/** A command that finds no connection does not know why there is none; the connection's last error does. */
function rememberTrouble({ impatient }: RedisConnections): { explain<T>(reading: Promise<T>): Promise<T> } {
  let trouble: Error | undefined;
  impatient.on('error', (error: Error) => {
    trouble = error;
  });
  impatient.on('ready', () => {
    trouble = undefined;
  });
  return {
    explain: (reading) =>
      reading.catch((error: unknown) => {
        throw trouble ?? error;
      }),
  };
}

function followChannels(redis: RedisConnections, listener: () => void, log: Log): () => void {
  const { progress, situations, passes, lockEvents } = buildKeys(redis.prefix);
  const channels = [progress, situations, passes, lockEvents];
  const subscriber = redis.subscriber();
  const onMessage = (channel: string): void => {
    if (channels.includes(channel)) listener();
  };
  subscriber.on('message', onMessage);
  redis.impatient.on('ready', listener);
  redis.impatient.on('close', listener);
  // What was told before the subscription held was missed.
  subscriber.subscribe(...channels).then(listener, (error: unknown) => {
    log.debug({ err: error }, 'no news from Redis; the dashboard looks now and then');
  });
  return () => {
    subscriber.off('message', onMessage);
    redis.impatient.off('ready', listener);
    redis.impatient.off('close', listener);
  };
}
