import type { Response } from 'express';
import { errorText } from '../errors.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import type { Session } from './guard.ts';
import type { Overview, OverviewSource } from './overview.ts';

/** How often to look although nothing was told: counts change silently, and messages of Redis may be lost. */
const POLL_MS = 2000;
/** News that come closer than this are looked at together. */
const GATHER_MS = 100;
/** Often enough for proxies to keep the connection open, and for the page to notice a dead one. */
const BEAT_MS = 10_000;
/** Pages that may look at once. */
const STREAMS_MAX = 50;

/** Whether Redis answers; without it the other parts are the last ones that were seen. */
export type RedisState =
  | { state: 'ready' }
  /** No queue of a cluster was found in Redis yet. */
  | { state: 'searching' }
  | { state: 'away'; reason: string; since: number };

/** The parts of the run page; each is one kind of event, sent when it changes. */
export type Parts = { redis: RedisState } & Partial<Overview>;

/** Tells all open run pages what changes. While no page is open, it asks nothing of Redis. */
export class Live {
  readonly #streams = new Map<EventStream, Session | undefined>();
  /** What the open pages know, as JSON, by part. */
  readonly #known = new Map<string, string>();
  #source: OverviewSource | undefined;
  #stopFollowing: (() => void) | undefined;
  #timers: NodeJS.Timeout[] = [];
  #gathering: NodeJS.Timeout | undefined;
  /** Looks that were asked for since it last began to look. */
  #looks = 0;
  #awaySince: number | undefined;

  /** Begins to show what `source` tells; before that, the pages say that it is being looked for. */
  attach(source: OverviewSource): void {
    this.#source = source;
    if (this.#streams.size > 0) this.#start();
  }

  /** Makes the response a stream of events, until the session ends. `hello` is what the page is told about itself. */
  join(response: Response, hello: Record<string, unknown>, session?: Session): void {
    if (this.#streams.size >= STREAMS_MAX) {
      response.status(503).json({ error: `${STREAMS_MAX} pages are open; close one` });
      return;
    }
    const ending = session && setTimeout(() => response.end(), session.endsAt - Date.now());
    const stream = openEventStream(response, () => {
      clearTimeout(ending);
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#pause();
    });
    stream.send('hello', JSON.stringify({ ...hello, now: Date.now() }));
    for (const [part, text] of this.#known) stream.send(part, text);
    this.#streams.set(stream, session);
    if (this.#streams.size === 1) this.#start();
  }

  /** Ends the streams of a session: their pages come back and have to sign in. */
  endSession(id: string): void {
    for (const [stream, session] of this.#streams) if (session?.id === id) stream.close();
  }

  /** Ends all streams. */
  stop(): void {
    for (const stream of this.#streams.keys()) stream.close();
    this.#streams.clear();
    this.#pause();
  }

  #start(): void {
    this.#pause();
    this.#stopFollowing = this.#source?.follow(() => {
      this.#gathering ??= setTimeout(this.#look, GATHER_MS);
    });
    this.#timers = [setInterval(this.#look, POLL_MS), setInterval(this.#beat, BEAT_MS)];
    this.#look();
  }

  #pause(): void {
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#known.clear();
  }

  readonly #beat = (): void => {
    for (const stream of this.#streams.keys()) stream.send('beat', JSON.stringify({ now: Date.now() }));
  };

  readonly #look = (): void => {
    this.#gathering = undefined;
    this.#looks += 1;
    if (this.#looks === 1) void this.#lookUntilDone();
  };

  /** Looks once more when news have come meanwhile. */
  async #lookUntilDone(): Promise<void> {
    for (let begun = 0; begun < this.#looks;) {
      begun = this.#looks;
      const parts = await this.#readParts();
      if (this.#streams.size > 0) this.#tell(parts);
    }
    this.#looks = 0;
  }

  async #readParts(): Promise<Parts> {
    if (this.#source === undefined) return { redis: { state: 'searching' } };
    try {
      const overview = await this.#source.read();
      this.#awaySince = undefined;
      return { redis: { state: 'ready' }, ...overview };
    } catch (error) {
      this.#awaySince ??= Date.now();
      return { redis: { state: 'away', reason: errorText(error), since: this.#awaySince } };
    }
  }

  #tell(parts: Parts): void {
    for (const [part, value] of Object.entries(parts)) {
      const text = JSON.stringify(value);
      if (this.#known.get(part) === text) continue;
      this.#known.set(part, text);
      for (const stream of this.#streams.keys()) stream.send(part, text);
    }
  }
}
