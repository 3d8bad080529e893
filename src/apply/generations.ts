import { generationIdentity, isSameGenerationIdentity } from '../api/generations.ts';
import type { KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import { TEMPORARY_WEBHOOK_PREFIX } from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';

/**
 * The list with the generation that `object` has after our write of it, and `hash` beside it: its entry changed in place, or a new one at the end.
 * The same list for objects that are not recorded: those of other kinds, and temporary webhooks (spec/apply.md §3, §5.10).
 */
export function recordGeneration(
  generations: readonly GenerationStatus[],
  kind: KindName,
  object: KubernetesObject,
  hash?: string,
): readonly GenerationStatus[] {
  const identity = generationIdentity(kind, object.metadata);
  const { name = '', generation } = object.metadata;
  const isRecorded = identity !== undefined && generation !== undefined && !name.startsWith(TEMPORARY_WEBHOOK_PREFIX);
  if (!isRecorded) return generations;
  const entry: GenerationStatus = {
    ...identity,
    lastGeneration: generation,
    ...(hash === undefined ? {} : { hash }),
  };
  const index = generations.findIndex((each) => isSameGenerationIdentity(each, entry));
  return index === -1 ? [...generations, entry] : generations.with(index, entry);
}
