'use strict';
// The programs that are built from Go modules: the control plane and helm.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ensureBuilt } = require('./go-build.cjs');
const {
  CONTROL_PLANE,
  SANDBOX,
  controlPlaneCache,
  findControlPlane,
  findHelm,
  helmCache,
  listMissing,
} = require('./locations.cjs');

/** Linker flags that tell the programs which version they are; without them the API server reports v0.0.0. */
function versionFlags(goMod) {
  const [, version, major, minor] = /^\s*k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\S+)/m.exec(goMod);
  const set = (name, value) => `-X k8s.io/component-base/version.${name}=${value}`;
  return ['-s -w', set('gitVersion', version), set('gitMajor', major), set('gitMinor', minor)].join(' ');
}

/**
 * Folder with the programs of the control plane: what is there already (see findControlPlane), else built (spec/sandbox.md "Binaries from Go
 * modules"). Rejects with a SetupError.
 */
async function ensureControlPlane(env) {
  const found = findControlPlane(env);
  if (found !== undefined) return found;
  const missing = env.KUBEBUILDER_ASSETS ? listMissing(env.KUBEBUILDER_ASSETS) : [];
  if (missing.length > 0)
    process.stderr.write(`control plane: KUBEBUILDER_ASSETS is passed over, it has no ${missing.join(', ')}\n`);
  return ensureBuilt(
    {
      what: 'control plane',
      module: SANDBOX,
      cache: controlPlaneCache(env),
      ldflags: versionFlags(readFileSync(join(SANDBOX, 'go.mod'), 'utf8')),
      links: CONTROL_PLANE.length,
      rename: { server: 'etcd' },
      instead: `set KUBEBUILDER_ASSETS to a folder with ${CONTROL_PLANE.slice(0, -1).join(', ')} and kubectl, or put them into one folder of the PATH`,
    },
    env,
  );
}

/** Path of helm: on the PATH, else built. Rejects with a SetupError. */
async function ensureHelm(env) {
  const found = findHelm(env);
  if (found !== undefined) return found;
  const folder = await ensureBuilt(
    {
      what: 'helm',
      module: join(SANDBOX, 'helm'),
      cache: helmCache(env),
      ldflags: '-s -w',
      links: 1,
      rename: {},
      instead: 'put helm on the PATH',
    },
    env,
  );
  return join(folder, 'helm');
}

module.exports = { ensureControlPlane, ensureHelm, versionFlags };
