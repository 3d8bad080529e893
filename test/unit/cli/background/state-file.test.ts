import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { readState } from '../../../../src/cli/background/state-file.ts';
import { run } from '../../../../src/cli/sandbox.ts';
import { MemoryIo } from '../io.ts';

const folder = mkdtempSync(join(tmpdir(), 'state-'));
after(() => {
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: object | string): string => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

describe('the state of a sandbox', () => {
  test('of one that is up', async () => {
    const state = { pid: process.pid, kubeconfig: '/x' };
    assert.deepEqual(await readState(write('up', state)), state);
  });

  test('there is none', async () => {
    assert.equal(await readState(join(folder, 'none')), undefined);
  });

  test('what a killed one has left behind goes', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const file = write('killed', { pid: child.pid ?? 0, kubeconfig: '/x' });
    assert.equal(await readState(file), undefined);
    assert.equal(existsSync(file), false);
  });

  for (const [name, content] of [
    ['no JSON', 'hello'],
    ['no process', { kubeconfig: '/x' }],
    ['no kubeconfig', { pid: 1 }],
  ] as const) {
    test(`a file of something else is left alone: ${name}`, async () => {
      const file = write(name, content);
      await assert.rejects(
        readState(file),
        /is not the state file of a sandbox: remove it, or name another with --state/,
      );
      assert.ok(existsSync(file));
    });
  }
});

describe('sandbox', () => {
  const rows = [
    { name: 'nothing', args: [], code: 2, out: /^$/, err: /up or down\?/ },
    { name: 'something else', args: ['sideways'], code: 2, out: /^$/, err: /there is no "sideways"/ },
    { name: 'help', args: ['--help'], code: 0, out: /^usage: virt-operator sandbox up\|down/, err: /^$/ },
    { name: 'help of up', args: ['up', '--help'], code: 0, out: /--operator/, err: /^$/ },
    {
      name: 'down with nothing up',
      args: ['down', '--state', join(folder, 'none')],
      code: 0,
      out: /^$/,
      err: /no sandbox is up/,
    },
  ];
  for (const { name, args, code, out, err } of rows) {
    test(name, async () => {
      const io = new MemoryIo();
      assert.equal(await run(args, io), code);
      assert.match(io.outText, out);
      assert.match(io.errText, err);
    });
  }

  test('one that is up is left as it is, and told', async () => {
    const file = write('mine', { pid: process.pid, kubeconfig: '/k', binaries: '/b', dashboard: 'http://d' });
    const io = new MemoryIo();
    assert.equal(await run(['up', '--state', file], io), 0);
    assert.match(io.errText, /a sandbox is up already/);
    assert.equal(io.outText, `# dashboard: http://d\n# kubectl: /b/kubectl\n# state: ${file}\nexport KUBECONFIG=/k\n`);
  });
});
