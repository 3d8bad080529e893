import { Session } from 'node:inspector/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { encodeCpuProfile, encodeHeapProfile, encodeHeapSpaces, type SampledHeap } from './pprof.ts';

/** Time between two CPU samples: Go's hundred a second. */
const CPU_INTERVAL_MICROS = 10_000;
/** Bytes between two heap samples, as in Go. */
const HEAP_INTERVAL_BYTES = 512 * 1024;
/** A profile that nobody stops ends by itself: it costs memory for as long as it runs. */
const LONGEST_MS = 600_000;

/** Profiles of one process: gzipped pprof by file name, as in upstream's answer (spec/observability.md §8). */
export type ProfileFiles = Record<string, Buffer>;

/** Records profiles of this process with V8's own profiler. Calls are carried out one after the other. */
export class Recorder {
  #session: Session | undefined;
  #startedAt = new Date(0);
  #timer: NodeJS.Timeout | undefined;
  /** Results of the last recording. */
  #finished: ProfileFiles = {};
  #turn: Promise<unknown> = Promise.resolve();

  /** True while a profile is being recorded. */
  get isRecording(): boolean {
    return this.#session !== undefined;
  }

  /** Discards what was recorded before, and records CPU and heap anew. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      this.#end();
      this.#finished = {};
      const session = new Session();
      session.connect();
      this.#session = session;
      this.#startedAt = new Date();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL_MICROS });
      await session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES });
      await session.post('Profiler.start');
      this.#timer = setTimeout(() => void this.stop(), LONGEST_MS).unref();
    });
  }

  /** Ends the recording and keeps its result; without a recording it does nothing. */
  stop(): Promise<void> {
    return this.#inTurn(async () => {
      const session = this.#session;
      if (session === undefined) return;
      const { profile } = await session.post('Profiler.stop');
      const cpu = encodeCpuProfile(profile, this.#startedAt, CPU_INTERVAL_MICROS);
      this.#finished = { 'heap.pprof': await readHeap(session), 'cpu.pprof': cpu };
      this.#end();
    });
  }

  /** Ends the recording and forgets every result. */
  discard(): Promise<void> {
    return this.#inTurn(() => {
      this.#end();
      this.#finished = {};
      return Promise.resolve();
    });
  }

  /**
   * What there is: CPU and heap of the last finished recording; while one runs, the heap so far; without any, the sizes of the heap's spaces.
   */
  dump(): Promise<ProfileFiles> {
    return this.#inTurn(async () => {
      if (this.#session !== undefined) return { 'heap.pprof': await readHeap(this.#session) };
      return { 'heap.pprof': encodeHeapSpaces(getHeapSpaceStatistics(), new Date()), ...this.#finished };
    });
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#session?.disconnect();
    this.#session = undefined;
  }

  /** The inspector mixes up commands that overlap. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The objects that are alive of those allocated since the recording began; garbage is collected first. */
async function readHeap(session: Session): Promise<Buffer> {
  await session.post('HeapProfiler.collectGarbage');
  const { profile } = await session.post('HeapProfiler.getSamplingProfile');
  return encodeHeapProfile(profile as unknown as SampledHeap, new Date(), HEAP_INTERVAL_BYTES);
}
