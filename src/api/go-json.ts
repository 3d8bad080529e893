/** Text forms that must equal those of Go's encoding/json, because hashes and stored statuses depend on their bytes. */

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Compact JSON as Go writes it: `<`, `>`, `&` and the two line separators escaped. Key order is the value's own (spec/startup.md §2.6). */
export function encodeGoJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);
}

/** Orders strings by their UTF-8 bytes, as Go orders map keys. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The entries of a string map in Go's order. */
export function sortedEntries(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).sort(([a], [b]) => compareBytes(a, b));
}
