/** The objects are built, not pasted: no long literals outside of tables, no manifests as text. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

import ts from 'typescript';

const SRC = resolve(import.meta.dirname, '..', '..', '..', 'src');
const FOLDERS = ['strategy', 'exchange', 'customize'];
const MAX_LITERAL_LINES = 40;
/** Tables of data: rows of kinds, schemas, rules, texts. */
const TABLES = /\.table\.ts$|^strategy\/schema\/|^strategy\/rbac\/|\/texts\//;
/** How a manifest or a schema shows in a text, as YAML or as JSON. */
const MANIFEST = /(^|[{,])\s*["']?(apiVersion|kind|openAPIV3Schema)["']?:/m;

interface Finding {
  place: string;
  lines: number;
}

/** Object literals of a source with more lines than are allowed, and texts that hold manifests. */
function findFaults(file: string, source: string): { long: Finding[]; pasted: string[] } {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line + 1;
  const long: Finding[] = [];
  const pasted: string[] = [];
  const visit = (node: ts.Node): void => {
    const [first, last] = [lineOf(node.getStart()), lineOf(node.getEnd())];
    const place = `${file}:${first}`;
    const lines = last - first + 1;
    if (ts.isObjectLiteralExpression(node) && lines > MAX_LITERAL_LINES) long.push({ place, lines });
    if ((ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && MANIFEST.test(node.getText().slice(1, -1)))
      pasted.push(place);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { long, pasted };
}

const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*`, { cwd: SRC, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(SRC.length + 1));

describe('sources of the strategy', () => {
  test('are TypeScript alone', () => {
    assert.ok(files.length > 50);
    assert.deepEqual(
      files.filter((file) => !file.endsWith('.ts')),
      [],
    );
  });

  test(`have no object literal of more than ${MAX_LITERAL_LINES} lines outside of tables, and no manifest in a text`, () => {
    for (const file of files) {
      const { long, pasted } = findFaults(file, readFileSync(join(SRC, file), 'utf8'));
      assert.deepEqual(pasted, []);
      if (!TABLES.test(file)) assert.deepEqual(long, []);
    }
  });

  test('a long literal and a manifest would be found', () => {
    const long = `const a = {\n${'  b: 1,\n'.repeat(MAX_LITERAL_LINES)}};\n`;
    const { long: found, pasted } = findFaults(
      'x.ts',
      `${long}const b = \`\nkind: Pod\n\`;\nconst c = '{"kind": "Pod"}'`,
    );
    assert.deepEqual(found, [{ place: 'x.ts:1', lines: MAX_LITERAL_LINES + 2 }]);
    assert.deepEqual(pasted, [`x.ts:${MAX_LITERAL_LINES + 3}`, `x.ts:${MAX_LITERAL_LINES + 6}`]);
  });
});
