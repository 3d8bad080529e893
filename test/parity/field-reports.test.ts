/** Every public report about upstream's operator and our libraries has a test that names it, or a decision (spec/field-reports.md). */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../../', import.meta.url);
const REPORTS = new URL('../shared/spec/field-reports.md', ROOT);
const skip = existsSync(REPORTS) ? false : 'no field reports beside the repository';

/** The statements of the page: `| B01 | improve | …`. */
function readStatements(): { id: string; type: string }[] {
  const rows = readFileSync(REPORTS, 'utf8').matchAll(/^\| ([BL]\d\d) \| (parity|improve|decide) \|/gm);
  return [...rows].map(([, id = '', type = '']) => ({ id, type }));
}

/** The words with which tests and the rows of their tables are titled. */
const TITLE = /(?:\b(?:test|it|describe)\(\s*|\b(?:name|what|proves): )(?:'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`)/g;

function readTitles(): string {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT.pathname });
  assert.ok(files.length > 150, `${files.length} files of tests`);
  return files
    .flatMap((file) => [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(TITLE)])
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .join('\n');
}

/** Identifiers that stand in none of the texts. */
function findUntold(type: (type: string) => boolean, texts: string): string[] {
  const told = new Set(texts.match(/\b[BL]\d\d\b/g) ?? []);
  return readStatements()
    .filter((statement) => type(statement.type) && !told.has(statement.id))
    .map(({ id }) => id);
}

test('every statement of class parity or improve is in the title of a test', { skip }, () => {
  assert.ok(readStatements().length > 70);
  const untold = findUntold((type) => type !== 'decide', readTitles());
  assert.deepEqual(untold, []);
});

test('every statement of class decide has its decision', { skip }, () => {
  const notes = globSync('docs/decisions/*.md', { cwd: ROOT.pathname }).map((file) =>
    readFileSync(new URL(file, ROOT), 'utf8'),
  );
  const untold = findUntold((type) => type === 'decide', notes.join('\n'));
  assert.deepEqual(untold, []);
});
