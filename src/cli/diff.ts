import { openScene, requireKubeVirt } from './cluster/scene.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { EXIT, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { describeRef } from './planning/changes.ts';
import { drawUpPlan } from './planning/draw-up.ts';
import type { PlanReport } from './planning/plan-report.ts';
import { renderChange, renderRemark } from './planning/plan-text.ts';
import type { Paint } from './text/paint.ts';

const FLAGS = { full: { type: 'boolean', default: false } } as const;

/** The command `diff`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'diff',
  synopsis: '',
  usage: `Shows where the cluster differs from what the KubeVirt object asks for: what the operator would create, change and delete now, field by field. If the
operator is running, this is what it is about to do; if not, what has changed meanwhile. Exit code 3 if something differs.
  --full               every field, whole values`,
  flags: FLAGS,
  run: diff,
};

/** Tells how managed objects differ from what they should be. Exit code 0, or 3 when some do; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

async function diff(session: Session<typeof FLAGS>): Promise<Answer> {
  const { flags, common, io, signal } = session;
  const scene = await openScene({
    connection: await session.connect(),
    namespace: common.namespace,
    env: io.env,
    signal,
  });
  const kubeVirt = requireKubeVirt(scene, common.namespace);
  const report = await drawUpPlan({ scene, kubeVirt, now: io.now(), signal });
  const { create, change, delete: gone, remarks } = report;
  const isSame = create.length + change.length + gone.length === 0 && report.succeeds;
  return {
    text: (paint) => renderDiff(report, { isFull: flags.full, isSame }, paint),
    json: {
      kubeVirt: report.kubeVirt,
      version: report.to.version,
      same: isSame,
      create,
      change,
      delete: gone,
      remarks,
    },
    exit: isSame ? EXIT.good : EXIT.no,
  };
}

/** The differences for people. */
export function renderDiff(
  { kubeVirt, to, create, change, delete: gone, remarks }: PlanReport,
  { isFull, isSame }: { isFull: boolean; isSame: boolean },
  paint: Paint,
): string {
  if (isSame) return `${paint('good', '✓')} ${kubeVirt}: every object of ${to.version} is as it should be\n`;
  return [
    `${paint('strong', `${kubeVirt}, ${to.version}`)}: ${create.length} missing, ${change.length} different, ${gone.length} left over\n`,
    ...remarks.map((remark) => `${renderRemark(remark, paint)}\n`),
    ...create.map((ref) => `  + ${describeRef(ref)}\n`),
    ...change.map((each) => renderChange(each, isFull, paint)),
    ...gone.map((ref) => `  - ${describeRef(ref)}\n`),
  ].join('');
}
