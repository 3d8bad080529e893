import type { KubernetesObject } from '../api/objects.ts';
import { describe, nameOf, testOperation } from './json-patch.ts';
import type { Action, JsonPatchOperation, PassContext, StepPlan, World } from './types.ts';
import { wantedObjects } from './wanted.ts';

const KIND = 'CustomResourceDefinition';

type Patch = Extract<Action, { verb: 'patch' }>;

interface Version {
  name: string;
  storage?: boolean;
}

/** A CRD that is to lose versions in which objects may be stored. The API server refuses that as long as its status says so. */
export interface LostVersions {
  live: KubernetesObject;
  /** Names of the versions. */
  lost: readonly string[];
  stored: readonly string[];
  /** The version that objects are to be stored in. */
  storage: string;
  /** New objects are stored in it already. */
  isStorage: boolean;
}

/** What `wanted` would lose; undefined when it loses nothing that is in use, or goes as a whole. */
export function findLostVersions(wanted: KubernetesObject, world: World): LostVersions | undefined {
  const live = world.get(KIND, wanted.metadata.name ?? '');
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
  const stored = (live.status?.storedVersions ?? []) as string[];
  const known = new Set(versionsOf(wanted).map(({ name }) => name));
  const lost = stored.filter((version) => !known.has(version));
  if (lost.length === 0) return undefined;
  const storage = storageOf(wanted) ?? '';
  return { live, lost, stored, storage, isStorage: storageOf(live) === storage };
}

/**
 * Why a CRD cannot become what is wanted before people have done something (spec/field-reports.md B20); undefined while `planStoredVersions` can still take
 * the versions out of use.
 */
export function describeStuckVersions(found: LostVersions, context: PassContext): string | undefined {
  if (planOutOfUse(found, context) !== undefined) return undefined;
  const { live, lost } = found;
  return `${describe(live)} still stores objects in version ${lost.join(', ')}, which it is not to have any more; migrate them, then take the version out of its status.storedVersions`;
}

/**
 * Takes versions out of use that a release before the present one does not know, as a rollback asks for: first new objects are stored in the version
 * that stays, then, when there is no object at all, the others are struck off the list. Where there are objects, their migration is left to people.
 * Whether there are objects is asked when a pass begins, so each write ends one, and the next goes on from there.
 */
export function planStoredVersions(context: PassContext): StepPlan {
  const actions = wantedObjects(KIND, context).flatMap((wanted) => {
    const found = findLostVersions(wanted, context.world);
    return (found && planOutOfUse(found, context)) ?? [];
  });
  const [first] = actions;
  if (first === undefined) return { actions };
  const stop = `${KIND} ${first.name} to be without the versions that the release does not know`;
  return { actions, stop, isResumedAtOnce: true };
}

/** The next write on the way; undefined where there is none that helps. */
function planOutOfUse(found: LostVersions, { emptyDefinitions = [] }: PassContext): Patch | undefined {
  if (!found.isStorage) return planStorage(found);
  return emptyDefinitions.includes(found.live.metadata.name ?? '') ? planStrike(found) : undefined;
}

function planStorage({ live, storage }: LostVersions): Patch | undefined {
  const versions = versionsOf(live);
  if (!versions.some(({ name }) => name === storage)) return undefined;
  const operations = versions.flatMap(({ name, storage: isStorage = false }, index): JsonPatchOperation[] => {
    const path = `/spec/versions/${String(index)}`;
    if (isStorage === (name === storage)) return [];
    return [
      { op: 'test', path: `${path}/name`, value: name },
      { op: 'replace', path: `${path}/storage`, value: !isStorage },
    ];
  });
  return patchOf(live, [testOperation('generation', live), ...operations]);
}

/**
 * Strikes versions off the list that a CRD itself does not have any more: the API server refuses every other change of such a CRD, our finalizer too. Only
 * for a CRD that is to be removed with everything in it.
 */
export function planForgottenVersions(live: KubernetesObject): Action[] {
  const stored = (live.status?.storedVersions ?? []) as string[];
  const known = new Set(versionsOf(live).map(({ name }) => name));
  const lost = stored.filter((version) => !known.has(version));
  if (lost.length === 0) return [];
  const storage = storageOf(live) ?? '';
  return [planStrike({ live, lost, stored, storage })];
}

function planStrike({ live, stored, lost, storage }: Omit<LostVersions, 'isStorage'>): Patch {
  const path = '/status/storedVersions';
  const used = stored.filter((version) => !lost.includes(version));
  // The list must not be empty.
  const kept = used.length > 0 ? used : [storage];
  const operations: JsonPatchOperation[] = [
    { op: 'test', path, value: [...stored] },
    { op: 'replace', path, value: kept },
  ];
  return { ...patchOf(live, operations), subresource: 'status' };
}

/** Its generation is not recorded: the CRD is not yet what is wanted. */
function patchOf(live: KubernetesObject, operations: JsonPatchOperation[]): Patch {
  return { verb: 'patch', kind: KIND, ...nameOf(live), operations, unrecorded: true };
}

function versionsOf({ spec }: KubernetesObject): Version[] {
  return (spec?.versions ?? []) as unknown as Version[];
}

function storageOf(definition: KubernetesObject): string | undefined {
  return versionsOf(definition).find(({ storage }) => storage === true)?.name;
}
