import { stringify } from 'yaml';

import { toUpstreamForm } from '../exchange/upstream-form.ts';
import { generateStrategy } from '../strategy/generate.ts';
import { decideTarget } from '../strategy/target.ts';
import { decideRelease } from './cluster/release.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { UsageError, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { readKubeVirtFile } from './kubevirt-file.ts';

const FLAGS = {
  cr: { type: 'string' },
  'monitor-namespace': { type: 'string', default: '' },
  'operator-namespace': { type: 'string' },
} as const;

/** The command `render`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'render',
  synopsis: '--cr FILE',
  usage: `Prints every object that the KubeVirt object in a file would install, without a cluster: as JSON with deploymentID and deploymentConfig, or as a stream of YAML
documents. Environment as for the operator: VIRT_OPERATOR_IMAGE and KUBEVIRT_VERSION name the release (default: the one that this program was built for),
VIRT_API_IMAGE and the like the images of components; KV_IO_EXTRA_ENV_* and RUNBOOK_URL_TEMPLATE go where the operator puts them.
  --cr FILE            the KubeVirt object (YAML or JSON, - for standard input)
  --monitor-namespace NS   namespace where Prometheus runs; without it no monitoring objects
  --operator-namespace NS  namespace of the operator (default: the one of the KubeVirt object)`,
  flags: FLAGS,
  reach: 'nothing',
  formats: ['json', 'yaml'],
  run: render,
};

/** Prints the install strategy of a KubeVirt object; exit codes as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

async function render({ flags, io, tell }: Session<typeof FLAGS>): Promise<Answer> {
  if (flags.cr === undefined) throw new UsageError('no KubeVirt object: name its file with --cr FILE');
  const warn = (sentence: string): void => {
    tell(`warning: ${sentence}`);
  };
  const kubeVirt = await readKubeVirtFile(flags.cr, { read: io.read, warn });
  const { environment } = decideRelease({ env: io.env, deployments: [], kubeVirt: undefined });
  const target = decideTarget(kubeVirt, environment);
  const strategy = generateStrategy({
    target,
    operatorNamespace: flags['operator-namespace'] ?? target.namespace,
    monitorNamespace: flags['monitor-namespace'],
    runbookUrlTemplate: environment.runbookUrlTemplate,
  });
  const objects = toUpstreamForm(strategy);
  return {
    text: () => objects.map((object) => `---\n${stringify(object, YAML_FORMAT)}`).join(''),
    json: { deploymentID: target.id, deploymentConfig: target.json, objects },
  };
}

/** Objects share parts; anchors for them would only be in a reader's way. */
const YAML_FORMAT = { aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true };
