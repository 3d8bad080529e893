import type { ApiConnection } from '../api/connection.ts';
import { resourcePath, type KindName } from '../api/kinds.ts';
import { toJson, type KubeVirt } from '../api/kubevirt.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';
import { titleOf } from './cluster/kubevirts.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { UsageError, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { readKubeVirtFile } from './kubevirt-file.ts';
import { labelNamespace } from './namespace-labels.ts';
import { waitForObject } from './object-watch.ts';
import { withPatience, type Patience } from './patience.ts';

const FLAGS = { kubevirt: { type: 'string' } } as const;

/** The command `setup`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'setup',
  synopsis: '[--kubevirt FILE]',
  usage: `Puts the CustomResourceDefinition of KubeVirt in place, or brings it up to date, and waits until it can be used.
  --kubevirt FILE      then creates or updates this KubeVirt object (YAML or JSON, - for standard input)`,
  flags: FLAGS,
  namespace: 'also gives this namespace the labels that it needs: kubevirt.io, and that privileged pods may run',
  seconds: 300,
  run: setup,
};

/** Owner of the fields that this command applies. */
const FIELD_MANAGER = 'virt-operator-setup';

/** Prepares a cluster for the operator. Exit code 1 when it did not work in time; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

async function setup(session: Session<typeof FLAGS>): Promise<Answer> {
  const { flags, common, signal, tell } = session;
  // Read first: a file that cannot be used should not be found out about after minutes.
  const kubeVirt = flags.kubevirt === undefined ? undefined : await readKubeVirt(flags.kubevirt, session);
  const patience = { signal, tell };
  const connection = await session.connect();
  const definition = await installCrd(connection, patience);
  if (common.namespace !== undefined) await labelNamespace(connection, common.namespace, patience);
  if (kubeVirt !== undefined) await applyKubeVirt(connection, kubeVirt, patience);
  const json = { definition, namespace: common.namespace ?? null, kubeVirt: kubeVirt ? titleOf(kubeVirt) : null };
  return { text: () => '', json };
}

async function readKubeVirt(file: string, { io, tell }: Session<typeof FLAGS>): Promise<KubeVirt> {
  // It is applied with server-side apply, which takes no field that the definition does not know.
  const kubeVirt = await readKubeVirtFile(file, { read: io.read, warn: tell, isStrict: true });
  if (kubeVirt.metadata.name !== undefined) return kubeVirt;
  throw new UsageError(`the KubeVirt object in ${file} has no name: set metadata.name, for example kubevirt`);
}

/** Resolves to the name of the definition when it can be used. */
async function installCrd(connection: ApiConnection, patience: Patience): Promise<string> {
  const crd = buildKubeVirtCrd();
  const target = { kind: 'CustomResourceDefinition', name: crd.metadata.name ?? '' } as const;
  await withPatience(async () => {
    await apply(connection, target, toJson(crd) as JsonObject, patience.signal);
    await waitForObject(connection, target, isEstablished, patience.signal);
  }, patience);
  patience.tell(`the CustomResourceDefinition ${target.name} is established`);
  return target.name;
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
