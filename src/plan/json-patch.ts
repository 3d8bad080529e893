import type { KindName } from '../api/kinds.ts';
import { toJson } from '../api/kubevirt.ts';
import type { KubernetesObject, ObjectMeta } from '../api/objects.ts';
import { mergeMetadata, type StringMap } from './metadata.ts';
import type { Action, JsonPatchOperation } from './types.ts';

/** A planned patch. */
export type PatchAction = Extract<Action, { verb: 'patch' }>;

/**
 * What a patch of one object rests on: `generation` for kinds whose status changes often (a rollout must not make our patch fail), `resourceVersion`
 * for the others (design decision 5).
 */
export type Precondition = 'generation' | 'resourceVersion';

/** A JSON Pointer segment (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The operations that give `live` the wanted labels and annotations, one per key, so that keys which somebody else sets at the same time survive.
 * Empty when nothing differs. ownerReferences are not touched: the strategy has none.
 */
export function buildMetadataOperations(wanted: ObjectMeta, live: ObjectMeta): JsonPatchOperation[] {
  const merged = mergeMetadata(wanted, live);
  return [
    ...buildMapOperations('/metadata/labels', merged.labels, live.labels),
    ...buildMapOperations('/metadata/annotations', merged.annotations, live.annotations),
  ];
}

function buildMapOperations(path: string, wanted: StringMap, live: StringMap = {}): JsonPatchOperation[] {
  if (Object.keys(live).length === 0) {
    return Object.keys(wanted).length === 0 ? [] : [{ op: 'add', path, value: { ...wanted } }];
  }
  const set = Object.entries(wanted).filter(([key, value]) => live[key] !== value);
  const dropped = Object.keys(live).filter((key) => !(key in wanted));
  return [
    ...set.map(([key, value]): JsonPatchOperation => ({ op: 'add', path: `${path}/${escapePointer(key)}`, value })),
    ...dropped.map((key): JsonPatchOperation => ({ op: 'remove', path: `${path}/${escapePointer(key)}` })),
  ];
}

/** Gives a member of the object a value, whether it has one or not: `add` of a member that exists replaces it (RFC 6902). */
export function setOperation(path: string, value: unknown): JsonPatchOperation {
  return { op: 'add', path, value: toJson(value) };
}

/** The `test` that makes a patch fail when `live` is no longer what was decided from. */
export function testOperation(precondition: Precondition, live: KubernetesObject): JsonPatchOperation {
  const value = precondition === 'generation' ? live.metadata.generation : live.metadata.resourceVersion;
  if (value === undefined) throw new Error(`${describe(live)} has no ${precondition} to test`);
  return { op: 'test', path: `/metadata/${precondition}`, value };
}

/** A patch of `live`: precondition, metadata, then `operations`. */
export function buildPatch(
  kind: KindName,
  change: { wanted: ObjectMeta; live: KubernetesObject; precondition: Precondition },
  operations: readonly JsonPatchOperation[],
): PatchAction {
  const { wanted, live, precondition } = change;
  return {
    verb: 'patch',
    kind,
    ...nameOf(live),
    operations: [testOperation(precondition, live), ...buildMetadataOperations(wanted, live.metadata), ...operations],
  };
}

/** Name and namespace of an object, as actions carry them. */
export function nameOf(object: KubernetesObject): { name: string; namespace?: string } {
  const { name = '', namespace } = object.metadata;
  return namespace === undefined || namespace === '' ? { name } : { name, namespace };
}

/** A deletion of exactly this object. */
export function buildDelete(
  kind: KindName,
  live: KubernetesObject,
  options: { gracePeriodSeconds?: number } = { gracePeriodSeconds: 0 },
): Action {
  const { uid } = live.metadata;
  return { verb: 'delete', kind, ...nameOf(live), ...(uid === undefined ? {} : { uid }), ...options };
}

/** `Kind namespace/name`, for messages. */
export function describe(object: KubernetesObject): string {
  const { name, namespace } = nameOf(object);
  return `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
