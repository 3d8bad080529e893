import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isInContext, parseCopy, parseDockerfile, textsOf, type Instruction, type Stage } from './dockerfile.ts';

/** The repository, which is the context of the build. */
export const REPOSITORY = resolve(import.meta.dirname, '../..');

/** An image, as far as no base image is needed: its files and what it says about running. */
export interface Image {
  /** Folder that stands for `/`. */
  root: string;
  base: string;
  /** Folders of all stages; for clean-up. */
  directory: string;
  workingDirectory: string;
  user: string;
  entrypoint: string[];
  env: Record<string, string>;
}

/**
 * Carries the Dockerfile out without a Docker engine: each stage is a folder, COPY copies, RUN runs with the node and npm of this machine. Throws with the
 * output of a RUN that fails.
 */
export async function buildImage(): Promise<Image> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-image-'));
  const stages = parseDockerfile(await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8'));
  const ignore = await readFile(join(REPOSITORY, '.dockerignore'), 'utf8');
  for (const [index, stage] of stages.entries())
    await buildStage(stage, { root: folderOf(directory, stage, index), directory, ignore });
  const last = stages.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  return {
    root: folderOf(directory, last, stages.length - 1),
    base: last.base,
    directory,
    workingDirectory: textsOf(last, 'WORKDIR').at(-1) ?? '/',
    user: textsOf(last, 'USER').at(-1) ?? 'root',
    entrypoint: JSON.parse(textsOf(last, 'ENTRYPOINT').at(-1) ?? '[]') as string[],
    env: Object.fromEntries(textsOf(last, 'ENV').flatMap(parseEnv)),
  };
}

/** Removes all that a build has left, also where rights to write were taken away. */
export async function removeImage({ directory }: Image): Promise<void> {
  spawnSync('chmod', ['-R', 'u+w', directory]);
  await rm(directory, { recursive: true, force: true });
}

const folderOf = (directory: string, { name }: Stage, index: number) => join(directory, name ?? `stage-${index}`);

const parseEnv = (text: string) =>
  text.split(' ').map((word): [string, string] => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)];
  });

interface Place {
  /** Folder of the stage. */
  root: string;
  /** Folder of all stages. */
  directory: string;
  ignore: string;
}

async function buildStage(stage: Stage, place: Place): Promise<void> {
  await mkdir(place.root);
  let workingDirectory = '/';
  for (const instruction of stage.instructions) {
    if (instruction.keyword === 'WORKDIR') {
      workingDirectory = instruction.text;
      await mkdir(join(place.root, workingDirectory), { recursive: true });
    } else await carryOut(instruction, join(place.root, workingDirectory), place);
  }
}

async function carryOut({ keyword, text }: Instruction, here: string, place: Place): Promise<void> {
  if (keyword === 'RUN') run(text, here);
  else if (keyword === 'COPY') await copy(text, here, place);
  else if (!['ENV', 'LABEL', 'USER', 'EXPOSE', 'ENTRYPOINT'].includes(keyword)) {
    throw new Error(`the Dockerfile uses ${keyword}, which is not known here`);
  }
}

function run(command: string, cwd: string): void {
  // npm runs on the node that comes first; its cache holds what npm has fetched for the repository.
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    npm_config_prefer_offline: 'true',
  };
  const { status, stdout, stderr, error } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`RUN ${command} failed:\n${stdout}\n${stderr}`, { cause: error });
}

async function copy(text: string, here: string, { root, directory, ignore }: Place): Promise<void> {
  const { from, sources, destination } = parseCopy(text);
  const target = destination.startsWith('/') ? join(root, destination) : join(here, destination);
  for (const source of sources) {
    if (from === undefined && !isInContext(source, ignore)) {
      throw new Error(`.dockerignore keeps ${source} out of the context, but the Dockerfile copies it`);
    }
    const path = join(from === undefined ? REPOSITORY : join(directory, from), source);
    const isFolder = (await stat(path)).isDirectory();
    await cp(path, isFolder ? target : join(target, basename(source)), { recursive: true, verbatimSymlinks: true });
  }
}
