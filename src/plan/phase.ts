import type { KubeVirt } from '../api/kubevirt.ts';
import { DEPRECATED_KUBEVIRT_FINALIZER, KUBEVIRT_FINALIZER } from '../api/names.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { compareVersions, decidePath } from './path.ts';

/** What a deployment pass is about. */
export type Undertaking = 'install' | 'update' | 'rollback' | 'reconfigure' | 'steady';

/** Which situation a KubeVirt object is in: the one thing that decides what a pass does (spec/reconcile.md §3, §4; design decision 13). */
export type Situation =
  /** There is no such object, or its installation is removed and only finalizers of others still hold it. */
  | { type: 'absent' }
  /** Nothing is done but to say why in the status. */
  | { type: 'blocked'; cause: string }
  /** It is being deleted and owns nothing here: only its finalizer goes. */
  | { type: 'release'; cause: string }
  /** It is being deleted with its installation. */
  | { type: 'delete' }
  | { type: 'deploy'; undertaking: Undertaking };

/** What a situation is told from. */
export interface SituationFacts {
  kubeVirt: KubeVirt | undefined;
  /** All other KubeVirt objects of the cluster. */
  others: readonly KubeVirt[];
  operatorNamespace: string;
  target: TargetDeployment;
  /** Version of this program's build; without it nobody is told that it is too old. */
  operatorVersion?: string;
}

/** Names the situation. With two KubeVirt objects both are blocked; deleting either frees the other. */
export function decideSituation(facts: SituationFacts): Situation {
  const { kubeVirt, target } = facts;
  if (kubeVirt === undefined || isRemoved(kubeVirt)) return { type: 'absent' };
  const isDeleting = kubeVirt.metadata.deletionTimestamp !== undefined;
  const cause = findBlockage(kubeVirt, facts);
  if (cause !== undefined) return isDeleting ? { type: 'release', cause } : { type: 'blocked', cause };
  if (isDeleting) return { type: 'delete' };
  if (isUnaskedDowngrade(kubeVirt, facts)) return { type: 'blocked', cause: describeDowngrade(kubeVirt, facts) };
  return { type: 'deploy', undertaking: decideUndertaking(kubeVirt, target) };
}

/** Nothing of it is left, and we have let it go. */
function isRemoved({ metadata, status }: KubeVirt): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  const isHeld = finalizers.includes(KUBEVIRT_FINALIZER) || finalizers.includes(DEPRECATED_KUBEVIRT_FINALIZER);
  return deletionTimestamp !== undefined && status?.phase === 'Deleted' && !isHeld;
}

/**
 * An operator that is older than the one which looked after the installation last, and that nobody has asked to go back: it would put older components
 * under newer objects (spec/field-reports.md B23). Going back with `spec.imageTag` is always possible.
 */
function isUnaskedDowngrade({ spec, status }: KubeVirt, { target, operatorVersion = '' }: SituationFacts): boolean {
  if (spec.imageTag !== undefined && spec.imageTag !== '') return false;
  return (
    isNewer(status?.operatorVersion, operatorVersion) &&
    isNewer(status?.observedKubeVirtVersion, target.kubeVirtVersion)
  );
}

function isNewer(a = '', b: string): boolean {
  return (compareVersions(a, b) ?? 0) > 0;
}

function describeDowngrade({ status }: KubeVirt, { target, operatorVersion = '' }: SituationFacts): string {
  const observed = status?.observedKubeVirtVersion ?? '';
  return `this operator (${operatorVersion}) is older than the installation (${observed}) and touches nothing; install a newer operator, or set spec.imageTag to ${target.kubeVirtVersion} to go back on purpose`;
}

function findBlockage(
  kubeVirt: KubeVirt,
  { others, operatorNamespace }: Pick<SituationFacts, 'others' | 'operatorNamespace'>,
): string | undefined {
  const [other] = others;
  if (other !== undefined) {
    return `${keyOf(kubeVirt)} is not reconciled while there is another KubeVirt object, ${keyOf(other)}; delete one of them`;
  }
  const { namespace = '' } = kubeVirt.metadata;
  if (namespace === operatorNamespace) return undefined;
  return `${keyOf(kubeVirt)} is not reconciled: the operator works in namespace ${operatorNamespace} only`;
}

function keyOf({ metadata }: KubeVirt): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function decideUndertaking(kubeVirt: KubeVirt, target: TargetDeployment): Undertaking {
  const { metadata, status = {} } = kubeVirt;
  if ((status.observedDeploymentID ?? '') === '') return 'install';
  if (status.observedDeploymentID === target.id) {
    return status.observedGeneration === metadata.generation ? 'steady' : 'reconfigure';
  }
  const order = compareVersions(target.kubeVirtVersion, status.observedKubeVirtVersion ?? '');
  if (order === 0) return 'reconfigure';
  return decidePath(kubeVirt, target) === 'update' ? 'update' : 'rollback';
}
