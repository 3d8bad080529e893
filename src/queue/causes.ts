import type { Cause } from '../api/causes.ts';
import type { KindName } from '../api/kinds.ts';
import { compareResourceVersions, type ResourceVersions } from '../api/store.ts';

/** An object that we have deleted, and that a cache may still show. */
export interface AwaitedDelete {
  kind: KindName;
  uid: string;
}

/** What a pass takes from the queue when it begins. */
export interface Taken {
  /** Why the key was queued since the last take, oldest first, without the answers to our own writes. Empty: there is no reason for a pass. */
  causes: Cause[];
  /** What the caches must have seen before anything is decided. */
  versions: ResourceVersions;
  /** Our own deletes of the last minutes. */
  deletes: AwaitedDelete[];
}

/** Every change of these enqueues, even when it is the answer to our own write: a roll-out is followed by them (design decision 8). */
const ALWAYS_A_CAUSE: ReadonlySet<KindName> = new Set<KindName>(['Deployment', 'DaemonSet', 'Pod', 'KubeVirt']);

/** The causes that tell of one change of one object. */
const CHANGES: ReadonlySet<Cause['type']> = new Set<Cause['type']>(['added', 'modified', 'deleted']);

/**
 * The name of the write that a cause may be the answer to; absent when it tells of no single change, or of one that counts whoever made it.
 * A note says that the cause stands for more than its one version, for example for changes that came while the queue was busy: that one of them was
 * ours says nothing about the others.
 */
export function writeNameOf(cause: Cause): string | undefined {
  const { type, kind, resourceVersion, note } = cause;
  if (!CHANGES.has(type) || note !== undefined) return undefined;
  if (kind === undefined || resourceVersion === undefined || ALWAYS_A_CAUSE.has(kind)) return undefined;
  return buildWriteName(kind, resourceVersion);
}

/** The name under which a write is remembered: `kind/resourceVersion`. */
export function buildWriteName(kind: KindName, resourceVersion: string): string {
  return `${kind}/${resourceVersion}`;
}

/** The causes that are not answers to our own writes, in their order. */
export function withoutOwnWrites(causes: readonly Cause[], isOwn: (writeName: string) => boolean): Cause[] {
  return causes.filter((cause) => {
    const name = writeNameOf(cause);
    return name === undefined || !isOwn(name);
  });
}

/** Reads a list of causes as Redis keeps it. Unreadable entries, which only a foreign program writes, become a cause that says so. */
export function parseCauses(lines: readonly string[], dropped: number, now: number): Cause[] {
  const causes = lines.map((line) => parseCause(line, now));
  if (dropped > 0) causes.unshift({ type: 'resync', note: `${dropped} earlier causes are not listed`, at: now });
  return causes;
}

function parseCause(line: string, now: number): Cause {
  try {
    return JSON.parse(line) as Cause;
  } catch {
    return { type: 'requested', note: 'a cause that could not be read', at: now };
  }
}

/** For each kind the higher of two versions. */
export function highestVersions(a: ResourceVersions, b: ResourceVersions): ResourceVersions {
  const highest: ResourceVersions = { ...a };
  for (const [kind, version] of Object.entries(b) as [KindName, string][]) {
    const known = highest[kind];
    if (known === undefined || compareResourceVersions(known, version) < 0) highest[kind] = version;
  }
  return highest;
}

/** True for a resource version that can be compared: a decimal number of any length. */
export function isComparable(resourceVersion: string | undefined): resourceVersion is string {
  return resourceVersion !== undefined && /^[1-9]\d*$/.test(resourceVersion);
}
