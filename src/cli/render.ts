import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { stringify } from 'yaml';

import type { KubeVirt } from '../api/kubevirt.ts';
import { errorText } from '../errors.ts';
import { readReleaseEnvironment } from '../release-environment.ts';
import { generateStrategy } from '../strategy/generate.ts';
import { decideTarget } from '../strategy/target.ts';
import { toUpstreamForm } from '../exchange/upstream-form.ts';
import { readKubeVirtFile } from './kubevirt-file.ts';
import { writeOutput } from './output.ts';

const USAGE = `usage: render --cr FILE [--monitor-namespace NS] [--operator-namespace NS] [-o json|yaml]

Prints every object that the KubeVirt object in FILE (YAML or JSON, - for standard input) would install, without a cluster.
  --cr FILE                the KubeVirt object
  --monitor-namespace NS   namespace where Prometheus runs; without it no monitoring objects
  --operator-namespace NS  namespace of the operator; default: the namespace of the KubeVirt object
  -o json|yaml             json: deploymentID, deploymentConfig and objects; yaml: the objects as a stream of documents

Environment as for the operator: VIRT_OPERATOR_IMAGE (required), KUBEVIRT_VERSION, VIRT_API_IMAGE and the other component images,
KV_IO_EXTRA_ENV_*, RUNBOOK_URL_TEMPLATE.
`;

/** Where the command reads from and writes to; tests put their own. */
export interface RenderIo {
  env: Readonly<Record<string, string | undefined>>;
  /** Reads a file, or standard input for `-`. */
  read: (file: string) => Promise<string>;
  /** Resolves when the text is handed over. */
  out: (text: string) => Promise<void>;
  err: (text: string) => void;
}

const PROCESS_IO: RenderIo = {
  env: process.env,
  read: (file) => readFile(file === '-' ? '/dev/stdin' : file, 'utf8'),
  out: writeOutput,
  err: (text) => process.stderr.write(text),
};

/** Prints the install strategy of a KubeVirt object. Exit code 0, or 2 when the arguments, the file or the environment cannot be used, or the result not be written. */
export async function run(args: string[], io: RenderIo = PROCESS_IO): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options === 'help') {
      await io.out(USAGE);
      return 0;
    }
    const warn = (sentence: string): void => {
      io.err(`render: warning: ${sentence}\n`);
    };
    await io.out(render(await readKubeVirtFile(options.cr, { read: io.read, warn }), options, io.env));
    return 0;
  } catch (error) {
    io.err(`render: ${errorText(error)}\n`);
    return 2;
  }
}

interface Options {
  cr: string;
  monitorNamespace: string;
  operatorNamespace: string | undefined;
  output: 'json' | 'yaml';
}

function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      cr: { type: 'string' },
      'monitor-namespace': { type: 'string', default: '' },
      'operator-namespace': { type: 'string' },
      output: { type: 'string', short: 'o', default: 'json' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.cr === undefined) throw new Error(`no KubeVirt object: name its file with --cr\n\n${USAGE}`);
  const { output } = values;
  if (output !== 'json' && output !== 'yaml') throw new Error(`-o takes json or yaml, not "${output}"`);
  return {
    cr: values.cr,
    monitorNamespace: values['monitor-namespace'],
    operatorNamespace: values['operator-namespace'],
    output,
  };
}

function render(kubeVirt: KubeVirt, options: Options, env: RenderIo['env']): string {
  const environment = readReleaseEnvironment(env);
  const target = decideTarget(kubeVirt, environment);
  const strategy = generateStrategy({
    target,
    operatorNamespace: options.operatorNamespace ?? target.namespace,
    monitorNamespace: options.monitorNamespace,
    runbookUrlTemplate: environment.runbookUrlTemplate,
  });
  const objects = toUpstreamForm(strategy);
  if (options.output === 'yaml') return objects.map((object) => `---\n${stringify(object, YAML_FORMAT)}`).join('');
  return `${JSON.stringify({ deploymentID: target.id, deploymentConfig: target.json, objects }, null, 1)}\n`;
}

/** Objects share parts; anchors for them would only be in a reader's way. */
const YAML_FORMAT = { aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true };
