import { createHash } from 'node:crypto';

import type { CustomizeComponents, CustomizePatch } from '../api/kubevirt.ts';
import { CUSTOMIZER_ANNOTATION } from '../api/names.ts';
import { isJsonObject, type Json, type JsonObject, type KubernetesObject } from '../api/objects.ts';
import { errorText } from '../errors.ts';
import { encodeGoJson, sortedEntries } from '../api/go-json.ts';
import { buildInstallStrategy } from '../strategy/install-strategy.ts';
import { applyMergePatch } from './json.ts';
import { applyJsonPatch } from './json-patch.ts';
import { PATCH_TYPES } from './patch-types.table.ts';
import { applyStrategicMerge } from './strategic-merge.ts';
import type { InstallStrategy } from '../strategy/types.ts';

/** A patch that could not be applied to one object. */
export interface CustomizeFailure {
  object: { kind: string; namespace?: string; name: string };
  /** Where the patch stands in the KubeVirt object, for example `spec.customizeComponents.patches[2]`. */
  patch: string;
  /** Names the object, the patch and the path in it. */
  message: string;
}

/** A strategy after customization. */
export interface CustomizedStrategy {
  strategy: InstallStrategy;
  /**
   * Objects that a patch could not be applied to; the strategy holds them unpatched and without the customizer annotation, so that the caller can
   * leave them alone and go on with the others.
   */
  failures: CustomizeFailure[];
}

/** Kinds of a strategy that can be customized; the dump Job is customized on its own (spec/apply.md §7). */
const CUSTOMIZED_KINDS = new Set(Object.keys(PATCH_TYPES).filter((kind) => kind !== 'Job'));

/** Applies the patches and flags of a KubeVirt object to a strategy. Returns copies; objects that no patch matches only get the annotation. */
export function customizeStrategy(
  strategy: InstallStrategy,
  customizeComponents: CustomizeComponents | undefined,
): CustomizedStrategy {
  const customizer = buildCustomizer(customizeComponents);
  const failures: CustomizeFailure[] = [];
  const objects = strategy.objects.map((object) => {
    if (!CUSTOMIZED_KINDS.has(object.kind)) return object;
    const result = customizer(object);
    if ('object' in result) return result.object;
    failures.push(result.failure);
    return object;
  });
  return { strategy: buildInstallStrategy(objects), failures };
}

/** Customizes one object, such as the dump Job; an object without a name goes by its generateName, less the dash (spec/strategy.md §4.1). Throws on failure. */
export function customizeObject(
  object: KubernetesObject,
  customizeComponents: CustomizeComponents | undefined,
): KubernetesObject {
  const result = buildCustomizer(customizeComponents)(object);
  if ('failure' in result) throw new Error(result.failure.message);
  return result.object;
}

/** The hash by which customized objects are told apart: over the patches in the order of application, and the flags (spec/apply.md §7). */
export function customizerHash(customizeComponents: CustomizeComponents | undefined): string {
  const patches = inOrderOfApplication(customizeComponents?.patches ?? []).map(({ patch }) => ({
    resourceName: patch.resourceName,
    resourceType: patch.resourceType,
    patch: patch.patch,
    type: patch.type,
  }));
  const flags = FLAGGED.flatMap(({ field }): [string, JsonObject][] => {
    const entries = sortedEntries(customizeComponents?.flags?.[field] ?? {});
    return entries.length === 0 ? [] : [[field, Object.fromEntries(entries)]];
  });
  const text = encodeGoJson({
    ...(patches.length === 0 ? {} : { patches }),
    ...(customizeComponents?.flags === undefined ? {} : { flags: Object.fromEntries(flags) }),
  });
  return createHash('sha1').update(text).digest('hex');
}

interface PlacedPatch {
  patch: CustomizePatch;
  /** Where it stands in the KubeVirt object. */
  place: string;
}

/** Upstream sorts patches by the length of their text before it hashes and applies them; patches of equal length keep their order. */
function inOrderOfApplication(patches: readonly CustomizePatch[]): PlacedPatch[] {
  return patches
    .map((patch, index) => ({ patch, place: `spec.customizeComponents.patches[${index}]` }))
    .sort((a, b) => Buffer.byteLength(a.patch.patch) - Buffer.byteLength(b.patch.patch));
}

/** Components whose command can be given flags. */
const FLAGGED = [
  { field: 'api', kind: 'Deployment', name: 'virt-api' },
  { field: 'controller', kind: 'Deployment', name: 'virt-controller' },
  { field: 'handler', kind: 'DaemonSet', name: 'virt-handler' },
] as const;

function flagPatches(flags: CustomizeComponents['flags']): PlacedPatch[] {
  return FLAGGED.filter(({ field }) => Object.keys(flags?.[field] ?? {}).length > 0).map(({ field, kind, name }) => {
    const container = { name, command: [name, ...commandLine(flags?.[field] ?? {})] };
    const patch = JSON.stringify({ spec: { template: { spec: { containers: [container] } } } });
    return {
      patch: { resourceType: kind, resourceName: name, type: 'strategic', patch },
      place: `spec.customizeComponents.flags.${field}`,
    };
  });
}

/** Flags as arguments, by name: alone without a value, joined by `=` for booleans, else two arguments (spec/apply.md §7). */
function commandLine(flags: Readonly<Record<string, string>>): string[] {
  return sortedEntries(flags).flatMap(([rawName, rawValue]) => {
    const [name, value] = [`--${rawName.toLowerCase()}`, rawValue.toLowerCase()];
    if (value === '') return [name];
    return value === 'true' || value === 'false' ? [`${name}=${value}`] : [name, value];
  });
}

/** Where in the KubeVirt object the patches and flags stand that change an object, in the order of application. */
export function findPatches(
  customizeComponents: CustomizeComponents | undefined,
  object: { kind: string; name: string },
): string[] {
  return listPatches(customizeComponents)
    .filter(({ patch }) => isMatch(patch, object))
    .map(({ place }) => place);
}

function listPatches(customizeComponents: CustomizeComponents | undefined): PlacedPatch[] {
  return [...inOrderOfApplication(customizeComponents?.patches ?? []), ...flagPatches(customizeComponents?.flags)];
}

type Result = { object: KubernetesObject } | { failure: CustomizeFailure };

function buildCustomizer(customizeComponents: CustomizeComponents | undefined): (object: KubernetesObject) => Result {
  const patches = listPatches(customizeComponents);
  const hash = customizerHash(customizeComponents);
  return (object) => {
    let patched = object;
    for (const { patch, place } of patches.filter((candidate) =>
      isMatch(candidate.patch, { kind: object.kind, name: nameOf(object) }),
    )) {
      try {
        patched = applyPatch(patched, patch);
      } catch (error) {
        return { failure: describeFailure(object, place, error) };
      }
    }
    return { object: withHash(patched, hash) };
  };
}

const nameOf = ({ metadata }: KubernetesObject): string =>
  metadata.name ?? (metadata.generateName ?? '').replace(/-$/, '');

function isMatch(
  { resourceType, resourceName }: CustomizePatch,
  { kind, name }: { kind: string; name: string },
): boolean {
  const equals = (pattern: string, text: string): boolean =>
    pattern === '*' || pattern.toLowerCase() === text.toLowerCase();
  return equals(resourceType, kind) && equals(resourceName, name);
}

function applyPatch(object: KubernetesObject, { type, patch }: CustomizePatch): KubernetesObject {
  const patched = applyByType(object, type, parsePatch(patch));
  if (!isJsonObject(patched) || !isJsonObject(patched['metadata'])) throw new Error('leaves no object with metadata');
  const result = patched as unknown as KubernetesObject;
  const changed = findChangedIdentity(object, result);
  if (changed !== undefined) throw new Error(`changes its ${changed}, by which everything else knows it`);
  return result;
}

/**
 * The part of an object's identity that a patch has changed. Under another one it would take the place of another object or of none, and what is installed
 * would be removed as a leftover. Objects that the API server names may have their prefix changed.
 */
function findChangedIdentity(before: KubernetesObject, after: KubernetesObject): string | undefined {
  if (after.kind !== before.kind) return 'kind';
  if (after.metadata.name !== before.metadata.name) return 'metadata.name';
  return after.metadata.namespace === before.metadata.namespace ? undefined : 'metadata.namespace';
}

function applyByType(object: KubernetesObject, type: string, patch: Json): Json {
  const document = object as JsonObject;
  switch (type) {
    case 'json':
      return applyJsonPatch(document, patch);
    case 'merge':
      if (!isJsonObject(patch)) throw new Error('a merge patch is an object');
      return applyMergePatch(document, patch);
    case 'strategic':
      return applyStrategicMerge(document, patch, PATCH_TYPES[object.kind] ?? {});
    default:
      throw new Error(`type "${type}" is not supported; use json, merge or strategic`);
  }
}

function parsePatch(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new Error('is not JSON', { cause });
  }
}

function describeFailure(object: KubernetesObject, place: string, error: unknown): CustomizeFailure {
  const { kind } = object;
  const { namespace } = object.metadata;
  const name = nameOf(object);
  const title = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return {
    object: { kind, ...(namespace === undefined ? {} : { namespace }), name },
    patch: place,
    message: `${place} cannot be applied to ${title}: ${errorText(error)}`,
  };
}

function withHash(object: KubernetesObject, hash: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [CUSTOMIZER_ANNOTATION]: hash };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
