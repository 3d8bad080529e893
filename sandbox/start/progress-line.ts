import type { Progress } from '../../src/queue/progress.ts';

/** The parts of a KubeVirt object's status that tell how far it is. */
export interface KubeVirtStatus {
  phase?: string;
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
}

/** Phase of a finished installation, and of a finished update (spec/reconcile.md §3). */
const FINISHED = 'Deployed';

/** True when the phase says so and all conditions agree: available, neither progressing nor degraded. */
export function isDeployed(status: KubeVirtStatus): boolean {
  const has = (type: string, wanted: string) =>
    status.conditions?.some((condition) => condition.type === type && condition.status === wanted) ?? false;
  return (
    status.phase === FINISHED && has('Available', 'True') && has('Progressing', 'False') && has('Degraded', 'False')
  );
}

/** What is wrong, as the conditions say; undefined when nothing is. */
export function describeTrouble(status: KubeVirtStatus): string | undefined {
  const trouble = status.conditions?.find(
    ({ type, status: value }) =>
      (type === 'Degraded' && value === 'True') || (type === 'Synchronized' && value === 'False'),
  );
  return trouble === undefined ? undefined : `${trouble.reason ?? trouble.type}: ${trouble.message ?? ''}`;
}

/**
 * One line about the way to the goal. It never holds the word of the goal itself, which is said once, when everything is ready.
 */
export function describeProgress(status: KubeVirtStatus, progress: Progress | undefined): string {
  const phase = status.phase ?? progress?.phase ?? 'waiting for the operator';
  const parts = [phase === FINISHED ? 'waiting for the conditions' : phase];
  if (progress !== undefined) {
    parts.push(
      progress.step,
      `objects ${progress.objectsDone} of ${progress.objectsTotal}`,
      `workloads ready ${progress.workloadsReady} of ${progress.workloadsTotal}`,
    );
  }
  return parts.filter((part) => part !== '').join(' · ');
}
