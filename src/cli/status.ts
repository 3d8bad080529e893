import { asKubeVirt, type KubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { createClient } from '../apply/client.ts';
import { buildContext } from './cluster/strategy.ts';
import { chooseKubeVirt, readKubeVirts, titleOf } from './cluster/kubevirts.ts';
import { openScene, requireKubeVirt } from './cluster/scene.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { EXIT, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { waitForObject } from './object-watch.ts';
import { withPatience } from './patience.ts';
import { findDeletionBlock, findOperator, hasValidator } from './status/operator-state.ts';
import { decideReadiness } from './status/readiness.ts';
import { buildStatus } from './status/status-report.ts';
import { renderStatus } from './status/status-text.ts';

const FLAGS = { wait: { type: 'boolean', short: 'w', default: false } } as const;

/** An update of a large cluster takes its time. */
const WAIT_SECONDS = 300;

/** The command `status`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'status',
  synopsis: '[--wait]',
  usage: `Shows the state of the installation: phase, versions, conditions, every component, the operator itself. Exit code 3 if it is not ready.
  -w, --wait           first waits until the installation is ready for the last edit of the KubeVirt object, and says what it is waiting for; --timeout limits it`,
  flags: FLAGS,
  seconds: WAIT_SECONDS,
  graceSeconds: 15,
  run: status,
};

/** Tells where an installation stands. Exit code 0, or 3 when it is not ready; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

type StatusSession = Session<typeof FLAGS>;

async function status(session: StatusSession): Promise<Answer> {
  const { flags, common, io, signal } = session;
  const connection = await session.connect();
  if (flags.wait && !(await waitUntilReady(session))) {
    session.tell(`not ready after ${common.timeout ?? WAIT_SECONDS} seconds; --timeout allows more`);
  }
  const scene = await openScene({ connection, namespace: common.namespace, env: io.env, signal });
  const kubeVirt = requireKubeVirt(scene, common.namespace);
  const { operatorNamespace, client, kubeVirts = [] } = scene;
  const operator = findOperator(await client.list('Deployment', { namespace: operatorNamespace }));
  const isAnswering = operator.some(({ ready }) => ready > 0) || !hasValidator(scene);
  const report = buildStatus({
    scene,
    kubeVirt,
    others: kubeVirts.filter(({ metadata }) => metadata.uid !== kubeVirt.metadata.uid),
    context: await buildContext(scene, kubeVirt, io.now()),
    operator,
    deletionBlock: isAnswering ? undefined : await findDeletionBlock(connection, kubeVirt, signal),
  });
  return {
    text: (paint) => renderStatus(report, io.now().getTime(), paint),
    json: report,
    exit: report.ready ? EXIT.good : EXIT.no,
  };
}

/** Tells each new reason for which it is not ready. False when the time was over first. */
async function waitUntilReady({ common, io, timeout, tell, connect }: StatusSession): Promise<boolean> {
  const connection = await connect();
  const signal = AbortSignal.any([io.signal, timeout]);
  const { metadata } = chooseKubeVirt(await readKubeVirts(createClient(connection, { signal })), common.namespace);
  const { name = '', namespace = '' } = metadata;
  const title = titleOf({ metadata });
  let told = '';
  const isReady = (object: KubeVirt): boolean => {
    const readiness = decideReadiness(object);
    if (!readiness.isReady && readiness.reason !== told) tell(`${title}: ${readiness.reason}`);
    told = readiness.reason;
    return readiness.isReady;
  };
  const last: { object?: KubernetesObject | undefined } = {};
  const isDone = (object: KubernetesObject | undefined): boolean => {
    last.object = object;
    return object === undefined || isReady(asKubeVirt(object));
  };
  const target = { kind: 'KubeVirt', name, namespace } as const;
  try {
    await withPatience(() => waitForObject(connection, target, isDone, signal), { signal, tell });
  } catch (error) {
    if (timeout.aborted) return false;
    throw error;
  }
  if (last.object === undefined) throw new Error(`the KubeVirt object ${title} is gone`);
  return true;
}
