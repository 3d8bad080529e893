import { isJsonObject, type JsonObject, type KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { wordsOf } from '../text-table.ts';
import { inNameOrder, labelsWith } from './instancetypes-object.ts';
import { PREFERENCES, type PreferenceRow, TRAITS } from './preferences.table.ts';

const PROJECT = 'https://github.com/kubevirt/common-instancetypes';

/** The 54 preferences of KubeVirt 1.9.0, in upstream's order. No input changes them (spec/resources.md §7.6). */
export function buildPreferences(): KubernetesObject[] {
  return inNameOrder(PREFERENCES.map(buildPreference));
}

function buildPreference(row: PreferenceRow): KubernetesObject {
  const metadata = {
    name: row.name,
    labels: labelsWith(labelsOf(row)),
    annotations: {
      iconClass: `icon-${row.icon}`,
      tags: `hidden,kubevirt,${row.tags}`,
      'openshift.io/display-name': row.title,
      'openshift.io/provider-display-name': 'KubeVirt',
      // The quotes and the line break belong to upstream's values.
      'openshift.io/documentation-url': `"${PROJECT}"\n`,
      'openshift.io/support-url': `"${PROJECT}/issues"\n`,
    },
  };
  return objectOf('VirtualMachineClusterPreference', metadata, { spec: specOf(row) });
}

function labelsOf({ osType, needs, architecture }: PreferenceRow): Record<string, string> {
  const [cpu = '', memory = ''] = wordsOf(needs);
  return {
    'os-type': osType,
    ...(needs && { 'required-cpu': cpu, 'required-memory': memory }),
    ...(architecture && {
      arch: architecture,
      'preferred-architecture': architecture,
      'required-architecture': architecture,
    }),
  };
}

function specOf({ traits, needs, architecture }: PreferenceRow): JsonObject {
  const [cpu = '', memory = ''] = wordsOf(needs);
  const requirements = {
    ...(architecture && { architecture }),
    ...(needs && { cpu: { guest: Number(cpu) }, memory: { guest: withoutFraction(memory) } }),
  };
  return {
    ...traits.map((trait): JsonObject => TRAITS[trait]).reduce(merge, {}),
    ...(architecture && { preferredArchitecture: architecture }),
    ...(needs && { requirements }),
  };
}

/** A quantity of memory in the next smaller unit when it is no whole number, as in 1.5Gi. */
function withoutFraction(memory: string): string {
  return memory.includes('.') ? `${parseFloat(memory) * 1024}Mi` : memory;
}

/** Deep merge of JSON objects; the later value wins. Returns a new object that shares none with either. */
function merge(base: JsonObject, more: JsonObject): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const before = merged[key];
    merged[key] = isJsonObject(value) ? merge(isJsonObject(before) ? before : {}, value) : value;
  }
  return merged;
}
