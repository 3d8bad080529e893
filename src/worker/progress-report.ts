import type { RunOptions, RunReport } from '../apply/execute.ts';
import { countObjects } from '../plan/completeness.ts';
import type { PassContext } from '../plan/types.ts';
import type { Progress } from '../queue/progress.ts';

/** Milliseconds between two reports within one pass: counting is not free. */
const EVERY_MS = 150;

/** Reports how far an installation has come. */
export interface ProgressReporter {
  /** For `RunOptions`: reports now and then while steps run. */
  onStep: NonNullable<RunOptions['onStep']>;
  /** Reports how a run of steps ended, and the phase that follows from it. */
  finish: (report: RunReport, phase: string) => void;
}

/** A reporter for one pass. `write` must not reject. */
export function createProgressReporter(
  parts: { progress: { write(progress: Progress): Promise<void> } },
  pass: { key: string; id: string },
): ProgressReporter {
  let reportedAt = performance.now();
  const report = (context: PassContext, step: string, phase: string) => {
    const { present, wanted, workloads, workloadsReady } = countObjects(context);
    reportedAt = performance.now();
    void parts.progress.write({
      key: pass.key,
      pass: pass.id,
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
      if (performance.now() - reportedAt >= EVERY_MS)
        report(context, step, context.kubeVirt.status?.phase ?? 'Deploying');
    },
    finish: ({ context, stopped, failures, steps }, phase) => {
      report(context, failures[0]?.step ?? stopped?.step ?? steps.at(-1)?.name ?? '', phase);
    },
  };
}
