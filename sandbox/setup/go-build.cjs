'use strict';
// Builds the tools of a Go module into a cache folder.
const { spawn, spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync, renameSync, rmSync } = require('node:fs');
const { cpus } = require('node:os');
const { basename, dirname, join } = require('node:path');
const { createInterface } = require('node:readline');
const { isRunning, takeLock } = require('./build-lock.cjs');
const { describeProgress, showProgress } = require('./progress.cjs');
const { SetupError } = require('./setup-error.cjs');

/** What a build needs: what it is called, the folder of go.mod, the cache folder, linker flags, number of programs, files to rename, other ways to get them. */
/** @typedef {{what: string, module: string, cache: string, ldflags: string, links: number, rename: Record<string, string>, instead: string}} Build */

/** The user's Go settings must not change what is built: no workspace, no extra flags, no C compiler. */
function goEnvironment(env) {
  return { ...env, GOFLAGS: '', GOWORK: 'off', GO111MODULE: 'on', CGO_ENABLED: '0' };
}

/**
 * Builds unless the cache folder is there; resolves to it. Another process's build of the same is waited for. Interrupted, it leaves nothing behind but
 * Go's own cache, from which the next try goes on.
 */
async function ensureBuilt(build, env) {
  if (existsSync(build.cache)) return build.cache;
  requireGo(build, env);
  makeWritable(build);
  const release = await takeLock(`${build.cache}.lock`, (holder) => {
    process.stderr.write(`${build.what}: another build is under way (process ${holder}); waiting for it\n`);
  });
  const target = `${build.cache}.building-${process.pid}`;
  const leave = () => {
    rmSync(target, { recursive: true, force: true });
    release();
  };
  try {
    if (existsSync(build.cache)) return build.cache;
    removeAbandoned(build.cache);
    await runGo(build, target, env);
    for (const [from, to] of Object.entries(build.rename)) renameSync(join(target, from), join(target, to));
    renameSync(target, build.cache);
    return build.cache;
  } finally {
    leave();
  }
}

function requireGo(build, env) {
  const answer = spawnSync('go', ['version'], { env: goEnvironment(env), encoding: 'utf8' });
  if (answer.error === undefined && answer.status === 0) return;
  throw new SetupError(
    `${build.what}: the programs are missing and there is no Go to build them. Install Go 1.26 or later and run this again, or ${build.instead}`,
    { cause: answer.error },
  );
}

function makeWritable(build) {
  const parent = dirname(build.cache);
  const probe = join(parent, `.probe-${process.pid}`);
  try {
    mkdirSync(probe, { recursive: true });
    rmSync(probe, { recursive: true });
  } catch (error) {
    throw new SetupError(
      `${build.what}: cannot write to the cache folder ${parent} (${error.code}). Set XDG_CACHE_HOME to a folder that can be written, or ${build.instead}`,
      { cause: error },
    );
  }
}

/** Removes half-built folders of processes that were killed. */
function removeAbandoned(cache) {
  const prefix = `${basename(cache)}.building-`;
  for (const name of readdirSync(dirname(cache))) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    rmSync(join(dirname(cache), name), { recursive: true, force: true });
  }
}

async function runGo(build, target, env) {
  process.stderr.write(`${build.what}: building with Go into ${build.cache}; this happens once per version\n`);
  const state = { done: 0, total: 0, links: build.links, started: Date.now() };
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', build.ldflags];
  const setting = { cwd: build.module, env: { ...goEnvironment(env), GOBIN: target } };
  const progress = showProgress(() => describe(build.what, state), process.stderr);
  try {
    const stale = await runLines(
      build,
      ['list', ...flags, '-deps', '-f', '{{if .Stale}}{{.ImportPath}}{{end}}', 'tool'],
      setting,
    );
    state.total = stale.length;
    state.started = Date.now();
    await runLines(build, ['install', '-v', ...flags, 'tool'], setting, () => state.done++);
  } finally {
    progress.stop();
  }
  process.stderr.write(`${build.what}: built in ${Math.round((Date.now() - state.started) / 1000)} s\n`);
}

function describe(what, state) {
  if (state.total === 0) return `${what}: fetching Go modules`;
  return describeProgress({
    what,
    ...state,
    elapsedSeconds: (Date.now() - state.started) / 1000,
    cores: cpus().length,
  });
}

/**
 * Runs go and collects the package paths it prints: those of `list` come on standard output, those of `install -v` on standard error, where
 * everything else is kept for the error message. `onPackage` is told of each.
 */
function runLines(build, args, setting, onPackage = () => undefined) {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { ...setting, stdio: ['ignore', 'pipe', 'pipe'] });
    const packages = [];
    const messages = [];
    const take = (line) => {
      if (/^[\w.~+/-]+$/.test(line)) {
        packages.push(line);
        onPackage();
      } else if (line !== '' && !line.startsWith('go: downloading ')) messages.push(line);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);
    let interrupted = false;
    const interrupt = () => {
      interrupted = true;
      child.kill('SIGTERM');
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.once(signal, interrupt);
    child.once('error', reject);
    child.once('close', (code) => {
      for (const name of signals) process.removeListener(name, interrupt);
      if (code === 0) resolve(packages);
      else reject(buildFailure(build, messages, interrupted));
    });
  });
}

function buildFailure(build, messages, interrupted) {
  if (interrupted) return new SetupError(`${build.what}: the build was interrupted; the next run goes on from there.`);
  const tail = messages.slice(-20).join('\n  ');
  return new SetupError(`${build.what}: the build with Go failed:\n  ${tail}\nWithout Go, ${build.instead}.`);
}

module.exports = { ensureBuilt };
