/** `render` as users run it: pipes that end early, full disks, other machines. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
const folder = await mkdtemp(join(tmpdir(), 'virt-operator-render-'));
after(() => rm(folder, { recursive: true, force: true }));
const cr = join(folder, 'kubevirt.yaml');
await writeFile(cr, 'apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n');

interface Run {
  node?: string[];
  args?: string[];
  env?: Record<string, string>;
  out?: number;
}

const render = ({ node = [], args = [], env = {}, out }: Run = {}): ChildProcess =>
  spawn(process.execPath, [...node, MAIN, 'render', '--cr', cr, '--monitor-namespace', 'monitoring', ...args], {
    env: { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0', ...env },
    stdio: ['ignore', out ?? 'pipe', 'pipe'],
  });

async function hashOf(run: Run): Promise<string> {
  const child = render(run);
  const hash = createHash('sha256');
  child.stdout?.on('data', (chunk: Buffer) => hash.update(chunk));
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 0);
  return hash.digest('hex');
}

for (const format of ['json', 'yaml']) {
  test(`a reader that has seen enough ends ${format} without a word`, async () => {
    const child = render({ args: ['-o', format] });
    const { stdout, stderr } = child;
    assert.ok(stdout && stderr);
    const complaints = text(stderr);
    stdout.once('data', () => stdout.destroy());
    const [code] = (await once(child, 'close')) as [number];
    assert.deepEqual([code, await complaints], [0, '']);
  });
}

test('a full disk is told in one line', { skip: existsSync('/dev/full') ? false : 'no /dev/full here' }, async () => {
  const child = render({ out: openSync('/dev/full', 'w') });
  assert.ok(child.stderr);
  const complaints = text(child.stderr);
  const [code] = (await once(child, 'close')) as [number];
  assert.match(await complaints, /^render: the result could not be written: ENOSPC.*\n$/);
  assert.equal(code, 1);
});

test('every run prints the same bytes, on another architecture and in another language and time zone too', async () => {
  const elsewhere =
    "Object.defineProperties(process, { arch: { value: 'arm64' }, platform: { value: 'darwin' } }); Date.now = () => 0";
  const [here, there] = await Promise.all([
    hashOf({}),
    hashOf({
      node: ['--import', `data:text/javascript,${encodeURIComponent(elsewhere)}`],
      env: { LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kolkata' },
    }),
  ]);
  assert.equal(there, here);
});
