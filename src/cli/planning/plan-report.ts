import type { KubeVirt } from '../../api/kubevirt.ts';
import { decideSituation, type Situation } from '../../plan/phase.ts';
import { COMPILED_RELEASE } from '../../exchange/strategy-source.ts';
import type { TargetDeployment } from '../../strategy/types.ts';
import { titleOf } from '../cluster/kubevirts.ts';
import type { Rehearsal } from '../rehearsal/rehearse.ts';
import { sumUp, type Changes } from './changes.ts';
import type { MissingRights } from './operator-rights.ts';

/** Something that one should know before going on; a problem is what keeps the plan from coming to its end. */
export interface Remark {
  level: 'warning' | 'problem';
  text: string;
}

/** What a plan is made from. */
export interface PlanFacts {
  /** As staged. */
  kubeVirt: KubeVirt;
  others: readonly KubeVirt[];
  operatorNamespace: string;
  target: TargetDeployment;
  /** Where the release stands, in words. */
  releaseSource: string;
  rehearsal: Rehearsal;
  /** Undefined when the operator's account is not there, so that its rights are not known. */
  missingRights: readonly MissingRights[] | undefined;
  /** What was assumed although it is not so. */
  assumptions: readonly string[];
  /** Why workloads would not be ready in the end. */
  troubles: readonly string[];
}

/** A plan, as programs read it. */
export interface PlanReport extends Changes {
  kubeVirt: string;
  /** What kind of change it is. */
  undertaking: string;
  from: { version: string; registry: string } | null;
  to: { version: string; registry: string; deploymentID: string };
  releaseSource: string;
  remarks: Remark[];
  missingRights: readonly MissingRights[] | null;
  /** Whether the installation ends up Deployed. */
  succeeds: boolean;
}

/** Draws a plan up from a rehearsal. Pure. */
export function buildReport(facts: PlanFacts): PlanReport {
  const { kubeVirt, target, rehearsal, missingRights, releaseSource } = facts;
  const situation = decideSituation({ ...facts, operatorVersion: COMPILED_RELEASE });
  const remarks = findRemarks(facts, situation);
  const { observedKubeVirtVersion: version = '', observedKubeVirtRegistry: registry = '' } = kubeVirt.status ?? {};
  return {
    kubeVirt: titleOf(kubeVirt),
    undertaking: situation.type === 'deploy' ? situation.undertaking : situation.type,
    from: version === '' ? null : { version, registry },
    to: { version: target.kubeVirtVersion, registry: target.registry, deploymentID: target.id },
    releaseSource,
    remarks,
    missingRights: missingRights ?? null,
    succeeds: !remarks.some(({ level }) => level === 'problem'),
    ...sumUp(rehearsal.steps),
  };
}

function findRemarks(facts: PlanFacts, situation: Situation): Remark[] {
  const { rehearsal, missingRights, kubeVirt, target, assumptions } = facts;
  return [
    ...assumptions.map(warning),
    ...('cause' in situation ? [problem(situation.cause)] : []),
    ...describeDirection(kubeVirt, target, situation),
    ...rehearsal.events
      .filter(({ type }) => type === 'Warning')
      .map(({ reason, message }) => warning(`${message.replace(/ \(generation \d+\)$/, '')} (Event ${reason})`)),
    ...(missingRights ?? []).map(({ role, rights }) =>
      problem(
        `the operator may not create ${role}: it lacks ${list(rights)}; give it these, or the verb escalate (chart value rbac.escalate)`,
      ),
    ),
    ...describeEnd(rehearsal, situation, facts.troubles),
  ];
}

const problem = (text: string): Remark => ({ level: 'problem', text });
const warning = (text: string): Remark => ({ level: 'warning', text });

/** Going back is possible on purpose only, and not what releases are tested for (spec/field-reports.md B23). */
function describeDirection({ status }: KubeVirt, target: TargetDeployment, situation: Situation): Remark[] {
  if (situation.type !== 'deploy' || situation.undertaking !== 'rollback') return [];
  const from = status?.observedKubeVirtVersion ?? '';
  return [
    warning(
      `this goes back from ${from} to ${target.kubeVirtVersion}: the way of an install, virt-api first; what only ${from} knows is removed`,
    ),
  ];
}

function describeEnd(
  { failures, isEndless, kubeVirt, steps }: Rehearsal,
  situation: Situation,
  troubles: readonly string[],
): Remark[] {
  if (failures.length > 0) return describeFailures(failures);
  if (situation.type !== 'deploy') return [];
  const awaited = steps.findLast((step) => step.awaited !== undefined)?.awaited ?? 'all components to be ready';
  if (isEndless) return [problem(`the operator would not come to an end; it keeps waiting for ${awaited}`)];
  if (isDeployed(kubeVirt)) return [];
  return [problem(`the operator would wait for ${awaited}`), ...troubles.map(problem)];
}

function describeFailures(failures: readonly string[]): Remark[] {
  const more = failures.length - MOST;
  return [
    ...failures.slice(0, MOST).map(problem),
    ...(more > 0 ? [problem(`and ${more} more failures of this kind`)] : []),
  ];
}

function isDeployed(kubeVirt: KubeVirt | undefined): boolean {
  const { phase, observedDeploymentID, targetDeploymentID, conditions = [] } = kubeVirt?.status ?? {};
  const isAvailable = conditions.some(({ type, status }) => type === 'Available' && status === 'True');
  return phase === 'Deployed' && observedDeploymentID === targetDeploymentID && isAvailable;
}

/** Rights and failures of one kind that are told. */
const MOST = 5;

function list(rights: readonly string[]): string {
  const more = rights.length - MOST;
  return `${rights.slice(0, MOST).join(', ')}${more > 0 ? ` and ${more} more rights` : ''}`;
}
