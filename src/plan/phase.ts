import type { KubeVirt } from '../api/kubevirt.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { compareVersions, decidePath } from './path.ts';

/** What a deployment pass is about. */
export type Undertaking = 'install' | 'update' | 'rollback' | 'reconfigure' | 'steady';

/** Which situation a KubeVirt object is in: the one thing that decides what a pass does (spec/reconcile.md §3, §4; design decision 13). */
export type Situation =
  /** There is no such object. */
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
}

/** Names the situation. With two KubeVirt objects both are blocked; deleting either frees the other. */
export function decideSituation(facts: SituationFacts): Situation {
  const { kubeVirt, target } = facts;
  if (kubeVirt === undefined) return { type: 'absent' };
  const isDeleting = kubeVirt.metadata.deletionTimestamp !== undefined;
  const cause = findBlockage(kubeVirt, facts);
  if (cause !== undefined) return isDeleting ? { type: 'release', cause } : { type: 'blocked', cause };
  return isDeleting ? { type: 'delete' } : { type: 'deploy', undertaking: decideUndertaking(kubeVirt, target) };
}

function findBlockage(
  kubeVirt: KubeVirt,
  { others, operatorNamespace }: Pick<SituationFacts, 'others' | 'operatorNamespace'>,
): string | undefined {
  const [other] = others;
  if (other !== undefined) {
    return `${keyOf(kubeVirt)} is not looked after while there is another KubeVirt object, ${keyOf(other)}; delete one of them`;
  }
  const { namespace = '' } = kubeVirt.metadata;
  if (namespace === operatorNamespace) return undefined;
  return `${keyOf(kubeVirt)} is not looked after: the operator works in namespace ${operatorNamespace} only`;
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
