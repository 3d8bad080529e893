import { parseArgs } from 'node:util';
import { errorText } from '../errors.ts';
import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';
import { writeOutput } from './output.ts';

const USAGE = `usage: crd [-o yaml|json]

Prints the CustomResourceDefinition kubevirts.kubevirt.io, which has to be installed before the operator.
`;

/** Prints the CRD of KubeVirt as YAML, or as JSON with `-o json`. Returns 2 when the arguments are not understood or the result cannot be written. */
export async function run(args: string[]): Promise<number> {
  const format = parseFormat(args);
  if (typeof format === 'object') {
    process.stderr.write(`crd: ${format.error}\n${USAGE}`);
    return 2;
  }
  try {
    await writeOutput(await FORMATS[format]());
    return 0;
  } catch (error) {
    process.stderr.write(`crd: ${errorText(error)}\n`);
    return 2;
  }
}

/** What each form of the command prints. */
const FORMATS = {
  help: () => USAGE,
  json: () => `${JSON.stringify(buildKubeVirtCrd(), null, 2)}\n`,
  yaml: () => toYaml(buildKubeVirtCrd()),
};

function parseFormat(args: string[]): keyof typeof FORMATS | { error: string } {
  try {
    const { values } = parseArgs({
      args,
      options: { output: { type: 'string', short: 'o', default: 'yaml' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) return 'help';
    if (values.output === 'yaml' || values.output === 'json') return values.output;
    return { error: `unknown output format "${values.output}"` };
  } catch (cause) {
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Writes shared parts out in full: not every reader of YAML follows aliases, and the API server limits them. */
async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' });
}
