/** Every link and every file that a document names is there. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { anchorOf, listCode, listDocuments, proseOf, readDocument, ROOT, type DocumentFile } from './documents.ts';

const documents = listDocuments();

/** Why a link leads nowhere; undefined when it is good or leaves the repository. */
function findLinkFault({ path: document, text }: DocumentFile, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path));
  if (target.startsWith('..')) return `${document}: ${link} leaves the repository`;
  if (!existsSync(join(ROOT, target))) return `${document}: ${link}`;
  if (anchor === undefined) return undefined;
  const headings = [...(path === '' ? text : readDocument(target)).matchAll(/^#+ (.+)$/gm)];
  return headings.some(([, heading = '']) => anchorOf(heading) === anchor)
    ? undefined
    : `${document}: ${link} has no such heading`;
}

/** Folders whose files documents name from the root of the repository. */
const NAMED = /^(?:src|functions|sandbox|bench|test|charts|docs|examples)\/[\w./-]*[\w-](?:\.\w+)?\/?$/;

describe('documents', () => {
  test('there are all that a user expects', () => {
    const paths = documents.map(({ path }) => path);
    for (const wanted of [
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'charts/virt-operator/README.md',
      'docs/README.md',
      'docs/architecture.md',
      'docs/migrating.md',
      'docs/operations.md',
    ]) {
      assert.ok(paths.includes(wanted), wanted);
    }
    assert.match(readDocument('LICENSE'), /Apache License\s+Version 2\.0[^]*END OF TERMS AND CONDITIONS/);
  });

  for (const document of documents) {
    test(`${document.path}: every link leads somewhere`, () => {
      const links = [...proseOf(document.text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
      assert.deepEqual(
        links.flatMap((link) => findLinkFault(document, link) ?? []),
        [],
      );
    });

    test(`${document.path}: every file that it names is there`, () => {
      const named = listCode(document.text).filter((code) => NAMED.test(code));
      assert.deepEqual(
        named.filter((path) => !existsSync(join(ROOT, path))),
        [],
      );
    });
  }

  test('every document can be found from the README', () => {
    const reached = new Set(['README.md']);
    for (const path of reached) {
      const text = path.endsWith('.md') && existsSync(join(ROOT, path)) ? readDocument(path) : '';
      for (const [, link = ''] of proseOf(text).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
        const target = normalize(join(dirname(path), link)).replace(/\/$/, '');
        if (!/^[a-z]+:/.test(link)) reached.add(target);
      }
    }
    // A folder that is linked stands for what lies in it.
    assert.deepEqual(
      documents.map(({ path }) => path).filter((path) => !reached.has(path) && !reached.has(dirname(path))),
      [],
    );
  });

  test('none names a place on the machine where it was written', () => {
    const found = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w/.])\/(?:root|home|work|tmp)\/\S*/g)].map(([place]) => `${path}: ${place}`),
    );
    assert.deepEqual(found, []);
  });
});
