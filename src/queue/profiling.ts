import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { wait } from './wait.ts';

/** What one process can be told to do with its own profiler. */
export interface Profiled {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Its profiles by file name. */
  dump(): Promise<Record<string, Buffer>>;
}

/** How long the other processes have for their profiles, the garbage collection before a heap profile included. */
const ANSWER_MS = 3000;
const LOOK_AGAIN_MS = 25;
/** Profiles that nobody has fetched leave Redis by themselves. */
const KEEP_SECONDS = 60;

const message = z.object({ id: z.string(), from: z.string(), command: z.enum(['start', 'stop', 'dump']) });
const reply = z.object({ name: z.string(), files: z.record(z.string(), z.base64()) });

/** What profiling needs of this process. */
export interface ProfilingOptions {
  redis: RedisConnections;
  /** Name of this process, for people; need not be unique. */
  name: string;
  profiled: Profiled;
  /** The cluster's switch: what comes by Redis obeys it as well. */
  isEnabled: () => boolean;
  log: Log;
}

/** Lets the processes of one cluster profile each other: a channel for commands, a list per question for the answers. */
export class Profiling {
  readonly #options: ProfilingOptions;
  readonly #channel: string;
  /** Tells own messages from those of others. */
  readonly #self = randomUUID();

  constructor(options: ProfilingOptions) {
    this.#options = options;
    this.#channel = `${options.redis.prefix}:profiler`;
  }

  /** Obeys the other processes until the returned function is called; waits for Redis in the background. */
  listen(): () => void {
    const { redis, log } = this.#options;
    const subscriber = redis.subscriber();
    const onMessage = (channel: string, text: string): void => {
      if (channel === this.#channel)
        this.#obey(text).catch((error: unknown) => {
          log.warn({ reason: errorText(error) }, 'a command of the profiler was not carried out');
        });
    };
    subscriber.on('message', onMessage);
    subscriber.subscribe(this.#channel).catch((error: unknown) => {
      log.debug({ reason: errorText(error) }, 'commands of the profiler do not come through');
    });
    return () => {
      subscriber.off('message', onMessage);
    };
  }

  /** Tells all other processes. Rejects when Redis is away. */
  async tell(command: 'start' | 'stop'): Promise<void> {
    await this.#send({ command, id: randomUUID() });
  }

  /** The profiles of all other processes that answer within three seconds, by name. Rejects when Redis is away. */
  async collect(): Promise<Record<string, Record<string, Buffer>>> {
    const id = randomUUID();
    const { impatient } = this.#options.redis;
    // Everybody who listens counts, this process among them if it does; on a Redis Cluster the number is that of one node, so it only ends the wait early.
    const listeners = await this.#send({ command: 'dump', id });
    const answers = this.#answersOf(id);
    const end = performance.now() + ANSWER_MS;
    while (performance.now() < end && (await impatient.llen(answers)) < listeners - 1) await wait(LOOK_AGAIN_MS);
    const lines = await impatient.lrange(answers, 0, -1);
    await impatient.del(answers);
    return nameAll(lines);
  }

  async #send(content: { command: string; id: string }): Promise<number> {
    const text = JSON.stringify({ ...content, from: this.#self });
    return this.#options.redis.impatient.publish(this.#channel, text);
  }

  async #obey(text: string): Promise<void> {
    const { id, from, command } = message.parse(JSON.parse(text));
    const { profiled, isEnabled, name, redis } = this.#options;
    if (from === this.#self || !isEnabled()) return;
    if (command !== 'dump') return profiled[command]();
    const files = Object.entries(await profiled.dump()).map(([file, content]) => [file, content.toString('base64')]);
    const answer = JSON.stringify({ name, files: Object.fromEntries(files) as Record<string, string> });
    const answers = this.#answersOf(id);
    await redis.impatient.multi().rpush(answers, answer).expire(answers, KEEP_SECONDS).exec();
  }

  #answersOf(id: string): string {
    return `${this.#channel}:${id}`;
  }
}

/** Answers by name of their process; of several with one name, the later ones are numbered. */
function nameAll(lines: readonly string[]): Record<string, Record<string, Buffer>> {
  const named: Record<string, Record<string, Buffer>> = {};
  for (const line of lines) {
    const { name, files } = reply.parse(JSON.parse(line));
    const taken = Object.keys(named).filter((each) => each === name || each.startsWith(`${name}-`)).length;
    const decoded = Object.entries(files).map(([file, text]): [string, Buffer] => [file, Buffer.from(text, 'base64')]);
    named[taken === 0 ? name : `${name}-${taken + 1}`] = Object.fromEntries(decoded);
  }
  return named;
}
