import type { Profiler, Runtime } from 'node:inspector';
import type { HeapSpaceInfo } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { Function as PprofFunction, Line, Location, Profile, Sample, StringTable, ValueType } from 'pprof-format';

/** A unit of a profile, such as samples in `count` or time in `nanoseconds`. */
type Unit = readonly [type: string, unit: string];

/** What the values of a profile mean, and what `interval` counts. */
interface Meaning {
  units: readonly Unit[];
  period: Unit;
}

const CPU: Meaning = {
  units: [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ],
  period: ['cpu', 'nanoseconds'],
};
const HEAP: Meaning = {
  units: [
    ['inuse_objects', 'count'],
    ['inuse_space', 'bytes'],
  ],
  period: ['space', 'bytes'],
};

/** Collects call stacks in pprof's form: strings, functions and locations once each, samples by reference. */
class ProfileBuilder {
  readonly #strings = new StringTable();
  readonly #functions: PprofFunction[] = [];
  readonly #locations: Location[] = [];
  readonly #locationIds = new Map<string, number>();
  readonly #samples: Sample[] = [];

  /** Adds a sample; the innermost frame comes first. */
  add(stack: readonly Runtime.CallFrame[], value: number[]): void {
    this.#samples.push(new Sample({ locationId: stack.map((frame) => this.#locate(frame)), value }));
  }

  /** The finished profile, gzipped as pprof's readers expect it. */
  build(about: Meaning & { interval: number; at: Date; durationNanos?: number }): Buffer {
    const profile = new Profile({
      sampleType: about.units.map((unit) => this.#unit(unit)),
      sample: this.#samples,
      location: this.#locations,
      function: this.#functions,
      stringTable: this.#strings,
      timeNanos: BigInt(about.at.getTime()) * 1_000_000n,
      durationNanos: about.durationNanos ?? 0,
      periodType: this.#unit(about.period),
      period: about.interval,
    });
    return gzipSync(profile.encode());
  }

  #locate(frame: Runtime.CallFrame): number {
    const key = `${frame.scriptId}:${frame.lineNumber}:${frame.columnNumber}:${frame.functionName}`;
    const known = this.#locationIds.get(key);
    if (known !== undefined) return known;
    const id = this.#locations.length + 1;
    const name = this.#strings.dedup(frame.functionName || '(anonymous)');
    const filename = this.#strings.dedup(frame.url.replace(/^file:\/\//, ''));
    const line = frame.lineNumber + 1;
    this.#functions.push(new PprofFunction({ id, name, systemName: name, filename, startLine: line }));
    this.#locations.push(new Location({ id, line: [new Line({ functionId: id, line })] }));
    this.#locationIds.set(key, id);
    return id;
  }

  #unit([type, unit]: Unit): ValueType {
    return new ValueType({ type: this.#strings.dedup(type), unit: this.#strings.dedup(unit) });
  }
}

/** Call stacks by node, innermost frame first, without the root that V8 puts above all. */
function readStacks<Node extends { callFrame: Runtime.CallFrame }>(
  root: Node,
  childrenOf: (node: Node) => readonly Node[],
): Map<Node, Runtime.CallFrame[]> {
  const stacks = new Map<Node, Runtime.CallFrame[]>([[root, []]]);
  // A map is walked in the order of insertion, new entries included: parents before their children.
  for (const [node, stack] of stacks)
    for (const child of childrenOf(node)) stacks.set(child, [child.callFrame, ...stack]);
  return stacks;
}

/** Time between two samples counts for the first of them; the last one has no time. */
function sumByNode({ samples = [], timeDeltas = [] }: Profiler.Profile): Map<number, { count: number; nanos: number }> {
  const sums = new Map<number, { count: number; nanos: number }>();
  for (const [index, id] of samples.entries()) {
    const sum = sums.get(id) ?? { count: 0, nanos: 0 };
    sums.set(id, { count: sum.count + 1, nanos: sum.nanos + Math.max(0, timeDeltas[index + 1] ?? 0) * 1000 });
  }
  return sums;
}

/**
 * Encodes a CPU profile of V8 as pprof: samples and CPU time per call stack. Time without work is left out, as a CPU profile has none of it.
 * `intervalMicros` is the time between samples, `at` when the profile began.
 */
export function encodeCpuProfile(profile: Profiler.Profile, at: Date, intervalMicros: number): Buffer {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const [root] = profile.nodes;
  const builder = new ProfileBuilder();
  const sums = sumByNode(profile);
  const childrenOf = ({ children = [] }: Profiler.ProfileNode) => children.flatMap((id) => nodes.get(id) ?? []);
  for (const [node, stack] of root === undefined ? [] : readStacks(root, childrenOf)) {
    const sum = sums.get(node.id);
    if (sum !== undefined && stack.length > 0 && node.callFrame.functionName !== '(idle)')
      builder.add(stack, [sum.count, sum.nanos]);
  }
  return builder.build({
    ...CPU,
    interval: intervalMicros * 1000,
    at,
    durationNanos: Math.round((profile.endTime - profile.startTime) * 1000),
  });
}

/** A node of V8's sampled heap profile. Node's types lack the identifier and the samples. */
interface HeapNode {
  id: number;
  callFrame: Runtime.CallFrame;
  selfSize: number;
  children: readonly HeapNode[];
}

/** V8's sampled heap profile. */
export interface SampledHeap {
  head: HeapNode;
  samples: readonly { nodeId: number }[];
}

/** Encodes a sampled heap profile of V8 as pprof: live objects and bytes per allocating call stack. `at` is when it was taken. */
export function encodeHeapProfile({ head, samples }: SampledHeap, at: Date, intervalBytes: number): Buffer {
  const counts = new Map<number, number>();
  for (const { nodeId } of samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  const builder = new ProfileBuilder();
  for (const [node, stack] of readStacks(head, ({ children }) => children))
    if (node.selfSize > 0 && stack.length > 0) builder.add(stack, [counts.get(node.id) ?? 0, node.selfSize]);
  return builder.build({ ...HEAP, interval: intervalBytes, at });
}

/** Encodes how large the spaces of the heap are, each as a function of that name: what can be said of a heap that was not sampled. */
export function encodeHeapSpaces(spaces: readonly HeapSpaceInfo[], at: Date): Buffer {
  const builder = new ProfileBuilder();
  for (const { space_name: functionName, space_used_size: bytes } of spaces)
    builder.add([{ functionName, scriptId: '', url: '', lineNumber: 0, columnNumber: 0 }], [1, bytes]);
  return builder.build({ ...HEAP, interval: 1, at });
}
