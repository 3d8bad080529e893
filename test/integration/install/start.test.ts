import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';

import { findFreePort } from '../../../sandbox/ports.ts';
import { eventually } from '../fixtures/eventually.ts';

const ROOT = new URL('../../../', import.meta.url);
const IMAGE = { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0' };
const REDIS = { REDIS_URL: 'redis://127.0.0.1:1' };

let directory: string;
let kubeconfig: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'virt-operator-start-'));
  kubeconfig = join(directory, 'kubeconfig');
  // Nobody listens at this address.
  const server = `https://127.0.0.1:${await findFreePort()}`;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
});
after(() => rm(directory, { recursive: true, force: true }));

/** Starts the program with nothing in its environment but PATH and what is given. */
function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return { child, exited };
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const { child, exited } = start(args, env);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}

const REFUSED: { name: string; args: string[]; env?: Record<string, string>; code: number; want: RegExp }[] = [
  {
    name: 'unknown role',
    args: ['everything'],
    code: 2,
    want: /unknown role or command "everything"; one of: all, gateway/,
  },
  { name: 'unknown flag', args: ['all', '--nope'], code: 2, want: /--nope/ },
  { name: 'malformed number', args: ['all', '--port=x'], code: 2, want: /--port cannot be "x"/ },
  { name: 'malformed URL', args: ['gateway', '--master=::'], code: 2, want: /--master cannot be "::"/ },
  { name: 'missing image', args: ['worker'], env: REDIS, code: 1, want: /VIRT_OPERATOR_IMAGE/ },
  { name: 'missing Redis', args: ['all'], env: IMAGE, code: 1, want: /REDIS_URL or --redis-url/ },
  {
    name: 'dump mode without a target',
    args: ['--dump-install-strategy'],
    env: IMAGE,
    code: 1,
    want: /TARGET_DEPLOYMENT_CONFIG/,
  },
  {
    name: 'a kubeconfig that is not there',
    args: ['gateway', '--kubeconfig=/nowhere/config'],
    env: REDIS,
    code: 1,
    want: /\/nowhere\/config/,
  },
];

for (const { name, args, env, code, want } of REFUSED) {
  test(`refused: ${name}`, async () => {
    const got = await run(args, env);
    assert.equal(got.code, code, got.stderr);
    assert.match(got.stderr, want);
    assert.equal(got.stderr.trim().split('\n').length, 1, got.stderr);
  });
}

test('--help tells roles, flags and commands', async () => {
  const { code, stdout } = await run(['--help']);
  assert.equal(code, 0);
  assert.match(stdout, /--webhook-port/);
  assert.match(stdout, /render/);
});

test('an API server that is away is waited for, said in the log, and the process can be ended meanwhile', async () => {
  const { child, exited } = start(['all', `--kubeconfig=${kubeconfig}`], { ...IMAGE, ...REDIS });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await eventually(
    () => log,
    (said) => /waiting for the API server/.test(said),
  );
  child.kill('SIGTERM');
  assert.equal(await exited, 0, log);
});
