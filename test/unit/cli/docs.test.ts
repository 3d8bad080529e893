import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { COMMANDS } from '../../../src/cli/commands.ts';
import { flagsOf, type Command } from '../../../src/cli/frame/command.ts';
import { DOWN, UP } from '../../../src/cli/sandbox.ts';
import { MemoryIo } from './io.ts';

const PAGE = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

type AnyCommand = Command<Record<string, never>>;

/** Every command, by the title of its section. */
const commands = new Map<string, AnyCommand>([
  ...(await Promise.all(
    [...COMMANDS.keys()]
      .filter((name) => name !== 'sandbox')
      .map(async (name): Promise<[string, AnyCommand]> => {
        const { COMMAND } = (await import(`../../../src/cli/${name}.ts`)) as { COMMAND: AnyCommand };
        return [name, COMMAND];
      }),
  )),
  ['sandbox up', UP as unknown as AnyCommand],
  ['sandbox down', DOWN as unknown as AnyCommand],
]);

/** Text of the section with a title. */
function sectionOf(title: string): string {
  const [, rest] = PAGE.split(`\n## ${title}\n`);
  assert.ok(rest !== undefined, `docs/cli.md has no section "${title}"`);
  return rest.split('\n## ')[0] ?? '';
}

/** The tables of a text: the cells of their rows, without heading and rule. */
function tablesOf(text: string): string[][][] {
  const blocks = text.split('\n\n').map((block) => block.trim());
  return blocks
    .filter((block) => block.startsWith('|'))
    .map((block) =>
      block
        .split('\n')
        .slice(2)
        .map((line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ),
    );
}

/** The flags in the first cells of a table. */
const flagsIn = (table: string[][] = []) =>
  table.flatMap(([cell = '']) => [...cell.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name));

test('the list of commands is that of the program, with its words', () => {
  const [rows = []] = tablesOf(PAGE);
  const listed = rows.map(([name = '', text = '']) => [/\[`([a-z]+)/.exec(name)?.[1], text.replaceAll('`', '')]);
  assert.deepEqual(
    listed.map(([name]) => name),
    [...COMMANDS.keys()],
  );
  for (const [name = '', text = ''] of listed) {
    assert.ok(COMMANDS.get(name)?.summary.startsWith(text), `${name}: ${text}`);
  }
});

test('the options of every command are those that commands share', () => {
  const tables = tablesOf(sectionOf('Options of every command')).map(flagsIn);
  const shared = (reach: 'cluster' | 'machine' | 'nothing') =>
    Object.keys(flagsOf({ ...(commands.get('crd') as AnyCommand), flags: {}, reach }));
  assert.deepEqual(tables[0]?.toSorted(), shared('nothing').toSorted());
  assert.deepEqual(tables.slice(0, 2).flat().toSorted(), shared('machine').toSorted());
  assert.deepEqual(tables.flat().toSorted(), shared('cluster').toSorted());
});

describe('every option of a command is in its section, and nothing else', () => {
  for (const [title, { flags }] of commands) {
    test(title, () => {
      const [table] = tablesOf(sectionOf(title));
      assert.deepEqual(flagsIn(table).toSorted(), Object.keys(flags).toSorted());
    });
  }
});

describe('help names every option, and no other', () => {
  for (const [title, command] of commands) {
    test(title, async () => {
      const io = new MemoryIo();
      const [name = '', ...words] = title.split(' ');
      const entry = COMMANDS.get(name);
      assert.ok(entry !== undefined);
      const { run } = (await entry.load()) as { run: (args: string[], io: MemoryIo) => Promise<number> };
      assert.equal(await run([...words, '--help'], io), 0);
      const told = new Set([...io.outText.matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)].map(([, flag = '']) => flag));
      const known = Object.keys(flagsOf(command)).filter((flag) => flag !== 'help');
      assert.deepEqual([...told].toSorted(), known.toSorted());
    });
  }
});

test('examples use commands and options that there are', () => {
  const calls = [...PAGE.matchAll(/virt-operator ((?:sandbox )?[a-z]+)((?: +[^|`"\n)]+)?)/g)].filter(([, name = '']) =>
    commands.has(name),
  );
  assert.ok(calls.length >= 14, `${calls.length} calls`);
  for (const [call, name = '', args = ''] of calls) {
    const known = Object.keys(flagsOf(commands.get(name) as AnyCommand));
    for (const [, flag = ''] of args.matchAll(/--([a-z-]+)/g)) assert.ok(known.includes(flag), call);
  }
});

test('seconds that a command may take are told where they are not the usual ones', () => {
  for (const [title, { seconds }] of commands) {
    if (seconds !== undefined) assert.match(sectionOf(title), new RegExp(`\\b${seconds}\\b`), title);
  }
});
