import { parseArgs } from 'node:util';
import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';

const USAGE = `usage: crd [-o yaml|json]

Prints the CustomResourceDefinition kubevirts.kubevirt.io, which has to be installed before the operator.
`;

/** Prints the CRD of KubeVirt as YAML, or as JSON with `-o json`. Returns 2 when the arguments are not understood. */
export async function run(args: string[]): Promise<number> {
  const format = parseFormat(args);
  if (format === 'help') process.stdout.write(USAGE);
  else if (format === 'json') process.stdout.write(`${JSON.stringify(buildKubeVirtCrd(), null, 2)}\n`);
  else if (format === 'yaml') process.stdout.write(await toYaml(buildKubeVirtCrd()));
  else process.stderr.write(`crd: ${format.error}\n${USAGE}`);
  return typeof format === 'string' ? 0 : 2;
}

function parseFormat(args: string[]): 'yaml' | 'json' | 'help' | { error: string } {
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
