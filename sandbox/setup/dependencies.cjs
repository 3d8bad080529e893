'use strict';
// node_modules as package-lock.json asks, and in it the Node that everything else runs on.
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');
const { SetupError } = require('./setup-error.cjs');

/** Major version of Node that sources and tests need. */
const NODE_MAJOR = 24;

/**
 * Names of packages that are missing in node_modules or have another version than package-lock.json says; empty when all is well. npm keeps a list of
 * what it installed in node_modules/.package-lock.json and writes it last, so that an interrupted installation counts as none.
 */
function listStale(root) {
  const wanted = readPackages(join(root, 'package-lock.json')) ?? {};
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json')) ?? {};
  return Object.entries(wanted)
    .filter(([path, entry]) => path !== '' && !entry.optional && !entry.devOptional && !entry.peer)
    .filter(([path, entry]) => installed[path]?.version !== entry.version)
    .map(([path]) => path);
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}

/** Runs `npm ci` when something is missing or stale, with the npm that runs us. Throws a SetupError. */
function ensureDependencies(root, env) {
  const stale = listStale(root);
  if (stale.length === 0) return;
  const first = existsSync(join(root, 'node_modules'))
    ? `${stale.length} packages changed, ${stale[0]} for one`
    : 'a fresh clone';
  process.stderr.write(`dependencies: npm ci (${first})\n`);
  const npm = env.npm_execpath?.endsWith('js') ? [process.execPath, env.npm_execpath] : ['npm'];
  const [file, ...args] = [...npm, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const answer = spawnSync(file, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (answer.status === 0) return;
  throw new SetupError('dependencies: npm ci failed, see above; is the package registry reachable?', {
    cause: answer.error,
  });
}

/** Version of node_modules/.bin/node, or undefined when it does not run. */
function readNodeVersion(root) {
  const answer = spawnSync(join(root, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : undefined;
}

function isRightNode(root) {
  return readNodeVersion(root)?.startsWith(`v${NODE_MAJOR}.`) ?? false;
}

/**
 * Makes sure that node_modules/.bin/node is the right one. The package `node` fetches it in an install script; npm may have been told not to run
 * those (`ignore-scripts`, or a version that asks for approval): then the script of this one package is run here. Throws a SetupError.
 */
function ensureNode(root, env) {
  if (isRightNode(root)) return;
  process.stderr.write(`Node ${NODE_MAJOR}: npm has not run the install script of the package "node"; running it\n`);
  const folder = join(root, 'node_modules', 'node');
  spawnSync(process.execPath, ['installArchSpecificPackage'], { cwd: folder, env, stdio: ['ignore', 2, 2] });
  linkNode(root);
  if (isRightNode(root)) return;
  throw new SetupError(
    `Node ${NODE_MAJOR} could not be installed as the npm package "node" (found: ${readNodeVersion(root) ?? 'none'}). ` +
      'Allow its install script with "npm rebuild node --foreground-scripts", or delete node_modules and run this again with ignore-scripts=false.',
  );
}

/** npm makes no link to a file that is not there yet. */
function linkNode(root) {
  const bin = join(root, 'node_modules', '.bin');
  if (existsSync(join(bin, 'node'))) return;
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'node'), { force: true });
  symlinkSync('../node/bin/node', join(bin, 'node'));
}

module.exports = { ensureDependencies, ensureNode, listStale };
