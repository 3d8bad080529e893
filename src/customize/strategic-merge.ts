import { isJsonObject, type Json, type JsonObject } from '../api/objects.ts';
import { isJsonEqual } from './json.ts';
import type { PatchType } from './patch-types.table.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';

/**
 * Applies a Kubernetes strategic merge patch: like a merge patch, but lists that `type` names are merged element by element, and directives are
 * obeyed: `$patch` (delete, replace), `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…`.
 * Elements that a patch adds come before those it does not mention, as the API server places them. Returns a copy.
 * Throws an Error that names the field when a list element lacks its merge key or a directive cannot be obeyed.
 */
export function applyStrategicMerge(document: JsonObject, patch: unknown, type: PatchType): JsonObject {
  if (!isJsonObject(patch)) throw new Error('a strategic merge patch is an object');
  return mergeObject(document, patch, { type, path: '' });
}

/** Where in the document we are, for messages, and what is known of the type there. */
interface Position {
  type: PatchType;
  path: string;
}

const memberAt = ({ type, path }: Position, name: string): Position => ({
  type: type.members?.[name] ?? {},
  path: `${path}/${name}`,
});

function mergeObject(original: JsonObject, patch: JsonObject, position: Position): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return obey(directive, patch, position);
  const result = retainedMembers(original, patch, position);
  for (const name of mentionedMembers(patch)) {
    const merged = mergeMember(result[name], patch, memberAt(position, name));
    if (merged === undefined) Reflect.deleteProperty(result, name);
    else result[name] = merged;
  }
  return result;
}

function obey(directive: Json, patch: JsonObject, { path }: Position): JsonObject {
  if (directive === 'delete') return {};
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject;
  throw new Error(`${path}/$patch is ${JSON.stringify(directive)}; an object takes "delete" or "replace"`);
}

/** A copy of the original without the members that a `$retainKeys` of the patch leaves out. */
function retainedMembers(original: JsonObject, patch: JsonObject, { path }: Position): JsonObject {
  const retained = patch[RETAIN_KEYS];
  if (retained === undefined) return { ...original };
  if (!Array.isArray(retained)) throw new Error(`${path}/$retainKeys is not a list`);
  const stray = Object.keys(patch).find(
    (name) => !name.startsWith('$') && patch[name] !== null && !retained.includes(name),
  );
  if (stray !== undefined) throw new Error(`${path}/$retainKeys does not contain "${stray}", which the patch sets`);
  return Object.fromEntries(Object.entries(original).filter(([name]) => retained.includes(name)));
}

/** Members that a patch says anything about, be it only by a directive for their list. */
function mentionedMembers(patch: JsonObject): Set<string> {
  const names = Object.keys(patch).map((name) =>
    [SET_ORDER, DELETE_VALUES].reduce(
      (rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest),
      name,
    ),
  );
  return new Set(names.filter((name) => name !== RETAIN_KEYS));
}

/** What one member becomes; undefined when it goes. */
function mergeMember(original: Json | undefined, patch: JsonObject, position: Position): Json | undefined {
  const name = position.path.slice(position.path.lastIndexOf('/') + 1);
  const value = patch[name];
  const order = listDirective(patch, SET_ORDER + name, position);
  const deleted = listDirective(patch, DELETE_VALUES + name, position);
  if (value === null) return undefined;
  const merged = value === undefined ? original : mergeValue(original, value, position);
  const kept = deleted === undefined ? merged : withoutValues(merged, deleted, position);
  return order === undefined ? kept : inOrder(kept, order, { original, position });
}

function listDirective(patch: JsonObject, name: string, { path }: Position): Json[] | undefined {
  const list = patch[name];
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw new Error(`${path}: ${name} is not a list`);
  return list;
}

function mergeValue(original: Json | undefined, value: Json, position: Position): Json {
  if (isJsonObject(value) && isJsonObject(original)) return mergeObject(original, value, position);
  if (!Array.isArray(value) || !Array.isArray(original)) return withoutDirectives(value);
  if (position.type.mergeKey !== undefined)
    return mergeList(original, value, { ...position, key: position.type.mergeKey });
  return position.type.isSet === true ? mergeSet(original, value) : withoutDirectives(value);
}

/** What a patch adds where nothing was: directives and nulls have nothing to act on. */
function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) {
    return value.filter((item) => !isJsonObject(item) || item[DIRECTIVE] === undefined).map(withoutDirectives);
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name, member]) => !name.startsWith('$') && member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDirectives(member ?? null)]));
}

interface ListPosition extends Position {
  key: string;
}

function mergeList(original: Json[], patch: Json[], position: ListPosition): Json[] {
  const { key, path } = position;
  const elements = patch.map((item) => asElement(item, position));
  const plain = elements.filter((item) => item[DIRECTIVE] === undefined);
  const directives = elements.filter((item) => item[DIRECTIVE] !== undefined);
  if (directives.some((item) => item[DIRECTIVE] === 'replace')) return plain.map(withoutDirectives);
  const unknown = directives.find((item) => item[DIRECTIVE] !== 'delete');
  if (unknown !== undefined) {
    throw new Error(
      `${path}: $patch is ${JSON.stringify(unknown[DIRECTIVE])}; a list element takes "delete" or "replace"`,
    );
  }
  const remaining = original
    .map((item) => asElement(item, position))
    .filter((item) => !directives.some((deleted) => deleted[key] === item[key]));
  const merged = plain.reduce((list, item) => mergeElement(list, item, position), remaining);
  return arrange(merged, plain, { reference: remaining, key });
}

function asElement(item: Json, { key, path }: ListPosition): JsonObject {
  if (!isJsonObject(item)) throw new Error(`${path}: ${JSON.stringify(item)} is not an object`);
  if (item[key] === undefined && item[DIRECTIVE] !== 'replace') throw new Error(`${path}: an element has no "${key}"`);
  return item;
}

/** Merges one element into the first of the list with the same key, else appends it. */
function mergeElement(list: JsonObject[], element: JsonObject, position: ListPosition): JsonObject[] {
  const index = list.findIndex((item) => item[position.key] === element[position.key]);
  const existing = list[index];
  if (existing === undefined) return [...list, withoutDirectives(element) as JsonObject];
  const { members } = position.type;
  const merged = mergeObject(existing, element, {
    type: members === undefined ? {} : { members },
    path: `${position.path}[${JSON.stringify(element[position.key])}]`,
  });
  return list.with(index, merged);
}

function mergeSet(original: Json[], patch: Json[]): Json[] {
  const all = [...original, ...patch].filter((item, index, list) => list.indexOf(item) === index);
  return arrange(all, patch, { reference: original, key: undefined });
}

/** What orders the elements that a patch does not mention, and what identifies elements: a member, or for plain values the value itself. */
interface Arrangement {
  reference: readonly Json[];
  key: string | undefined;
}

/**
 * Puts a merged list in order: mentioned elements as `order` has them, the others as they were; where both meet, an element of the others goes first
 * only if it stood before the mentioned one already.
 */
function arrange(merged: readonly Json[], order: readonly Json[], { reference, key }: Arrangement): Json[] {
  const identity = (item: Json | undefined): Json | undefined =>
    key !== undefined && isJsonObject(item) ? item[key] : item;
  const rank = (list: readonly Json[], item: Json | undefined): number =>
    list.findIndex((other) => isJsonEqual(identity(other), identity(item)));
  const inOrderOf = (list: readonly Json[], items: Json[]): Json[] =>
    items.sort((a, b) => rank(list, a) - rank(list, b));
  const mentioned = inOrderOf(
    order,
    merged.filter((item) => rank(order, item) >= 0),
  );
  // Elements with the same key, such as two ports of one number, come to stand side by side.
  const others = inOrderOf(
    reference,
    merged.filter((item) => rank(order, item) < 0),
  );
  const result: Json[] = [];
  while (mentioned.length > 0 && others.length > 0) {
    const [before, after] = [rank(reference, others[0]), rank(reference, mentioned[0])];
    const next = before >= 0 && after >= 0 && before < after ? others.shift() : mentioned.shift();
    result.push(next ?? null);
  }
  return [...result, ...mentioned, ...others];
}

function withoutValues(list: Json | undefined, deleted: Json[], { path, type }: Position): Json | undefined {
  if (list === undefined) return undefined;
  if (type.isSet !== true || !Array.isArray(list)) {
    throw new Error(`${path} is not a list of plain values that is merged: $deleteFromPrimitiveList does not apply`);
  }
  return list.filter((item) => !deleted.includes(item));
}

function inOrder(
  list: Json | undefined,
  order: Json[],
  { original, position }: { original: Json | undefined; position: Position },
): Json | undefined {
  if (!Array.isArray(list)) return list;
  const { mergeKey, isSet } = position.type;
  if (mergeKey === undefined && isSet !== true) {
    throw new Error(`${position.path} is replaced whole: $setElementOrder does not apply`);
  }
  return arrange(list, order, { reference: Array.isArray(original) ? original : [], key: mergeKey });
}
