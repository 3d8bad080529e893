import { CRD_FINALIZER } from '../api/names.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { nameOf, testOperation } from './json-patch.ts';
import type { Action, JsonPatchOperation } from './types.ts';

const KIND = 'CustomResourceDefinition';
const PATH = '/metadata/finalizers';

function finalizersOf({ metadata }: KubernetesObject): readonly string[] {
  return metadata.finalizers ?? [];
}

/** Whether a CRD stays served after its deletion until we let it go. */
export function isHeld(definition: KubernetesObject): boolean {
  return finalizersOf(definition).includes(CRD_FINALIZER);
}

/** Reasons for which the API server has nothing left to delete: it has deleted the last instance, or has never served any. */
const EMPTIED: readonly unknown[] = ['InstanceDeletionCompleted', 'NeverEstablished', 'OverlappingBuiltInResource'];

/**
 * Terminating, and without instances. Upstream waits for the first of the reasons alone, and so for ever when the CRD was deleted before it was
 * established (spec/reconcile.md §4).
 */
export function isEmptied({ metadata, status }: KubernetesObject): boolean {
  const conditions = (status?.conditions ?? []) as JsonObject[];
  return (
    metadata.deletionTimestamp !== undefined &&
    conditions.some(({ type, status: value, reason }) => {
      return type === 'Terminating' && value === 'False' && EMPTIED.includes(reason);
    })
  );
}

/** Puts our finalizer on a CRD (spec/reconcile.md §4). */
export function planHold(definition: KubernetesObject): Action {
  return {
    verb: 'patch',
    kind: KIND,
    ...nameOf(definition),
    operations: [
      testOperation('resourceVersion', definition),
      { op: 'add', path: PATH, value: [...finalizersOf(definition), CRD_FINALIZER] },
    ],
  };
}

/** Takes our finalizer off; those of others stay. */
export function planRelease(definition: KubernetesObject): Action {
  const before = finalizersOf(definition);
  const after = before.filter((finalizer) => finalizer !== CRD_FINALIZER);
  const change: JsonPatchOperation =
    after.length === 0 ? { op: 'remove', path: PATH } : { op: 'replace', path: PATH, value: after };
  return {
    verb: 'patch',
    kind: KIND,
    ...nameOf(definition),
    operations: [{ op: 'test', path: PATH, value: [...before] }, change],
  };
}
