import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Root of the repository. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** A document: where it lies, seen from the root, and its text. */
export interface DocumentFile {
  path: string;
  text: string;
}

/** Every Markdown document that is committed or about to be. */
export function listDocuments(): DocumentFile[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const { stdout, status } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error('git does not list the documents');
  return stdout
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => ({ path, text: readDocument(path) }));
}

/** The text of a file of the repository. */
export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Commands in blocks of shell code, one a line, without comments behind them. */
export function listCommands(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** Prose, without blocks of code. */
export function proseOf(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, '');
}

/** What stands between backticks in the prose. */
export function listCode(text: string): string[] {
  return [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** The anchor that a heading gets. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
