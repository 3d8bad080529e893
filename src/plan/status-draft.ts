import type { KubeVirt, KubeVirtStatus } from '../api/kubevirt.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { markDeploying, markUpdating } from './conditions.ts';

/** What a pass writes into a status before it knows how it will end. */
export interface StatusFacts {
  target: TargetDeployment;
  /** Version of this program's build. */
  operatorVersion: string;
  /** CPU architecture in Go's naming, used while neither spec nor status name one. */
  architecture: string;
}

/** Whether another deployment than the target was reached before. */
export function isUpdating(status: KubeVirtStatus | undefined, target: TargetDeployment): boolean {
  const observed = status?.observedDeploymentID ?? '';
  return observed !== '' && observed !== target.id;
}

/** The status at the start of a pass over an installation (spec/reconcile.md §3). Fields that others write are kept. */
export function beginStatus({ spec, status = {} }: KubeVirt, facts: StatusFacts): KubeVirtStatus {
  const { target } = facts;
  const wantedArchitecture = spec.configuration?.architectureConfiguration?.defaultArchitecture ?? '';
  const begun: KubeVirtStatus = {
    ...status,
    phase: status.phase ?? 'Deploying',
    operatorVersion: facts.operatorVersion,
    targetKubeVirtRegistry: target.registry,
    targetKubeVirtVersion: target.kubeVirtVersion,
    targetDeploymentID: target.id,
    targetDeploymentConfig: target.json,
    defaultArchitecture: firstText(wantedArchitecture, status.defaultArchitecture, facts.architecture),
  };
  return isUpdating(status, target) ? markUpdating(begun, target) : markDeploying(begun, target);
}

function firstText(...candidates: (string | undefined)[]): string {
  return candidates.find((candidate) => candidate !== undefined && candidate !== '') ?? '';
}

/**
 * Whether the begun status has to be stored before the first object is written, so that whoever deletes the KubeVirt object early leaves nothing behind:
 * at the first pass of an installation and at the first one to another target. In between nothing is written until the end.
 */
export function isStoredFirst(stored: KubeVirtStatus | undefined, begun: KubeVirtStatus): boolean {
  return stored?.phase === undefined || stored.targetDeploymentID !== begun.targetDeploymentID;
}
