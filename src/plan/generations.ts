import { createHash } from 'node:crypto';

import { generationIdentity, isSameGenerationIdentity } from '../api/generations.ts';
import type { KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';

/** The entry of an object in `status.generations`; undefined when it was never recorded. */
function findGeneration(
  generations: readonly GenerationStatus[],
  kind: KindName,
  object: KubernetesObject,
): GenerationStatus | undefined {
  const identity = generationIdentity(kind, object.metadata);
  return identity && generations.find((entry) => isSameGenerationIdentity(entry, identity));
}

/**
 * What status.generations tells about a live object: `unchanged`, nobody has changed its spec since our last write, and that write was of this very
 * spec; `outdated`, nobody has changed it, but we want another spec now; `unknown`, only a comparison of the specs can tell.
 */
export type Recorded = 'unchanged' | 'outdated' | 'unknown';

/** Reads the record of `live`. `hash` is that of the spec wanted now; entries written by upstream carry none. */
export function readRecord(
  generations: readonly GenerationStatus[],
  kind: KindName,
  live: KubernetesObject,
  hash: string,
): Recorded {
  const entry = findGeneration(generations, kind, live);
  if (entry?.lastGeneration !== live.metadata.generation) return 'unknown';
  // An empty hash is how upstream writes "none".
  if (entry?.hash === undefined || entry.hash === '') return 'unknown';
  return entry.hash === hash ? 'unchanged' : 'outdated';
}

/** Whether the generation of `live` is the one that our last write left. */
export function isGenerationRecorded(
  generations: readonly GenerationStatus[],
  kind: KindName,
  live: KubernetesObject,
): boolean {
  const { generation } = live.metadata;
  return generation !== undefined && findGeneration(generations, kind, live)?.lastGeneration === generation;
}

/** Whether `live` is as somebody created it, and no write of it was ever recorded. */
export function isUnrecordedSinceCreation(
  generations: readonly GenerationStatus[],
  kind: KindName,
  live: KubernetesObject,
): boolean {
  return live.metadata.generation === 1 && findGeneration(generations, kind, live) === undefined;
}

/**
 * A short fingerprint of a wanted spec: the same for equal JSON in any key order. It stands beside the generation in the status, so that a spec which
 * somebody else's mutating webhook alters on its way in is not written again and again.
 */
export function hashSpec(spec: unknown): string {
  return createHash('sha256').update(canonicalJson(spec)).digest('hex').slice(0, 16);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
