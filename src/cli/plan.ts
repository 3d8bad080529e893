import type { KubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { decideTarget } from '../strategy/target.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { openScene, requireKubeVirt, type Scene } from './cluster/scene.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { EXIT, UsageError, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { readKubeVirtFile } from './kubevirt-file.ts';
import { drawUpPlan } from './planning/draw-up.ts';
import { renderPlan } from './planning/plan-text.ts';
import { runDumpJob } from './planning/run-dump-job.ts';
import { stageKubeVirt, stageNamespace } from './planning/staged.ts';
import { describeUnknown, isStrategyKnown, playDumpJob, readStrategyFile } from './planning/strategy-input.ts';

const FLAGS = {
  cr: { type: 'string' },
  to: { type: 'string' },
  strategy: { type: 'string' },
  'run-job': { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
} as const;

/** A tag, or a digest in its place. */
const IMAGE_TAG = /^@?\w[\w.:-]*$/;

/** The command `plan`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'plan',
  synopsis: '[--cr FILE | --to VERSION]',
  usage: `Shows what the operator would do, and in which order: objects to create, change and delete, pods that are replaced, rights that are missing. It runs the
operator's own passes over a copy of the cluster in memory; nothing is changed.
  --cr FILE            if this KubeVirt object were applied (YAML or JSON, - for standard input)
  --to VERSION         if spec.imageTag of the KubeVirt object were VERSION
                       (neither: with everything as it is)
  --strategy FILE      objects of a release that this program was not built for: a ConfigMap that an operator of that release has stored, or its objects
  --run-job            lets a Job with that release's own image write them; the Job is the only thing that this command ever creates, and it is removed again
  --full               every object and every field`,
  flags: FLAGS,
  // A Job has to pull its image.
  seconds: 300,
  run: plan,
};

/** Tells what the operator would do. Exit code 0, or 3 when it would not come to its end; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

type PlanSession = Session<typeof FLAGS>;

async function plan(session: PlanSession): Promise<Answer> {
  const { flags, io, signal } = session;
  if (flags.cr !== undefined && flags.to !== undefined) throw new UsageError('--cr and --to exclude each other');
  if (flags.to !== undefined && !IMAGE_TAG.test(flags.to))
    throw new UsageError(`--to takes a version as spec.imageTag does, for example v1.9.1, not "${flags.to}"`);
  const now = io.now();
  const wanted = await readWanted(session);
  const scene = await openScene({
    connection: await session.connect(),
    namespace: session.common.namespace ?? wanted?.metadata.namespace,
    env: io.env,
    signal,
  });
  const assumptions = stageNamespace(scene.table, scene.operatorNamespace);
  const kubeVirt = stage(scene, wanted ?? requireKubeVirt(scene, session.common.namespace), { to: flags.to, now });
  const target = decideTarget(kubeVirt, scene.release.environment);
  const configMap = await provideStrategy(session, scene, { kubeVirt, target, now });
  const afterPass = configMap === undefined ? {} : { afterPass: playDumpJob(target, configMap, now) };
  const report = await drawUpPlan({ scene, kubeVirt, now, signal, assumptions, ...afterPass });
  return {
    text: (paint) => renderPlan(report, { isFull: flags.full }, paint),
    json: report,
    exit: report.succeeds ? EXIT.good : EXIT.no,
  };
}

/** The object of `--cr`. Read first: a file that cannot be used is found out about before the cluster is asked. */
async function readWanted({ flags, io, tell }: PlanSession): Promise<KubeVirt | undefined> {
  if (flags.cr === undefined) return undefined;
  return readKubeVirtFile(flags.cr, {
    read: io.read,
    warn: (sentence) => {
      tell(`warning: ${sentence}`);
    },
  });
}

function stage(scene: Scene, wanted: KubeVirt, { to, now }: { to: string | undefined; now: Date }): KubeVirt {
  const { name = 'kubevirt', namespace = scene.operatorNamespace, labels, annotations } = wanted.metadata;
  const spec = to === undefined ? wanted.spec : { ...wanted.spec, imageTag: to };
  return stageKubeVirt(scene.table, { name, namespace, spec, labels, annotations }, now);
}

/** The ConfigMap that a Job would leave, where neither this program nor the cluster knows the objects. */
async function provideStrategy(
  { flags, io, tell, connect, signal }: PlanSession,
  scene: Scene,
  { kubeVirt, target, now }: { kubeVirt: KubeVirt; target: TargetDeployment; now: Date },
): Promise<KubernetesObject | undefined> {
  const file = flags.strategy;
  if (isStrategyKnown(target, scene.table, now)) {
    if (file !== undefined)
      tell(`the objects of ${target.kubeVirtVersion} are known already; --strategy is not needed`);
    return undefined;
  }
  if (file !== undefined) return readStrategyFile(file, target, io.read);
  if (!flags['run-job']) throw new Error(describeUnknown(target));
  const { operatorNamespace } = scene;
  tell(`a Job is to write the objects of ${target.kubeVirtVersion}`);
  return runDumpJob({ connection: await connect(), target, operatorNamespace, spec: kubeVirt.spec, signal });
}
