import type { Json, JsonObject, KubernetesObject } from '../../api/objects.ts';
import { buildClusterObject, inNameOrder } from './instancetypes-object.ts';
import { PREFERENCES, type PreferenceRow, TRAITS } from './preferences.table.ts';

const PROJECT = 'https://github.com/kubevirt/common-instancetypes';

/** The 54 preferences of KubeVirt 1.9.0, in upstream's order. No input changes them (spec/resources.md §7.6). */
export function buildPreferences(): KubernetesObject[] {
  return inNameOrder(PREFERENCES.map(buildPreference));
}

function buildPreference(row: PreferenceRow): KubernetesObject {
  return buildClusterObject({
    kind: 'VirtualMachineClusterPreference',
    name: row.name,
    labels: labelsOf(row),
    annotations: {
      iconClass: `icon-${row.icon}`,
      tags: `hidden,kubevirt,${row.tags}`,
      'openshift.io/display-name': row.title,
      'openshift.io/provider-display-name': 'KubeVirt',
      // The quotes and the line break belong to upstream's values.
      'openshift.io/documentation-url': `"${PROJECT}"\n`,
      'openshift.io/support-url': `"${PROJECT}/issues"\n`,
    },
    spec: specOf(row),
  });
}

function labelsOf({ osType, needs, architecture }: PreferenceRow): Record<string, string> {
  return {
    'os-type': osType,
    ...(needs && { 'required-cpu': String(needs[0]), 'required-memory': memoryText(needs[1], true) }),
    ...(architecture && {
      arch: architecture,
      'preferred-architecture': architecture,
      'required-architecture': architecture,
    }),
  };
}

function specOf({ traits, needs, architecture }: PreferenceRow): JsonObject {
  const requirements = {
    ...(architecture && { architecture }),
    ...(needs && { cpu: { guest: needs[0] }, memory: { guest: memoryText(needs[1], false) } }),
  };
  return {
    ...traits.map((trait): JsonObject => TRAITS[trait]).reduce(merge, {}),
    ...(architecture && { preferredArchitecture: architecture }),
    ...(needs && { requirements }),
  };
}

/** Memory of so many MiB as a quantity; only labels may hold a fraction, as in 1.5Gi. */
function memoryText(mebibytes: number, fraction: boolean): string {
  const whole = mebibytes % 1024 === 0 || (fraction && mebibytes > 1024);
  return whole ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** Deep merge of JSON objects; the later value wins. Returns a new object that shares none with either. */
function merge(base: JsonObject, more: JsonObject): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const before = merged[key];
    merged[key] = isObject(value) ? merge(isObject(before) ? before : {}, value) : value;
  }
  return merged;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
