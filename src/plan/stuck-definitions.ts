import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { escapePointer, nameOf, testOperation } from './json-patch.ts';
import type { Action, JsonPatchOperation, PassContext } from './types.ts';

const KIND = 'CustomResourceDefinition';
/** Annotation of ours that comes and goes: all that matters is that the CRD changes. */
const ESTABLISH_ANNOTATION = 'kubevirt.io/nudged-to-establish';
/** Annotation of ours with the time of the last nudge. */
const CLEAN_UP_ANNOTATION = 'kubevirt.io/nudged-to-clean-up';
/** From accepted names to established takes an API server less, however busy it is. */
const STUCK_AFTER_MS = 10_000;
/** A clean-up that goes on failing, as one of instances that somebody holds does, is asked for again this often. */
const CLEAN_UP_AGAIN_MS = 30_000;
/** The finalizer of the API server, which it takes off when it has deleted the instances. */
const CLEAN_UP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
/** Reasons by which it says that deleting them has failed: they could not be read or deleted, or did not go within a minute. */
const CLEAN_UP_FAILURES: readonly unknown[] = ['InstanceDeletionFailed', 'InstanceDeletionCheck'];

/**
 * Changes CRDs a little that the API server has forgotten, since it comes back to such a CRD only when that changes, or after five minutes:
 * - It ends between accepting the names of a CRD and establishing it. The change is undone when the CRD is established.
 * - The clean-up of one that is being deleted fails, for instance because its storage was not ready, and it then takes its own note of the failure for
 *   somebody else's change, of which an event would tell.
 */
export function planNudges(names: readonly string[], { world, now }: Pick<PassContext, 'world' | 'now'>): Action[] {
  return names.flatMap((name): Action[] => {
    const live = world.get(KIND, name);
    if (live === undefined) return [];
    const change = live.metadata.deletionTimestamp === undefined ? planEstablish(live, now) : planCleanUp(live, now);
    if (change === undefined) return [];
    const operations = [testOperation('resourceVersion', live), change];
    return [{ verb: 'patch', kind: KIND, ...nameOf(live), operations, unrecorded: true }];
  });
}

/** True once the API server serves the CRD. */
export function isEstablished(definition: KubernetesObject | undefined): boolean {
  return conditionOf(definition, 'Established')?.status === 'True';
}

/** Whether the API server has failed to delete the instances of a CRD that is being deleted; it may be about to try again. */
export function isCleanUpFailed(definition: KubernetesObject): boolean {
  const { deletionTimestamp, finalizers = [] } = definition.metadata;
  const { status, reason } = conditionOf(definition, 'Terminating') ?? {};
  if (deletionTimestamp === undefined || !finalizers.includes(CLEAN_UP_FINALIZER)) return false;
  return status === 'True' && CLEAN_UP_FAILURES.includes(reason);
}

function planEstablish(live: KubernetesObject, now: Date): JsonPatchOperation | undefined {
  const isNudged = annotationOf(live, ESTABLISH_ANNOTATION) !== undefined;
  if (isNudged === isStuck(live, now)) return undefined;
  const path = pathOf(ESTABLISH_ANNOTATION);
  return isNudged ? { op: 'remove', path } : { op: 'add', path, value: '' };
}

function planCleanUp(live: KubernetesObject, now: Date): JsonPatchOperation | undefined {
  if (!isCleanUpFailed(live)) return undefined;
  const nudged = Date.parse(annotationOf(live, CLEAN_UP_ANNOTATION) ?? '');
  if (now.getTime() - nudged < CLEAN_UP_AGAIN_MS) return undefined;
  const value = now.toISOString();
  if (live.metadata.annotations !== undefined) return { op: 'add', path: pathOf(CLEAN_UP_ANNOTATION), value };
  return { op: 'add', path: '/metadata/annotations', value: { [CLEAN_UP_ANNOTATION]: value } };
}

function isStuck(definition: KubernetesObject, now: Date): boolean {
  if (isEstablished(definition)) return false;
  const accepted = conditionOf(definition, 'NamesAccepted');
  if (accepted?.status !== 'True' || typeof accepted.lastTransitionTime !== 'string') return false;
  return now.getTime() - Date.parse(accepted.lastTransitionTime) > STUCK_AFTER_MS;
}

function annotationOf({ metadata }: KubernetesObject, name: string): string | undefined {
  return metadata.annotations?.[name];
}

function pathOf(annotation: string): string {
  return `/metadata/annotations/${escapePointer(annotation)}`;
}

function conditionOf(definition: KubernetesObject | undefined, type: string): JsonObject | undefined {
  return ((definition?.status?.conditions ?? []) as JsonObject[]).find((condition) => condition.type === type);
}
