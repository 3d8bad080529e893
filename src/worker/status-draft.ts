import type { KubeVirt, KubeVirtStatus } from '../api/kubevirt.ts';
import { markDeploying, markUpdating } from '../plan/conditions.ts';
import { COMPILED_RELEASE } from '../exchange/strategy-source.ts';
import type { TargetDeployment } from '../strategy/types.ts';

/**
 * The status with which an installation pass begins: what is wanted, and that it is under way; a pass over a healthy installation puts `ready` over it
 * again (spec/reconcile.md §3, steps 2 and 3). `architecture`: that of this process, in Go's words.
 */
export function draftInstallation(kubeVirt: KubeVirt, target: TargetDeployment, architecture: string): KubeVirtStatus {
  const { status = {}, spec } = kubeVirt;
  const wanted = spec.configuration?.architectureConfiguration?.defaultArchitecture;
  const draft: KubeVirtStatus = {
    ...status,
    operatorVersion: COMPILED_RELEASE,
    targetKubeVirtRegistry: target.registry,
    targetKubeVirtVersion: target.kubeVirtVersion,
    targetDeploymentID: target.id,
    targetDeploymentConfig: target.json,
    defaultArchitecture: wanted || status.defaultArchitecture || architecture,
    phase: status.phase ?? 'Deploying',
  };
  return isUpdating(status, target) ? markUpdating(draft, target, { isWhole: false }) : markDeploying(draft, target);
}

/** Whether a target is another deployment than the one that was reached last. */
export function isUpdating({ observedDeploymentID = '' }: KubeVirtStatus, target: TargetDeployment): boolean {
  return observedDeploymentID !== '' && observedDeploymentID !== target.id;
}

/** Whether the draft has to be stored before anything is done: the first pass of an installation, or of another target. */
export function isNews(stored: KubeVirtStatus | undefined, draft: KubeVirtStatus): boolean {
  return stored?.phase === undefined || stored.targetDeploymentID !== draft.targetDeploymentID;
}

/** Go's names of the architectures that Node names otherwise. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/** The architecture of a process in Go's words, which KubeVirt uses. */
export function goArchitecture(nodeArchitecture: string): string {
  return GO_ARCHITECTURES[nodeArchitecture] ?? nodeArchitecture;
}
