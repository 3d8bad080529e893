import type { JsonObject } from '../api/objects.ts';

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines and parses each as a JSON object. Holds no more than one line and one chunk.
 * Throws when a line is no JSON object and when the stream ends within a line: a half-written document is never delivered.
 */
export async function* parseDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonObject, void, undefined> {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      pending.push(chunk.subarray(start, end));
      const document = parseLine(pending);
      pending = [];
      start = end + 1;
      if (document !== undefined) yield document;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.some((part) => part.length > 0)) throw new Error('the stream ended in the middle of a document');
}

function parseLine(parts: Buffer[]): JsonObject | undefined {
  const text = (parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)).toString('utf8').trim();
  return text === '' ? undefined : parseObject(text);
}

/** Parses text that must be one JSON object. */
export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`not JSON: ${JSON.stringify(text.slice(0, 120))}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`not a JSON object: ${JSON.stringify(text.slice(0, 120))}`);
  }
  return value as JsonObject;
}
