import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { escapePointer, nameOf, testOperation } from './json-patch.ts';
import type { Action, JsonPatchOperation, PassContext } from './types.ts';

const KIND = 'CustomResourceDefinition';
/** Annotation of ours that comes and goes: all that matters is that the CRD changes. */
const NUDGE_ANNOTATION = 'kubevirt.io/nudged-to-establish';
/** From accepted names to established takes an API server less, however busy it is. */
const STUCK_AFTER_MS = 10_000;

/**
 * An API server that ends between accepting the names of a CRD and establishing it forgets the latter: it comes back to such a CRD only when that
 * changes. So one that stays unestablished is changed a little, and the change undone when it is established.
 */
export function planNudges(names: readonly string[], { world, now }: Pick<PassContext, 'world' | 'now'>): Action[] {
  return names.flatMap((name): Action[] => {
    const live = world.get(KIND, name);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return [];
    const isNudged = NUDGE_ANNOTATION in (live.metadata.annotations ?? {});
    if (isNudged === isStuck(live, now)) return [];
    return [{ verb: 'patch', kind: KIND, ...nameOf(live), operations: buildChange(live, isNudged), unrecorded: true }];
  });
}

/** True once the API server serves the CRD. */
export function isEstablished(definition: KubernetesObject | undefined): boolean {
  return conditionOf(definition, 'Established')?.status === 'True';
}

function isStuck(definition: KubernetesObject, now: Date): boolean {
  if (isEstablished(definition)) return false;
  const accepted = conditionOf(definition, 'NamesAccepted');
  if (accepted?.status !== 'True' || typeof accepted.lastTransitionTime !== 'string') return false;
  return now.getTime() - Date.parse(accepted.lastTransitionTime) > STUCK_AFTER_MS;
}

function buildChange(live: KubernetesObject, isNudged: boolean): JsonPatchOperation[] {
  const path = `/metadata/annotations/${escapePointer(NUDGE_ANNOTATION)}`;
  const guard = testOperation('resourceVersion', live);
  return isNudged ? [guard, { op: 'remove', path }] : [guard, { op: 'add', path, value: '' }];
}

function conditionOf(definition: KubernetesObject | undefined, type: string): JsonObject | undefined {
  return ((definition?.status?.conditions ?? []) as JsonObject[]).find((condition) => condition.type === type);
}
