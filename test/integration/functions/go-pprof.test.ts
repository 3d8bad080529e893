/** The profiles are read by pprof itself, where there is a Go toolchain. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Recorder, type ProfileFiles } from '../../../functions/profiler/recorder.ts';

const go = ['go', '/usr/local/go/bin/go'].find((command) => spawnSync(command, ['version']).status === 0);
const skip = go === undefined ? 'there is no Go toolchain' : false;
let directory = '';
let files: ProfileFiles = {};

function workForPprof(milliseconds: number): number {
  const end = performance.now() + milliseconds;
  let sum = 0;
  while (performance.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
}

before(async () => {
  if (go === undefined) return;
  directory = await mkdtemp(join(tmpdir(), 'pprof-'));
  const recorder = new Recorder();
  await recorder.start();
  workForPprof(300);
  await recorder.stop();
  files = await recorder.dump();
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
});
after(() => rm(directory || join(tmpdir(), 'pprof-none'), { recursive: true, force: true }));

const pprof = (...args: string[]) => {
  // With the user's build cache: Go builds the tool when it is first asked for.
  const env = { ...process.env, PPROF_TMPDIR: directory, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
  const { stdout, stderr } = spawnSync(go ?? '', ['tool', 'pprof', ...args], { cwd: directory, env, encoding: 'utf8' });
  return `${stdout}${stderr}`;
};

test('go tool pprof finds the function that worked in the CPU profile', { skip }, () => {
  const text = pprof('-top', '-cum', 'cpu.pprof');
  assert.match(text, /Type: cpu/);
  assert.match(text, /Duration: \d/);
  assert.match(text, /\d+ms +[\d.]+% +workForPprof/);
});

test('go tool pprof reads the heap profile', { skip }, () => {
  const text = pprof('-top', '-sample_index=inuse_space', 'heap.pprof');
  assert.match(text, /Type: inuse_space/);
  assert.match(text, /[\d.]+%/);
});
