import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { isWhatWasWanted } from './equality.ts';
import { buildDelete, buildPatch, setOperation } from './json-patch.ts';
import { isMetadataCurrent } from './metadata.ts';
import type { Action } from './types.ts';

/** Fields that the API server assigns once; a Service that is written again keeps them. */
const ASSIGNED = [
  'type',
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'internalTrafficPolicy',
  'sessionAffinity',
] as const;

const DEFAULT_TYPE = 'ClusterIP';

/** Services (spec/apply.md §5.4). One that cannot be changed is left to `planReplacedService`. */
export function compareService(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  const isSame = isWhatWasWanted(wanted.spec, live.spec);
  if (isSame && isMetadataCurrent(wanted.metadata, live.metadata)) return undefined;
  const assigned = Object.fromEntries(
    ASSIGNED.filter((field) => live.spec?.[field] !== undefined).map((field) => [field, live.spec?.[field]]),
  );
  return buildPatch(
    'Service',
    { wanted: wanted.metadata, live, precondition: 'resourceVersion' },
    isSame ? [] : [setOperation('/spec', { ...assigned, ...wanted.spec })],
  );
}

/** Deletes a Service of another type or with another fixed address than wanted; it is created again afterwards. */
export function planReplacedService(wanted: KubernetesObject, live: KubernetesObject | undefined): Action[] {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return [];
  return hasImmutableDifference(wanted.spec, live.spec) ? [buildDelete('Service', live)] : [];
}

function hasImmutableDifference(wanted: JsonObject = {}, live: JsonObject = {}): boolean {
  const isOtherType = (wanted.type ?? DEFAULT_TYPE) !== (live.type ?? DEFAULT_TYPE);
  const fixed = wanted.clusterIP ?? '';
  return isOtherType || (fixed !== '' && fixed !== live.clusterIP);
}
