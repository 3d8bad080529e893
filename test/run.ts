/**
 * `npm test`: all tests against one Redis and, for the files that share it, one control plane. `--long` adds test/long; further arguments replace the
 * list of files. Ends with the closing lines of `node --test`, the counts in one line, and node's exit code.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { startControlPlane, type ControlPlane } from '../sandbox/control-plane.ts';
import { createFamily } from '../sandbox/processes.ts';
import { startRedis } from '../sandbox/redis.ts';
import { ensureControlPlane, ensureHelm } from '../sandbox/setup/control-plane.cjs';
import { SetupError } from '../sandbox/setup/setup-error.cjs';
import { SHARED_KUBECONFIG } from './integration/fixtures/shared-kubeconfig.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Folders of test files; node runs the files by their names. */
const FOLDERS = ['unit', 'parity', 'docs', 'build', 'chart', 'integration'];

/** A file that hangs must not hold up the whole run; a long one has outages of ten minutes in it. */
const FILE_TIMEOUT_MS = 10 * 60 * 1000;
const LONG_FILE_TIMEOUT_MS = 2 * 60 * 60 * 1000;

/** More than two files at once would make the timing of those with a control plane of their own unsteady. */
const CONCURRENCY = Math.min(availableParallelism(), 2);

/** All test files. */
function listFiles(long: boolean): string[] {
  const folders = long ? [...FOLDERS, 'long'] : FOLDERS;
  return folders.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`, { cwd: ROOT }));
}

/** A file of test/long. */
function isLong(file: string): boolean {
  return relative(ROOT, resolve(file)).startsWith(join('test', 'long'));
}

/** What the test files find in their environment, and a folder for the run. */
interface Lent {
  env: NodeJS.ProcessEnv;
  directory: string;
  stop(): Promise<void>;
}

/** Starts what the files share; everything ends with stop(), and with this process however it ends. */
async function startShared(): Promise<Lent> {
  const binaries = await ensureControlPlane(process.env);
  await ensureHelm(process.env);
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-test-'));
  const family = createFamily(directory);
  let plane: ControlPlane | undefined;
  const stop = async () => {
    await plane?.stop();
    await family.end();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await mkdir(join(directory, 'log'));
    const redis = await startRedis(family, directory, process.env);
    plane = await startControlPlane({ binaries });
    const shared = {
      KUBEBUILDER_ASSETS: binaries,
      TEST_REDIS_URL: redis,
      [SHARED_KUBECONFIG]: plane.kubeconfig,
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile'),
    };
    return { env: { ...process.env, ...shared }, directory, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs the files; resolves to node's exit code. */
async function runFiles(files: readonly string[], { env, directory }: Lent): Promise<number> {
  const closing = join(directory, 'closing-line');
  const flags = [
    '--test',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(ROOT, 'test', 'closing-line.ts')}`,
    `--test-reporter-destination=${closing}`,
    `--test-concurrency=${CONCURRENCY}`,
    `--test-timeout=${files.some(isLong) ? LONG_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS}`,
  ];
  const child = spawn(process.execPath, [...flags, ...files], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  console.log(await readFile(closing, 'utf8'));
  return code ?? 1;
}

async function main(args: readonly string[]): Promise<number> {
  const given = args.filter((arg) => arg !== '--long');
  const files = given.length > 0 ? given : listFiles(args.includes('--long'));
  const shared = await startShared();
  try {
    console.log(`${files.length} test files, ${CONCURRENCY} at a time`);
    return await runFiles(files, shared);
  } finally {
    await shared.stop();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`\n${error.message}\n\n`);
  process.exitCode = 1;
}
