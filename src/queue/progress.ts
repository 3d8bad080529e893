import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnections } from './connection.ts';
import { buildKeys } from './keys.ts';

/** How far an installation, update or removal has come. */
export interface Progress {
  /** Key of the KubeVirt object. */
  key: string;
  /** Phase of the KubeVirt object. */
  phase: string;
  /** Name of the step that is being done or waited for. */
  step: string;
  objectsDone: number;
  objectsTotal: number;
  workloadsReady: number;
  workloadsTotal: number;
  /** Id of the pass that wrote this. */
  pass: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
}

/** The current progress, kept in Redis and told on a channel. */
export class ProgressBoard {
  readonly #redis: RedisConnections;
  readonly #log: Log;
  /** Key and channel. */
  readonly #name: string;

  constructor(redis: RedisConnections, log: Log) {
    this.#redis = redis;
    this.#log = log;
    this.#name = buildKeys(redis.prefix).progress;
  }

  /** Replaces the progress. Never rejects: a display is no reason to fail. */
  async write(progress: Progress): Promise<void> {
    const text = JSON.stringify(progress);
    try {
      await this.#redis.impatient.multi().set(this.#name, text).publish(this.#name, text).exec();
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, 'the progress is not shown');
    }
  }

  /** Forgets the progress of an object that is gone. Never rejects. */
  async clear(key: string): Promise<void> {
    try {
      if ((await this.read())?.key === key) await this.#redis.impatient.del(this.#name);
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, 'the progress of an object that is gone is still shown');
    }
  }

  /** The last progress; absent when none was ever written. Rejects when Redis is out of reach. */
  async read(): Promise<Progress | undefined> {
    const text = await this.#redis.impatient.get(this.#name);
    return text === null ? undefined : (JSON.parse(text) as Progress);
  }

  /** Calls `listener` with each new progress until `signal` aborts. Resolves when it listens; waits for Redis. */
  async follow(listener: (progress: Progress) => void, signal: AbortSignal): Promise<void> {
    const subscriber = this.#redis.subscriber();
    const onMessage = (channel: string, text: string): void => {
      if (channel === this.#name) listener(JSON.parse(text) as Progress);
    };
    subscriber.on('message', onMessage);
    signal.addEventListener(
      'abort',
      () => {
        subscriber.off('message', onMessage);
      },
      { once: true },
    );
    await subscriber.subscribe(this.#name);
  }
}
