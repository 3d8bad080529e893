import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../src/api/objects.ts';
import { parseDocuments } from '../../../src/transport/documents.ts';

async function* stream(chunks: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

async function collect(chunks: readonly (string | Buffer)[]): Promise<{ documents: JsonObject[]; error?: string }> {
  const documents: JsonObject[] = [];
  try {
    for await (const document of parseDocuments(stream(chunks))) documents.push(document);
    return { documents };
  } catch (error) {
    return { documents, error: (error as Error).message };
  }
}

const rows: { name: string; chunks: string[]; want: { documents: JsonObject[]; error?: string } }[] = [
  { name: 'nothing', chunks: [], want: { documents: [] } },
  { name: 'one document per line', chunks: ['{"a":1}\n{"a":2}\n'], want: { documents: [{ a: 1 }, { a: 2 }] } },
  { name: 'a document in pieces', chunks: ['{"a"', ':', '1}', '\n'], want: { documents: [{ a: 1 }] } },
  { name: 'empty lines', chunks: ['\n\r\n{"a":1}\n\n'], want: { documents: [{ a: 1 }] } },
  {
    name: 'a half-written document at the end',
    chunks: ['{"a":1}\n{"a":'],
    want: { documents: [{ a: 1 }], error: 'the stream ended in the middle of a document' },
  },
  {
    name: 'a whole document without its newline is not trusted either',
    chunks: ['{"a":1}'],
    want: { documents: [], error: 'the stream ended in the middle of a document' },
  },
  { name: 'no JSON', chunks: ['<html>\n'], want: { documents: [], error: 'not JSON: "<html>"' } },
  { name: 'no object', chunks: ['[1]\n'], want: { documents: [], error: 'not a JSON object: "[1]"' } },
];

for (const { name, chunks, want } of rows) {
  test(`documents: ${name}`, async () => {
    assert.deepEqual(await collect(chunks), want);
  });
}

test('documents: where the stream is cut into chunks does not matter, not even inside a character', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())),
      fc.array(fc.nat()),
      async (objects, cuts) => {
        const bytes = Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const want = objects.map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);
        assert.deepEqual(await collect(chunks), { documents: want });
      },
    ),
    { numRuns: 200 },
  );
});
