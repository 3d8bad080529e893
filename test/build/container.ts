import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../integration/fixtures/eventually.ts';
import type { Image } from './image.ts';

/** Folder of files that a container is given from outside. */
const MOUNTED = '/mounted';

/** Gives commands of an image the nearest to a container that this machine allows. */
export interface ContainerHost {
  /** What of a container is real here, for the names of tests. */
  kind: string;
  /** Starts the entrypoint, or another program of the image, with arguments and variables. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Container;
  /** Puts a file where containers that start later can read it; resolves to the path that they know it by. */
  mount(file: string, name: string): Promise<string>;
}

/** A running container. */
export interface Container {
  lines: readonly string[];
  /** Resolves to the first line that contains the text. */
  said(text: string): Promise<string>;
  /** Resolves with the exit code and what stood on standard output. */
  exit: Promise<{ code: number | null; output: string }>;
  end(): Promise<number | null>;
}

/** Where a process may have its own mounts, only root may: all of it. Else the files, without rights to write them, run by this machine's node. */
export async function openContainerHost(image: Image): Promise<ContainerHost> {
  const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
  const mounted = join(image.root, MOUNTED);
  await mkdir(mounted);
  const mount = async (file: string, name: string) => {
    await copyFile(file, join(mounted, name));
    await chmod(join(mounted, name), 0o644);
    return canMount ? join(MOUNTED, name) : join(mounted, name);
  };
  if (canMount) await addBase(image.root);
  else spawnSync('chmod', ['-R', 'a-w', join(image.root, image.workingDirectory)]);
  const [program = ''] = image.entrypoint;
  const wrap = canMount
    ? ['unshare', '--mount', 'sh', '-c', ENTER, 'enter', image.root, image.user, program]
    : [process.execPath, join(image.root, program)];
  return {
    kind: canMount ? `read-only root, user ${image.user}, nothing but the image` : 'files without rights to write them',
    start: (args, env = {}) => {
      const [file = '', ...before] = wrap;
      return follow(
        spawn(file, [...before, ...args], { env: { PATH: '/usr/sbin:/usr/bin:/bin', ...image.env, ...env } }),
      );
    },
    mount,
  };
}

/** The process keeps its id through all of this, so that signals reach it. */
const ENTER =
  'root=$1 user=$2; shift 2; mount --bind "$root" "$root" && mount -o remount,ro,bind "$root" && exec chroot --userspec="$user" "$root" "$@"';

/** What the base image brings: node under its path there, with the libraries that it needs. */
async function addBase(root: string): Promise<void> {
  const node = join(root, 'nodejs/bin/node');
  await mkdir(dirname(node), { recursive: true });
  await cp(process.execPath, node, { dereference: true });
  const { stdout } = spawnSync('ldd', [process.execPath], { encoding: 'utf8' });
  for (const library of stdout.match(/\/\S+/g) ?? []) {
    await mkdir(dirname(join(root, library)), { recursive: true });
    await cp(library, join(root, library), { dereference: true });
  }
}

function follow(child: ChildProcess): Container {
  const lines: string[] = [];
  let output = '';
  if (child.stderr === null || child.stdout === null) throw new Error('the container was started without pipes');
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const exit = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const said = async (text: string) => {
    const find = () => lines.find((line) => line.includes(text)) ?? '';
    const line = await eventually(find, (found) => found !== '' || isOver(), 60_000);
    if (line === '') throw new Error(`ended without saying "${text}":\n${lines.slice(-8).join('\n')}`);
    return line;
  };
  const end = async () => {
    if (!isOver()) child.kill('SIGTERM');
    return (await exit).code;
  };
  return { lines, said, exit, end };
}
