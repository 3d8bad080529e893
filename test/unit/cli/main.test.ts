import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { COMMANDS } from '../../../src/cli/commands.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const rows: { args: string[]; status: number; out: RegExp; err: RegExp }[] = [
  { args: ['--help'], status: 0, out: /^usage: virt-operator \[ROLE\|COMMAND\]/, err: /^$/ },
  { args: ['help'], status: 0, out: /Roles: all \(default\)/, err: /^$/ },
  { args: ['--version'], status: 0, out: new RegExp(`^virt-operator ${version.replaceAll('.', '\\.')}\n$`), err: /^$/ },
  { args: ['statsu'], status: 2, out: /^$/, err: /unknown role or command "statsu"; one of: all, .*status.*--help/ },
  { args: ['constructor'], status: 2, out: /^$/, err: /unknown role or command "constructor"/ },
  { args: ['sandbox'], status: 2, out: /^$/, err: /sandbox: up or down\?/ },
  { args: ['sandbox', 'dwon'], status: 2, out: /^$/, err: /there is no "dwon"/ },
];

describe('the entry point', () => {
  for (const { args, status, out, err } of rows) {
    test(`virt-operator ${args.join(' ')}`, () => {
      const ran = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
      assert.equal(ran.status, status);
      assert.match(ran.stdout, out);
      assert.match(ran.stderr, err);
    });
  }

  test('--help has a line for every command', () => {
    const { stdout } = spawnSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8' });
    for (const [name, { summary }] of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${name} +${summary}$`, 'm'));
  });
});
