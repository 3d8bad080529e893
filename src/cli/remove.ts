import { parseArgs } from 'node:util';
import type { ApiConnection } from '../api/connection.ts';
import { resourcePath } from '../api/kinds.ts';
import { asKubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { errorText, isNotFound } from '../errors.ts';
import { type ClusterOptions, withCluster } from './cluster.ts';
import { waitForObject } from './object-watch.ts';
import { withPatience, type Patience } from './patience.ts';

const USAGE = `usage: remove --namespace NS [--timeout SECONDS] [--kubeconfig FILE]

Deletes the KubeVirt object of a namespace and waits until the operator has removed the installation. Machines and their disks go only as the object's
uninstallStrategy says; a removal that it forbids is refused.
  --namespace NS     namespace of the operator
  --timeout SECONDS  how long the removal may take (300)
  --kubeconfig FILE  how to reach the cluster (default: the pod's service account)
`;

/** Removes an installation of KubeVirt. Exit code 0, 1 when it was refused or took too long, 2 when the arguments are not understood. */
export async function run(args: string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help' || 'error' in options) {
    const text = options === 'help' ? USAGE : `remove: ${options.error}\n\n${USAGE}`;
    (options === 'help' ? process.stdout : process.stderr).write(text);
    return options === 'help' ? 0 : 2;
  }
  const { namespace } = options;
  return withCluster('remove', options, async (connection, patience) => {
    const objects = await withPatience(() => listKubeVirts(connection, namespace, patience.signal), patience);
    if (objects.length === 0) patience.tell(`there is no KubeVirt object in the namespace ${namespace}`);
    for (const object of objects) await removeOne(connection, object, patience);
  });
}

interface Options extends ClusterOptions {
  namespace: string;
}

function parseOptions(args: string[]): Options | 'help' | { error: string } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        namespace: { type: 'string', short: 'n' },
        kubeconfig: { type: 'string' },
        timeout: { type: 'string', default: '300' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    if (values.namespace === undefined) return { error: 'name the namespace of the operator with --namespace' };
    const timeoutSeconds = Number(values.timeout);
    if (!(timeoutSeconds > 0)) return { error: `--timeout takes a number of seconds, not "${values.timeout}"` };
    return { namespace: values.namespace, kubeconfig: values.kubeconfig, timeoutSeconds };
  } catch (error) {
    return { error: errorText(error) };
  }
}

/** None as well when the kind itself is not there any more. */
async function listKubeVirts(
  connection: ApiConnection,
  namespace: string,
  signal: AbortSignal,
): Promise<KubernetesObject[]> {
  try {
    const path = resourcePath('KubeVirt', namespace);
    const { items } = await connection.request({ method: 'GET', path, signal });
    return (items ?? []) as unknown as KubernetesObject[];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function removeOne(connection: ApiConnection, object: KubernetesObject, patience: Patience): Promise<void> {
  const { name = '', namespace = '', uid } = object.metadata;
  const title = `the KubeVirt object ${namespace}/${name}`;
  const { signal, tell } = patience;
  const target = { kind: 'KubeVirt', name, namespace } as const;
  let last = '';
  // A deletion that is refused leaves through here; one that fails because the webhook is away is tried again.
  await withPatience(async () => {
    const path = resourcePath('KubeVirt', namespace, name);
    await connection
      .request({ method: 'DELETE', path, body: { preconditions: { uid }, propagationPolicy: 'Background' }, signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    await waitForObject(
      connection,
      target,
      (current) => {
        const state = describe(current);
        if (state !== '' && state !== last) tell(`${title}: ${state}`);
        last = state;
        return current === undefined || current.metadata.uid !== uid;
      },
      signal,
    );
  }, patience);
  tell(`${title} is gone`);
}

/** What the operator says about a removal under way; empty when it says nothing. */
function describe(object: KubernetesObject | undefined): string {
  if (object === undefined) return '';
  const { phase = '', conditions = [] } = asKubeVirt(object).status ?? {};
  const failed = conditions.find(({ type, status }) => type === 'Synchronized' && status === 'False');
  return failed?.message === undefined ? phase : `${phase}: ${failed.message}`;
}
