import type { Config } from '../config.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Trace } from '../trace/trace.ts';

/** What a role is started with. */
export interface RoleContext {
  config: Config;
  log: Log;
  trace: Trace;
  /** Aborts when the process is asked to end; a role that is still starting then rejects with the signal's reason. */
  signal: AbortSignal;
}

/** A started role. */
export interface Running {
  /** Ends by itself only for one-shot roles; rejects when the role cannot go on. */
  ended: Promise<void>;
  /** Stops all parts in the reverse order of their start; never rejects. */
  stop(): Promise<void>;
}

/** Starts a role; resolves when its parts work. */
export type StartRole = (context: RoleContext) => Promise<Running>;

/** The parts of a role that have been started, to be stopped in the reverse order. */
export class Closers {
  readonly #log: Log;
  readonly #parts: { name: string; close: () => Promise<void> | void }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Notes how a part is stopped. */
  add(name: string, close: () => Promise<void> | void): void {
    this.#parts.push({ name, close });
  }

  /** Stops everything, last started first. An error of one part is logged and does not keep the others running. */
  async close(): Promise<void> {
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await part.close();
      } catch (error) {
        this.#log.error({ reason: errorText(error) }, `could not stop the ${part.name} cleanly`);
      }
    }
  }
}

/** What building a role may leave: a promise of its end. A role without one runs until it is stopped. */
export interface Ending {
  ended: Promise<void>;
}

/** Builds a role from its parts: what `build` has started before it failed is stopped again. */
export async function startParts(
  context: RoleContext,
  build: (closers: Closers) => Promise<Ending | undefined>,
): Promise<Running> {
  const closers = new Closers(context.log);
  try {
    const { ended } = (await build(closers)) ?? { ended: new Promise<void>(() => undefined) };
    return { ended, stop: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
