import { isJsonObject, type Json, type JsonObject } from '../api/objects.ts';
import { isJsonEqual } from './json.ts';

/**
 * Applies a JSON Patch as upstream's library does (evanphx/json-patch v4; spec/apply.md §7), which is RFC 6902 with three liberties that patches in
 * the field rely on: `replace` sets a member that does not exist, a negative index counts from the end, and `test` takes a missing member for null.
 * Returns a patched copy. Throws an Error that names the operation and its path.
 */
export function applyJsonPatch(document: Json, patch: unknown): Json {
  if (!Array.isArray(patch)) throw new Error('a JSON patch is a list of operations');
  const copy = structuredClone(document);
  patch.forEach((operation: unknown, index) => {
    try {
      applyOperation(copy, operation);
    } catch (cause) {
      throw new Error(`operation ${index}`, { cause });
    }
  });
  return copy;
}

function applyOperation(document: Json, operation: unknown): void {
  if (!isJsonObject(operation)) throw new Error('is not an object');
  const { op } = operation;
  const apply = typeof op === 'string' && Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined;
  if (apply === undefined) throw new Error(`has the unknown op ${JSON.stringify(op)}`);
  apply(document, operation);
}

type Operation = (document: Json, operation: JsonObject) => void;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: (document, operation) => {
    add(locate(document, operation, 'path'), valueOf(operation));
  },
  remove: (document, operation) => {
    remove(locate(document, operation, 'path'));
  },
  replace: (document, operation) => {
    replace(locate(document, operation, 'path'), valueOf(operation));
  },
  move: (document, operation) => {
    const source = locate(document, operation, 'from');
    const value = read(source);
    remove(source);
    add(locate(document, operation, 'path'), value);
  },
  copy: (document, operation) => {
    const value = read(locate(document, operation, 'from'));
    add(locate(document, operation, 'path'), structuredClone(value));
  },
  test: (document, operation) => {
    const place = locate(document, operation, 'path');
    const wanted = valueOf(operation);
    const isMissing = !Array.isArray(place.parent) && !Object.hasOwn(place.parent, place.key);
    const value = isMissing ? null : read(place);
    if (!isJsonEqual(value, wanted)) {
      throw new Error(`test of ${place.pointer} failed: it is ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`);
    }
  },
};

/** A copy of the operation's value, since later operations may change what it was put into. */
const valueOf = (operation: JsonObject): Json => structuredClone(operation['value'] ?? null);

/** A place in a document: a member of an object or an element of a list, which may not exist yet. */
interface Place {
  parent: JsonObject | Json[];
  key: string;
  pointer: string;
}

/** Finds the place that a pointer of the operation names; everything above it must exist. The root itself is no place. */
function locate(document: Json, operation: JsonObject, field: 'path' | 'from'): Place {
  const pointer = operation[field];
  if (typeof pointer !== 'string') throw new Error(`has no ${field}`);
  const [root, ...keys] = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = keys.pop();
  if (root !== '' || key === undefined) throw new Error(`${field} ${JSON.stringify(pointer)} names no field`);
  let parent = document;
  for (const step of keys) parent = read({ parent: asContainer(parent, pointer), key: step, pointer });
  return { parent: asContainer(parent, pointer), key, pointer };
}

function asContainer(value: Json, pointer: string): JsonObject | Json[] {
  if (typeof value !== 'object' || value === null) throw new Error(`${pointer} does not exist`);
  return value;
}

/** The index in a list that a key stands for; `size` is how many indices exist. */
function indexOf({ key, pointer }: Place, size: number): number {
  const number = /^-?\d+$/.test(key) ? Number(key) : NaN;
  const index = number < 0 ? number + size : number;
  if (!(index >= 0 && index < size)) throw new Error(`${pointer} does not exist: the list has no index ${key}`);
  return index;
}

function read(place: Place): Json {
  const { parent, key, pointer } = place;
  if (Array.isArray(parent)) return parent[indexOf(place, parent.length)] ?? null;
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (value === undefined) throw new Error(`${pointer} does not exist`);
  return value;
}

function add(place: Place, value: Json): void {
  const { parent, key } = place;
  if (!Array.isArray(parent)) setMember(parent, key, value);
  else if (key === '-') parent.push(value);
  else parent.splice(indexOf(place, parent.length + 1), 0, value);
}

function replace(place: Place, value: Json): void {
  const { parent, key } = place;
  if (Array.isArray(parent)) parent[indexOf(place, parent.length)] = value;
  else setMember(parent, key, value);
}

/** Sets an own member whatever its name; a plain assignment to `__proto__` would not. */
function setMember(parent: JsonObject, key: string, value: Json): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove(place: Place): void {
  const { parent, key, pointer } = place;
  if (Array.isArray(parent)) parent.splice(indexOf(place, parent.length), 1);
  else if (Object.hasOwn(parent, key)) Reflect.deleteProperty(parent, key);
  else throw new Error(`${pointer} does not exist`);
}
