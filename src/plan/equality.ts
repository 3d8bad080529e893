import { findDefaults } from './server-defaults.ts';

/** Two-sided equality of JSON values; a missing member, null, and an empty list or object are the same. */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  if (isEmpty(a) && isEmpty(b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return isEqualList(a, b, isSemanticallyEqual);
  if (isRecord(a) && isRecord(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSemanticallyEqual(a[key], b[key]));
  }
  return a === b;
}

/**
 * Whether `live` is what the API server makes of `wanted`: equal, but for members that the server fills in by itself (the table of server defaults).
 * A member of `live` that is neither wanted nor a default is a difference, so that what a customisation no longer asks for is taken back. `path`: where
 * both stand, names joined by dots.
 */
export function isWhatWasWanted(wanted: unknown, live: unknown, path = ''): boolean {
  if (isEmpty(wanted) && isEmpty(live)) return true;
  if (Array.isArray(wanted) && Array.isArray(live)) return isEqualList(wanted, live, (a, b) => isWhatWasWanted(a, b));
  if (isRecord(live) && isRecord(wanted)) return isRecordWanted(wanted, live, path);
  return wanted === live;
}

type JsonRecord = Readonly<Record<string, unknown>>;

function isRecordWanted(wanted: JsonRecord, live: JsonRecord, path: string): boolean {
  const areWantedThere = Object.keys(wanted).every(
    (key) => isEmpty(wanted[key]) || isWhatWasWanted(wanted[key], live[key], `${path}.${key}`),
  );
  return areWantedThere && Object.keys(live).every((key) => !isEmpty(wanted[key]) || isDefault(key, live[key], path));
}

/** Whether the server may have put this value where nothing was asked for. */
function isDefault(key: string, value: unknown, path: string): boolean {
  if (isEmpty(value)) return true;
  const known = findDefaults(key, path);
  if (known === 'any') return true;
  if (isRecord(value))
    return Object.entries(value).every(([member, inner]) => isDefault(member, inner, `${path}.${key}`));
  return known.some((allowed) => allowed === value);
}

function isEqualList(a: readonly unknown[], b: readonly unknown[], isEqual: typeof isSemanticallyEqual): boolean {
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
