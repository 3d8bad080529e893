import type { ExitCode } from './frame/exit.ts';

/** A command as the entry point knows it. */
export interface CommandEntry {
  /** What it is for, in one line. */
  summary: string;
  /** Loads it; a command that nobody asks for costs nothing. */
  load: () => Promise<{ run: (args: string[]) => Promise<ExitCode> }>;
}

/** All commands by name, in the order in which a user meets them. */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    'preflight',
    { summary: 'what would keep an installation from becoming ready', load: () => import('./preflight.ts') },
  ],
  ['images', { summary: 'every image that an installation needs', load: () => import('./images.ts') }],
  ['plan', { summary: 'what the operator would do, and in which order', load: () => import('./plan.ts') }],
  [
    'status',
    { summary: 'where the installation stands; --wait waits until it is ready', load: () => import('./status.ts') },
  ],
  ['diff', { summary: 'where the cluster differs from what is wanted', load: () => import('./diff.ts') }],
  ['history', { summary: 'what the operator did lately', load: () => import('./history.ts') }],
  ['certs', { summary: 'the certificates and how long they last', load: () => import('./certs.ts') }],
  ['render', { summary: 'every object of an installation, without a cluster', load: () => import('./render.ts') }],
  ['crd', { summary: 'the CustomResourceDefinition of KubeVirt', load: () => import('./crd.ts') }],
  ['setup', { summary: 'installs that definition, and a KubeVirt object', load: () => import('./setup.ts') }],
  ['remove', { summary: 'removes an installation and waits for it', load: () => import('./remove.ts') }],
  [
    'sandbox',
    { summary: 'a control plane to try things on: sandbox up, sandbox down', load: () => import('./sandbox.ts') },
  ],
]);

/** The commands, a line each. */
export function describeCommands(): string {
  const lines = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}\n`);
  return `Commands, each with --help and -o json:\n${lines.join('')}`;
}
