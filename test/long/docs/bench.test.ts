/** `npm run bench`, as the README names it, for the part that needs no cluster. Its figures are no matter here: the machine may be busy. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ROOT } from '../../docs/documents.ts';

test('npm run bench -- --only strategy', { timeout: 300_000 }, () => {
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', 'bench', '--', '--only', 'strategy'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown[];
  assert.ok(figures.length > 0, stderr);
});
