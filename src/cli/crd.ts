import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';
import { runCommand, type Command } from './frame/command.ts';
import type { ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';

const FLAGS = {} as const;

/** The command `crd`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'crd',
  synopsis: '',
  usage:
    'Prints the CustomResourceDefinition kubevirts.kubevirt.io, which has to be installed before the operator: "crd | kubectl apply --server-side -f -".',
  flags: FLAGS,
  reach: 'nothing',
  formats: ['yaml', 'json'],
  run: () => {
    const crd = buildKubeVirtCrd();
    return Promise.resolve({ text: () => toYaml(crd), json: crd });
  },
};

/** Prints the CRD of KubeVirt; exit codes as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

/** Writes shared parts out in full: not every reader of YAML follows aliases, and the API server limits them. */
async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' });
}
