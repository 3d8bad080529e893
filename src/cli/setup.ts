import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import type { ApiConnection } from '../api/connection.ts';
import { resourcePath, type KindName } from '../api/kinds.ts';
import { asKubeVirt, toJson, type KubeVirt } from '../api/kubevirt.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { errorText } from '../errors.ts';
import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';
import { type ClusterOptions, withCluster } from './cluster.ts';
import { labelNamespace } from './namespace-labels.ts';
import { waitForObject } from './object-watch.ts';
import { withPatience, type Patience } from './patience.ts';

const USAGE = `usage: setup [--namespace NS] [--kubevirt FILE] [--timeout SECONDS] [--kubeconfig FILE]

Puts the CustomResourceDefinition of KubeVirt in place, or brings it up to date, and waits until it can be used.
  --namespace NS     also gives this namespace the labels that it needs: kubevirt.io, and that privileged pods may run
  --kubevirt FILE    then creates or updates this KubeVirt object (YAML or JSON)
  --timeout SECONDS  how long all of it may take (300)
  --kubeconfig FILE  how to reach the cluster (default: the pod's service account)
`;

/** Owner of the fields that this command applies. */
const FIELD_MANAGER = 'virt-operator-setup';

/** Prepares a cluster for the operator. Exit code 0, 1 when it did not work in time, 2 when the arguments are not understood. */
export async function run(args: string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help' || 'error' in options) {
    const text = options === 'help' ? USAGE : `setup: ${options.error}\n\n${USAGE}`;
    (options === 'help' ? process.stdout : process.stderr).write(text);
    return options === 'help' ? 0 : 2;
  }
  return withCluster('setup', options, async (connection, patience) => {
    // Read first: a file that cannot be used should not be found out about after minutes.
    const object = options.kubevirt === undefined ? undefined : await readKubeVirt(options.kubevirt);
    await installCrd(connection, patience);
    if (options.namespace !== undefined) await labelNamespace(connection, options.namespace, patience);
    if (object !== undefined) await applyKubeVirt(connection, object, patience);
  });
}

interface Options extends ClusterOptions {
  kubevirt: string | undefined;
  namespace: string | undefined;
}

function parseOptions(args: string[]): Options | 'help' | { error: string } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        kubevirt: { type: 'string' },
        namespace: { type: 'string', short: 'n' },
        kubeconfig: { type: 'string' },
        timeout: { type: 'string', default: '300' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const timeoutSeconds = Number(values.timeout);
    if (!(timeoutSeconds > 0)) return { error: `--timeout takes a number of seconds, not "${values.timeout}"` };
    return { kubevirt: values.kubevirt, namespace: values.namespace, kubeconfig: values.kubeconfig, timeoutSeconds };
  } catch (error) {
    return { error: errorText(error) };
  }
}

async function readKubeVirt(file: string): Promise<KubeVirt> {
  let value: unknown;
  try {
    value = parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new Error(`cannot read a KubeVirt object from ${file}`, { cause });
  }
  const { kind, ...source } = (value ?? {}) as Partial<KubeVirt>;
  const object = asKubeVirt(source);
  if (kind !== 'KubeVirt' || object.metadata.name === undefined || object.metadata.namespace === undefined) {
    throw new Error(`${file} holds no KubeVirt object with a name and a namespace`);
  }
  return object;
}

async function installCrd(connection: ApiConnection, patience: Patience): Promise<void> {
  const crd = buildKubeVirtCrd();
  const target = { kind: 'CustomResourceDefinition', name: crd.metadata.name ?? '' } as const;
  await withPatience(async () => {
    await apply(connection, target, toJson(crd) as JsonObject, patience.signal);
    await waitForObject(connection, target, isEstablished, patience.signal);
  }, patience);
  patience.tell(`the CustomResourceDefinition ${target.name} is established`);
}

function isEstablished(crd: KubernetesObject | undefined): boolean {
  const conditions = (crd?.status?.['conditions'] ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

async function applyKubeVirt(connection: ApiConnection, object: KubeVirt, patience: Patience): Promise<void> {
  const { name = '', namespace = '' } = object.metadata;
  const target = { kind: 'KubeVirt', name, namespace } as const;
  await withPatience(() => apply(connection, target, toJson(object) as JsonObject, patience.signal), patience);
  patience.tell(`the KubeVirt object ${namespace}/${name} is applied`);
}

/** Server-side apply; takes over fields that others have set. */
async function apply(
  connection: ApiConnection,
  { kind, name, namespace }: { kind: KindName; name: string; namespace?: string },
  body: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  await connection.request({
    method: 'PATCH',
    path: resourcePath(kind, namespace, name),
    query: { fieldManager: FIELD_MANAGER, force: true },
    contentType: 'application/apply-patch+yaml',
    body,
    signal,
  });
}
