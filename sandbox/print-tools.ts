/**
 * `npm run --silent tools`: prints the line that puts `virt-operator` (from these sources), kubectl and helm on the PATH of a shell:
 * `eval "$(npm run --silent tools)"`. What the bootstrap before it has found or built is linked, not copied.
 */
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findControlPlane, findHelm } from './setup/locations.cjs';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules', '.cache');
const FOLDER = join(CACHE, 'virt-operator', 'bin');

/** A path as a word of a shell. */
const quote = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

/** The program, run from the sources by the Node that is pinned. */
const LAUNCHER = `#!/bin/sh
NODE_COMPILE_CACHE=${quote(join(CACHE, 'compile'))} exec ${quote(process.execPath)} ${quote(join(ROOT, 'src', 'main.ts'))} "$@"
`;

function link(name: string, program: string | undefined): void {
  if (program === undefined) throw new Error(`${name} is missing; run this as "npm run tools"`);
  // It may be the link itself, where this folder is on the PATH already.
  const target = realpathSync(program);
  const path = join(FOLDER, name);
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

mkdirSync(FOLDER, { recursive: true });
const binaries = findControlPlane(process.env);
link('kubectl', binaries && join(binaries, 'kubectl'));
link('helm', findHelm(process.env));
writeFileSync(join(FOLDER, 'virt-operator'), LAUNCHER);
chmodSync(join(FOLDER, 'virt-operator'), 0o755);
console.log(`export PATH=${quote(FOLDER)}:"$PATH"`);
