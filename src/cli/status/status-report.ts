import { objectKey } from '../../api/objects.ts';
import type { KubeVirt } from '../../api/kubevirt.ts';
import type { PassContext } from '../../plan/types.ts';
import { describeSituation, type Subject } from '../../worker/situation.ts';
import type { Scene } from '../cluster/scene.ts';
import { titleOf } from '../cluster/kubevirts.ts';
import { findTroubles } from '../cluster/troubles.ts';
import type { OperatorDeployment } from './operator-state.ts';
import { describeRepair } from './operator-state.ts';
import { decideReadiness } from './readiness.ts';

type Situation = ReturnType<typeof describeSituation>;

/** Where an installation stands, as programs read it. Times are milliseconds since the epoch. */
export interface StatusReport {
  kubeVirt: string;
  ready: boolean;
  /** Why it is not ready; empty when it is. */
  reason: string;
  phase: string;
  version: { target: string; observed: string; operator: string };
  conditions: Situation['conditions'];
  components: Situation['components'];
  operator: readonly OperatorDeployment[];
  remarks: string[];
}

/** What a status is told from. */
export interface StatusFacts {
  scene: Pick<Scene, 'table' | 'release' | 'operatorNamespace'>;
  kubeVirt: KubeVirt;
  others: readonly KubeVirt[];
  /** Undefined when the strategy is not known; components that are missing are then not told. */
  context: PassContext | undefined;
  operator: readonly OperatorDeployment[];
  /** What keeps the object from being deleted, if it is known. */
  deletionBlock?: { isUnanswered: boolean; reason: string } | undefined;
}

/** Tells where an installation stands. Pure. */
export function buildStatus(facts: StatusFacts): StatusReport {
  const { scene, kubeVirt, others, context, operator } = facts;
  const { name = '', namespace } = kubeVirt.metadata;
  const subject: Subject = {
    key: objectKey(name, namespace),
    kubeVirt,
    observed: { others },
    parts: { release: scene.release.environment, store: scene.table },
    ...(context === undefined ? {} : { report: { context } }),
  };
  const { phase, version, conditions, components } = describeSituation(subject);
  const { isReady, reason } = decideReadiness(kubeVirt);
  return {
    kubeVirt: titleOf(kubeVirt),
    ready: isReady,
    reason,
    phase,
    version: { ...version, operator: kubeVirt.status?.operatorVersion ?? '' },
    conditions,
    components,
    operator,
    remarks: findRemarks(facts),
  };
}

function findRemarks({ scene, kubeVirt, others, operator, deletionBlock }: StatusFacts): string[] {
  const { operatorNamespace } = scene;
  const isAway = operator.length > 0 && operator.every(({ ready }) => ready === 0);
  const isRemoved = kubeVirt.metadata.deletionTimestamp !== undefined;
  const repair = describeRepair(operatorNamespace, operator);
  return [
    ...others.map(
      (other) =>
        `there is another KubeVirt object, ${titleOf(other)}: neither is reconciled until one of them is deleted`,
    ),
    ...findTroubles(scene.table),
    ...(isAway ? [`no pod of the operator is ready: nobody looks after this installation`] : []),
    ...(isAway && isRemoved ? [`the removal goes on when the operator runs: ${repair}`] : []),
    ...(deletionBlock?.isUnanswered === true
      ? [`the KubeVirt object cannot be deleted, because the operator's admission does not answer: ${repair}`]
      : []),
  ];
}
