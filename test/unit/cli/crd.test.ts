import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { writeOutput } from '../../../src/cli/output.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';

const main = new URL('../../../src/main.ts', import.meta.url).pathname;
const crd = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [main, 'crd', ...args], { encoding: 'utf8', maxBuffer: 8 * 1024 * 1024 });

describe('crd', () => {
  const rows: { name: string; args: string[]; read: (text: string) => unknown }[] = [
    { name: 'prints YAML', args: [], read: (text) => parse(text) as unknown },
    { name: 'prints JSON when asked', args: ['-o', 'json'], read: (text) => JSON.parse(text) as unknown },
  ];
  for (const { name, args, read } of rows) {
    test(name, () => {
      const { status, stdout, stderr } = crd(...args);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.deepEqual(read(stdout), JSON.parse(JSON.stringify(buildKubeVirtCrd())));
    });
  }

  test('writes shared parts out: a reader needs no aliases', () => {
    assert.doesNotMatch(crd().stdout, /: [&*]a\d/);
  });

  test('tells its usage', () => {
    const { status, stdout } = crd('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^usage: virt-operator crd/);
  });

  const refused: { name: string; args: string[]; want: RegExp }[] = [
    { name: 'an unknown format', args: ['-o', 'xml'], want: /-o takes yaml or json, not "xml"/ },
    { name: 'an unknown flag', args: ['--colour'], want: /--colour/ },
    { name: 'an argument', args: ['kubevirts'], want: /kubevirts/ },
  ];
  for (const { name, args, want } of refused) {
    test(`refuses ${name}`, () => {
      const { status, stdout, stderr } = crd(...args);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, want);
    });
  }
});

/** A stream whose writes end with this error. */
const brokenStream = (code: string): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error(code), { code }));
    },
  });

describe('writeOutput', () => {
  test('hands the text over', async () => {
    const got: string[] = [];
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        got.push(chunk.toString());
        done();
      },
    });
    await writeOutput('text', stream);
    assert.deepEqual(got, ['text']);
    assert.equal(stream.listenerCount('error'), 0);
  });

  test('a reader that has left is no error', async () => {
    await writeOutput('text', brokenStream('EPIPE'));
  });

  test('a full disk is one', async () => {
    await assert.rejects(writeOutput('text', brokenStream('ENOSPC')), /could not be written/);
  });
});
