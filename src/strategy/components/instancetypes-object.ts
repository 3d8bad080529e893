import type { KubernetesObject } from '../../api/objects.ts';

/** Prefix of the labels and annotations of KubeVirt's common instance types and preferences. */
const INSTANCETYPE_PREFIX = 'instancetype.kubevirt.io/';

/** Release of common-instancetypes that KubeVirt 1.9.0 carries (spec/resources.md §7.6). */
const COMMON_INSTANCETYPES_VERSION = 'v1.7.0';

/** Labels of an instance type or a preference: the given ones, whose keys come without the prefix, and those that all of them carry. */
export function labelsWith(own: Record<string, string>): Record<string, string> {
  return withPrefix({
    ...own,
    'common-instancetypes-version': COMMON_INSTANCETYPES_VERSION,
    vendor: 'kubevirt.io',
  });
}

/** Puts the prefix before each key. */
export function withPrefix(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${INSTANCETYPE_PREFIX}${key}`, value]));
}

/** Objects in the order of their names by code unit, which is upstream's order. */
export function inNameOrder(objects: KubernetesObject[]): KubernetesObject[] {
  const name = (object: KubernetesObject): string => object.metadata.name ?? '';
  return objects.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}
