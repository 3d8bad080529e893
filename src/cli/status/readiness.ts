import type { KubeVirt } from '../../api/kubevirt.ts';

/** Whether an installation is as its KubeVirt object asks, and if not, why. */
export interface Readiness {
  isReady: boolean;
  /** In words; empty when it is ready. */
  reason: string;
}

/** Judges an installation by its object: deployed, available, neither progressing nor degraded, and for the present generation. Pure. */
export function decideReadiness({ metadata, status = {} }: KubeVirt): Readiness {
  if (metadata.deletionTimestamp !== undefined)
    return not(`it is being removed${because(status, 'Synchronized', 'False')}`);
  if (status.phase === undefined) return not('no operator has looked at it yet');
  const failed = because(status, 'Synchronized', 'False');
  if (failed !== '') return not(`the operator cannot go on${failed}`);
  if (status.phase !== 'Deployed') return not(`it is ${status.phase}${because(status, 'Progressing', 'True')}`);
  if (status.observedGeneration !== metadata.generation) return not('the last edit has not taken effect yet');
  if (!holds(status, 'Available', 'True')) return not(`it is not available${because(status, 'Available', 'False')}`);
  if (holds(status, 'Progressing', 'True')) return not(`it is changing${because(status, 'Progressing', 'True')}`);
  if (holds(status, 'Degraded', 'True')) return not(`it is degraded${because(status, 'Degraded', 'True')}`);
  return { isReady: true, reason: '' };
}

const not = (reason: string): Readiness => ({ isReady: false, reason });

type Status = NonNullable<KubeVirt['status']>;

function find({ conditions = [] }: Status, type: string, status: string) {
  return conditions.find((condition) => condition.type === type && condition.status === status);
}

function holds(status: Status, type: string, value: string): boolean {
  return find(status, type, value) !== undefined;
}

function because(status: Status, type: string, value: string): string {
  const message = find(status, type, value)?.message ?? '';
  return message === '' ? '' : `: ${message}`;
}
