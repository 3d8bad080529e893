'use strict';
// Where the programs that are not npm packages lie. Plain CommonJS for Node >= 18: the bootstrap uses it before anything is installed.
const { createHash } = require('node:crypto');
const { accessSync, constants, readFileSync } = require('node:fs');
const { homedir } = require('node:os');
const { delimiter, join, resolve } = require('node:path');

const SANDBOX = resolve(__dirname, '..');

/** The programs of a control plane with fake nodes, under the names that users know. */
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'kubectl'];

/** True for a file that may be executed. */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** True when all `names` can be executed in `folder`. */
function hasAll(folder, names) {
  return names.every((name) => isExecutable(join(folder, name)));
}

/** Programs of the control plane that a folder does not hold. */
function listMissing(folder) {
  return CONTROL_PLANE.filter((name) => !hasAll(folder, [name]));
}

/** First folder of the PATH that holds an executable of this name; undefined when none does. */
function findOnPath(name, env) {
  return pathFolders(env).find((folder) => isExecutable(join(folder, name)));
}

function pathFolders(env) {
  return (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

/**
 * Cache folder of what a Go module's tools build, keyed by go.mod and go.sum: another version gets another folder.
 * `module` is the folder of go.mod, `name` that of the cache.
 */
function cacheFolder(name, module, env) {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(module, file)));
  const base = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  return join(base, 'virt-operator', name, hash.digest('hex').slice(0, 16));
}

/** Cache folder of the control plane's programs. */
function controlPlaneCache(env) {
  return cacheFolder('control-plane', SANDBOX, env);
}

/** Cache folder of helm. */
function helmCache(env) {
  return cacheFolder('helm', join(SANDBOX, 'helm'), env);
}

/**
 * Folder with all programs of the control plane: KUBEBUILDER_ASSETS, one folder of the PATH, or the cache; undefined when none holds all of them.
 * (What `setup-envtest` installs lacks the controllers and kwok, and is passed over.)
 */
function findControlPlane(env) {
  const folders = [env.KUBEBUILDER_ASSETS, ...pathFolders(env), controlPlaneCache(env)];
  return folders.find((folder) => folder && hasAll(folder, CONTROL_PLANE));
}

/** Path of helm: on the PATH or in the cache; undefined when there is none. */
function findHelm(env) {
  const folder = findOnPath('helm', env) ?? helmCache(env);
  return hasAll(folder, ['helm']) ? join(folder, 'helm') : undefined;
}

module.exports = {
  CONTROL_PLANE,
  SANDBOX,
  controlPlaneCache,
  findControlPlane,
  listMissing,
  findHelm,
  findOnPath,
  hasAll,
  helmCache,
};
