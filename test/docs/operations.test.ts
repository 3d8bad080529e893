/** docs/operations.md: whatever a user can meet stands there, and what stands there can be met. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listCode, readDocument, ROOT } from './documents.ts';

const page = readDocument('docs/operations.md');

/** All code that speaks to users, and the chart. */
const sources = globSync('{src,functions,charts}/**/*.{ts,tpl,yaml,txt}', { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

/** Reasons of conditions and of Events: constants and members written in the way of Kubernetes. */
function listReasons(): string[] {
  const text = globSync('src/{plan,status,worker}/**/*.ts', { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  const patterns = [
    /\breason: '([A-Z][a-z]+[A-Z]\w+)'/g,
    /\bREASON = '([A-Z]\w+)'/g,
    /buildEvent\(\s*\w+,\s*'([A-Z]\w+)'/g,
  ];
  return [...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, reason = '']) => reason)))];
}

/** Cells of the first column of the table below a heading. */
function readColumn(heading: string): string[] {
  const [, section = ''] = new RegExp(`^### ${heading}\\n([^]*?)(?=^##)`, 'm').exec(page) ?? [];
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|')[1] ?? '');
}

/** A call of the log with its sentence, behind fields or without. */
const LOG_CALL =
  /[lL]og\.(?:warn|error|fatal)\(\s*(?:\{[^}]*\}(?:\s*:\s*\{[^}]*\})?,\s*|\w+,\s*)?(['"`])((?:(?!\1)[^])*)\1/g;
const CONFIGURATION_ERROR = /new ConfigurationError\(\s*(['"`])((?:(?!\1)[^])*)\1/g;

/** Sentences that the program may say, commands apart: they end with what they say. */
function listSentences(pattern: RegExp): string[] {
  const files = globSync('{src,functions}/**/*.ts', { cwd: ROOT }).filter((file) => !file.startsWith('src/cli/'));
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, , sentence = '']) => sentence)))];
}

/** Whether a row of the page quotes a part of the sentence that no other has: most of what stands between its variables. */
function isNamed(sentence: string): boolean {
  const fixed = sentence.split(/\$\{[^}]*\}/).filter((part) => part.trim().length > 5);
  const quotes = listCode(page)
    .flatMap((code) => code.split('…'))
    .map((quote) => quote.trim());
  return quotes.some((quote) => quote.length > 9 && fixed.some((part) => part.includes(quote)));
}

describe('docs/operations.md', () => {
  test('names every reason of a condition or an Event', () => {
    const reasons = listReasons();
    assert.ok(reasons.length >= 16, reasons.join());
    const named = new Set([...page.matchAll(/`(?:\w+=\w+`, `)?(\w+)`/g)].flatMap(([, word = '']) => word));
    assert.deepEqual(
      reasons.filter((reason) => !named.has(reason)),
      [],
    );
  });

  test('names no reason that nobody gives', () => {
    const reasons = listReasons();
    const rows = readColumn('Conditions and Events of the KubeVirt object');
    assert.ok(rows.length > 12);
    for (const row of rows) {
      const codes = [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
      assert.ok(
        codes.some((code) => reasons.includes(code)),
        row,
      );
    }
  });

  for (const { name, pattern, least } of [
    { name: 'warning and error of the log', pattern: LOG_CALL, least: 40 },
    { name: 'error that ends a process at its start', pattern: CONFIGURATION_ERROR, least: 15 },
  ]) {
    test(`names every ${name}`, () => {
      const sentences = listSentences(pattern);
      assert.ok(sentences.length >= least, String(sentences.length));
      assert.deepEqual(
        sentences.filter((sentence) => !isNamed(sentence)),
        [],
      );
    });
  }

  test('quotes sentences as they are', () => {
    // The API server's own.
    const foreign = ['is forbidden: user', 'is attempting to grant RBAC permissions', 'is forbidden: User', 'cannot'];
    const rows = ['Sentences', 'A process ends at once', 'Other lines of the log'].flatMap(readColumn);
    assert.ok(rows.length > 60);
    const parts = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split('…')));
    const unknown = parts.filter((part) => {
      const words = part.trim();
      return words.length > 1 && !foreign.includes(words) && !sources.includes(words);
    });
    assert.deepEqual(unknown, []);
  });

  test('names commands, flags of the chart and metrics that there are', () => {
    const values = readDocument('charts/virt-operator/values.yaml');
    const named = listCode(page).filter((code) => /^[a-z]+\.[a-zA-Z.]+(=\S+)?$/.test(code));
    const unknown = named.filter((code) => {
      const [path = ''] = code.split('=');
      const last = path.split('.').at(-1) ?? '';
      return !/^(spec|status|docs|virt|kubevirt\.io|tls)/.test(path) && !new RegExp(`^ *${last}:`, 'm').test(values);
    });
    assert.deepEqual(
      unknown.filter((code) => !/\.(md|yaml|crt|key|io)$/.test(code)),
      [],
    );
    for (const code of listCode(page).filter((each) => /^virt_operator_\w+$/.test(each))) {
      assert.ok(sources.includes(code), code);
    }
  });
});
