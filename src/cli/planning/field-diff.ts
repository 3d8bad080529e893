import { GENERATION_ANNOTATION } from '../../api/names.ts';
import { isJsonObject, type Json, type KubernetesObject } from '../../api/objects.ts';
import { isWhatWasWanted } from '../../plan/equality.ts';

/** One field that changes; a missing side was not there, or will not be. */
export interface FieldChange {
  /** As people write it: `spec.template.spec.containers[virt-api].image`. */
  path: string;
  from?: Json;
  to?: Json;
}

/** What stands in place of the content of Secrets. */
const HIDDEN = '(hidden)';
/** Parts of the metadata that say something; the rest is the API server's. */
const METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;
/** Fields that are no content. */
const NO_CONTENT: readonly string[] = ['apiVersion', 'kind', 'metadata', 'status'];
/** Members by which the entries of lists are told apart. */
const KEYS = ['name', 'key', 'type'] as const;

/**
 * The fields in which two states of an object differ, but for what only the API server writes or fills in, and for the annotation with the generation of
 * the KubeVirt object, which comes along with other changes. The content of Secrets stays hidden.
 */
export function diffFields(before: KubernetesObject, after: KubernetesObject): FieldChange[] {
  const metadata = METADATA.flatMap((field) =>
    diffValues(`metadata.${field}`, asJson(before.metadata[field]), asJson(after.metadata[field])),
  );
  const content = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !NO_CONTENT.includes(field))
    .flatMap((field) => diffValues(field, asJson(before[field]), asJson(after[field])));
  const changes = [...content, ...metadata].filter(({ path }) => !path.endsWith(`[${GENERATION_ANNOTATION}]`));
  return before.kind === 'Secret' ? changes.map(hide) : changes;
}

/** Whether a change is about labels and annotations alone. */
export function isMetadataChange({ path }: FieldChange): boolean {
  return path.startsWith('metadata.');
}

/** Whether a change is about what pods bear, and not about what they run. */
export function isPodMetadataChange({ path }: FieldChange): boolean {
  return path.startsWith('spec.template.metadata.');
}

function hide(change: FieldChange): FieldChange {
  if (isMetadataChange(change)) return change;
  const { path, from, to } = change;
  return { path, ...(from === undefined ? {} : { from: HIDDEN }), ...(to === undefined ? {} : { to: HIDDEN }) };
}

const asJson = (value: unknown): Json | undefined => value as Json | undefined;

function diffValues(path: string, before: Json | undefined, after: Json | undefined): FieldChange[] {
  if (isWhatWasWanted(after, before, path)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => {
      // Nothing was asked for, and what is there is what the API server puts there.
      const isFilledIn = after[key] === undefined && isWhatWasWanted({}, { [key]: before[key] }, path);
      return isFilledIn ? [] : diffValues(join(path, key), before[key], after[key]);
    });
  }
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(path, before, after);
  return [{ path, ...(before === undefined ? {} : { from: before }), ...(after === undefined ? {} : { to: after }) }];
}

/** Entries with names are compared by name, others by place; a list of plain values is one value. */
function diffLists(path: string, before: readonly Json[], after: readonly Json[]): FieldChange[] {
  const entries = [...before, ...after];
  if (!entries.every(isJsonObject)) return [{ path, from: [...before], to: [...after] }];
  const key = KEYS.find((member) => isKey(member, before) && isKey(member, after));
  const nameOf = (entry: Json, index: number) => (key === undefined ? String(index) : textOf(entry, key));
  const [left, right] = [before, after].map((list) => new Map(list.map((entry, i) => [nameOf(entry, i), entry])));
  const names = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])];
  return names.flatMap((name) => diffValues(`${path}[${name}]`, left?.get(name), right?.get(name)));
}

function isKey(member: string, list: readonly Json[]): boolean {
  const values = list.map((entry) => textOf(entry, member));
  return values.every((value) => value !== '') && new Set(values).size === values.length;
}

function textOf(entry: Json, member: string): string {
  const value = isJsonObject(entry) ? entry[member] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Keys that are no plain words, as those of labels, stand in brackets. */
function join(path: string, key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? `${path}.${key}` : `${path}[${key}]`;
}
