import type { ApiConnection } from '../api/connection.ts';
import { resourcePath } from '../api/kinds.ts';
import { asKubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { isNotFound } from '../errors.ts';
import { titleOf } from './cluster/kubevirts.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { UsageError, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { waitForObject } from './object-watch.ts';
import { withPatience, type Patience } from './patience.ts';

const FLAGS = {} as const;

/** The command `remove`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'remove',
  synopsis: '--namespace NS',
  usage: `Deletes the KubeVirt object of a namespace and waits until the operator has removed the installation. What happens to virtual machines is up
to the object's uninstallStrategy; a removal that it forbids is refused.`,
  flags: FLAGS,
  namespace: 'namespace of the KubeVirt object; it has to be named, so that the wrong installation is not removed',
  seconds: 300,
  run: remove,
};

/** Removes an installation of KubeVirt. Exit code 1 when it was refused or took too long; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

async function remove({ common, signal, tell, connect }: Session<typeof FLAGS>): Promise<Answer> {
  const { namespace } = common;
  if (namespace === undefined) throw new UsageError('name the namespace of the KubeVirt object with --namespace NS');
  const patience = { signal, tell };
  const connection = await connect();
  const objects = await withPatience(() => listKubeVirts(connection, namespace, signal), patience);
  if (objects.length === 0) tell(`there is no KubeVirt object in the namespace ${namespace}`);
  for (const object of objects) await removeOne(connection, object, patience);
  return { text: () => '', json: { removed: objects.map(titleOf) } };
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
