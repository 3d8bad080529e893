import type { RunOptions, RunReport } from '../apply/execute.ts';
import { countObjects } from '../plan/completeness.ts';
import type { PassContext } from '../plan/types.ts';
import type { PassState } from './pass.ts';
import { tellSituation } from './situation.ts';

/** Milliseconds between two reports within one pass: counting is not free. */
const EVERY_MS = 150;
/** The same for rollouts and certificates, which are more to look at. */
const SITUATION_EVERY_MS = 400;

/** Reports how far an installation has come. */
export interface ProgressReporter {
  /** For `RunOptions`: reports now and then while steps run. */
  onStep: NonNullable<RunOptions['onStep']>;
  /** Reports how a run of steps ended, and the phase that follows from it. */
  finish: (report: RunReport, phase: string) => void;
}

/** A reporter for one pass. */
export function createProgressReporter(pass: PassState): ProgressReporter {
  const { parts, key, work } = pass;
  let reportedAt = performance.now();
  let describedAt = reportedAt;
  const report = (context: PassContext, step: string, phase: string) => {
    const { present, wanted, workloads, workloadsReady } = countObjects(context);
    reportedAt = performance.now();
    void parts.progress.write({
      key,
      pass: work.pass,
      phase,
      step,
      objectsDone: present,
      objectsTotal: wanted,
      workloadsReady,
      workloadsTotal: workloads,
      updatedAt: Date.now(),
    });
  };
  return {
    onStep: ({ step, context }) => {
      if (performance.now() - reportedAt < EVERY_MS) return;
      report(context, step, context.kubeVirt.status?.phase ?? 'Deploying');
      if (reportedAt - describedAt < SITUATION_EVERY_MS) return;
      describedAt = reportedAt;
      tellSituation(pass, { context, step });
    },
    finish: ({ context, stopped, failures, steps }, phase) => {
      report(context, failures[0]?.step ?? stopped?.step ?? steps.at(-1)?.name ?? '', phase);
    },
  };
}

/** Tells how a removal goes on, from its beginning. For `RunOptions`. */
export function createRemovalReporter(pass: PassState): NonNullable<RunOptions['onStep']> {
  tellSituation(pass);
  let toldAt = performance.now();
  return ({ step, context }) => {
    if (performance.now() - toldAt < SITUATION_EVERY_MS) return;
    toldAt = performance.now();
    tellSituation(pass, { context, step });
  };
}
