import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { isEmptied, isHeld, planRelease } from './crd-finalizer.ts';
import { isGenerationRecorded, isUnrecordedSinceCreation } from './generations.ts';
import { buildPatch, setOperation, testOperation, nameOf } from './json-patch.ts';
import { isMetadataCurrent, matchesTarget } from './metadata.ts';
import { describeStuckVersions, findLostVersions } from './stored-versions.ts';
import { isEstablished, planNudges } from './stuck-definitions.ts';
import type { Action, PassContext, StepPlan } from './types.ts';
import { wantedObjects } from './wanted.ts';

const KIND = 'CustomResourceDefinition';
const INSTANCETYPE_KINDS = ['VirtualMachineClusterInstancetype', 'VirtualMachineClusterPreference'] as const;
/** A CRD is established within seconds, however busy the API server is, unless its names clash. */
const ESTABLISHED_TIMEOUT_MS = 15_000;

interface Version {
  name: string;
  subresources?: { status?: JsonObject | undefined };
}

/** Creates and changes CRDs (spec/apply.md §5.1). One that would lose a version which is in use stays as it is, see `planStoredVersions`. */
export function planDefinitions(context: PassContext): StepPlan {
  const wanted = wantedObjects(KIND, context);
  const losses = wanted.map((definition) => findLostVersions(definition, context.world));
  const actions = wanted.flatMap((definition, index) =>
    losses[index] === undefined ? planDefinition(definition, context) : [],
  );
  // API servers establish in the order of creation, and these are waited for.
  const [urgent, others] = [actions.filter(isUrgent), actions.filter((action) => !isUrgent(action))];
  return {
    actions: [...urgent, ...others],
    problems: losses.flatMap((loss) => (loss && describeStuckVersions(loss, context)) ?? []),
  };
}

/**
 * Waits until the API server serves the CRDs of what comes next, the common instance types and preferences; nothing else of ours needs any, and
 * establishing all of them keeps an API server busy for seconds. Those that it has forgotten are nudged.
 */
export function planEstablished(context: PassContext): StepPlan {
  const needed = wantedObjects(KIND, context).filter(isOfInstancetypes).map(nameOfDefinition);
  const dying = needed.find((name) => isDying(context.world.get(KIND, name)));
  return {
    actions: planNudges(wantedObjects(KIND, context).map(nameOfDefinition), context),
    // The API server takes no new instances of a CRD that is being deleted; the event of its end brings the next pass.
    ...(dying === undefined ? {} : { stop: `CustomResourceDefinition ${dying} to be gone and created again` }),
    until: {
      awaited: 'the CustomResourceDefinitions of instance types to be established',
      isTrue: (world) => needed.every((name) => isEstablished(world.get(KIND, name))),
      timeoutMs: ESTABLISHED_TIMEOUT_MS,
    },
  };
}

/** A wanted CRD that the API server does not serve yet; undefined when it serves all. */
export function findUnestablished(context: PassContext): string | undefined {
  return wantedObjects(KIND, context)
    .map(nameOfDefinition)
    .find((name) => !isEstablished(context.world.get(KIND, name)));
}

function nameOfDefinition({ metadata }: KubernetesObject): string {
  return metadata.name ?? '';
}

function isUrgent(action: Action): boolean {
  return action.verb === 'create' && isOfInstancetypes(action.object);
}

function isOfInstancetypes({ spec }: KubernetesObject): boolean {
  const { kind } = (spec?.names ?? {}) as { kind?: string };
  return INSTANCETYPE_KINDS.some((each) => each === kind);
}

function isDying(definition: KubernetesObject | undefined): boolean {
  return definition?.metadata.deletionTimestamp !== undefined;
}

/** A CRD from a removal that nobody has finished is let go (spec/field-reports.md B05). */
function planRemnant(live: KubernetesObject): Action[] {
  return isHeld(live) && isEmptied(live) ? [planRelease(live)] : [];
}

function planDefinition(wanted: KubernetesObject, context: PassContext): Action[] {
  const live = context.world.get(KIND, wanted.metadata.name ?? '');
  if (live === undefined) return [{ verb: 'create', kind: KIND, object: wanted }];
  if (live.metadata.deletionTimestamp !== undefined) return planRemnant(live);
  // Caches hold no schemas, and a CRD's content follows from the release alone: whoever has not touched it since our write has not changed it. A run that was
  // cut short has left no record of what it created; the annotations then say which release that was for.
  const isSame =
    isGenerationRecorded(context.generations, KIND, live) || isUnrecordedSinceCreation(context.generations, KIND, live);
  if (isSame && isMetadataCurrent(wanted.metadata, live.metadata)) return [];
  return [
    buildPatch(KIND, { wanted: wanted.metadata, live, precondition: 'generation' }, [
      setOperation('/spec', withholdNewStatus(wanted, live).spec),
    ]),
  ];
}

/**
 * Switches on the status sub-resources that were held back while components of the old release ran. Upstream forgets this after an edit of the KubeVirt
 * object in between, because it then takes the CRD for one of another target.
 */
export function planHeldBackStatus(context: PassContext): StepPlan {
  const actions = wantedObjects(KIND, context).flatMap((wanted): Action[] => {
    const live = context.world.get(KIND, wanted.metadata.name ?? '');
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return [];
    if (!matchesTarget(live, context.target) || withholdNewStatus(wanted, live) === wanted) return [];
    const operations = [testOperation('generation', live), setOperation('/spec', wanted.spec)];
    return [{ verb: 'patch', kind: KIND, ...nameOf(live), operations }];
  });
  return { actions };
}

/**
 * The wanted CRD without the status sub-resources that the live one does not have: old components would go on writing whole objects, and the status
 * that nobody writes any more would be lost. The same object when there is none to hold back.
 */
function withholdNewStatus(wanted: KubernetesObject, live: KubernetesObject): KubernetesObject {
  const present = new Set(
    versionsOf(live)
      .filter(hasStatus)
      .map(({ name }) => name),
  );
  const versions = versionsOf(wanted);
  if (!versions.some((version) => hasStatus(version) && !present.has(version.name))) return wanted;
  const held = versions.map((version) => (present.has(version.name) ? version : withoutStatus(version)));
  return { ...wanted, spec: { ...wanted.spec, versions: held as unknown as JsonObject[] } };
}

function withoutStatus(version: Version): Version {
  if (!hasStatus(version)) return version;
  return { ...version, subresources: { ...version.subresources, status: undefined } };
}

function versionsOf(definition: KubernetesObject): Version[] {
  return (definition.spec?.versions ?? []) as unknown as Version[];
}

function hasStatus(version: Version): boolean {
  return version.subresources?.status !== undefined;
}
