import type { ConditionReason, ConditionType, KubeVirtCondition, KubeVirtStatus } from '../api/kubevirt.ts';
import type { TargetDeployment } from '../strategy/types.ts';

/** Longest message of a condition: what a person still reads (spec/field-reports.md B34, B71). */
const LONGEST_MESSAGE = 1024;

type Statuses = Partial<Record<ConditionType, KubeVirtCondition['status']>>;

/** One situation of the table in spec/reconcile.md §2.3. */
interface Report {
  reason: ConditionReason;
  message: string;
  /** New types are appended in this order. */
  set: Statuses;
  removed?: readonly ConditionType[];
}

function withReport(status: KubeVirtStatus, { reason, message, set, removed = [] }: Report): KubeVirtStatus {
  const kept = (status.conditions ?? []).filter(({ type }) => !removed.includes(type));
  const conditions = Object.entries(set).reduce(
    (list, [type, value]) => withCondition(list, { type: type as ConditionType, status: value, reason, message }),
    kept,
  );
  return { ...status, conditions };
}

function withCondition(conditions: KubeVirtCondition[], condition: KubeVirtCondition): KubeVirtCondition[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  return index === -1 ? [...conditions, condition] : conditions.with(index, { ...conditions[index], ...condition });
}

/** A first installation, or a change within the same deployment, is under way. */
export function markDeploying(status: KubeVirtStatus, target: TargetDeployment): KubeVirtStatus {
  return withReport(status, {
    reason: 'DeploymentInProgress',
    message: `Installing KubeVirt ${target.kubeVirtVersion} from registry ${target.registry}`,
    set: { Available: 'False', Progressing: 'True', Degraded: 'False' },
    removed: ['Synchronized'],
  });
}

/**
 * The deployment changes from an observed one to another: the old components go on, so it stays available. Where it was not available before, because something
 * had failed, it is again only when nothing is missing (`isWhole`): Available never turns true before.
 */
export function markUpdating(
  status: KubeVirtStatus,
  target: TargetDeployment,
  { isWhole }: { isWhole: boolean },
): KubeVirtStatus {
  const from = `${status.observedKubeVirtVersion ?? ''} (registry ${status.observedKubeVirtRegistry ?? ''})`;
  const before = (status.conditions ?? []).find(({ type }) => type === 'Available')?.status;
  return withReport(status, {
    reason: 'UpdateInProgress',
    message: `Going from version ${from} to ${target.kubeVirtVersion} (registry ${target.registry})`,
    set: { Available: before === 'False' && !isWhole ? 'False' : 'True', Progressing: 'True', Degraded: 'True' },
    removed: ['Created', 'Synchronized'],
  });
}

/** The installation cannot go on before something else is over, which nobody of ours can end: migrations (spec/field-reports.md B28), a deletion (B05). */
export function markHeld(status: KubeVirtStatus, awaited: string): KubeVirtStatus {
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing === undefined) return status;
  const message = shorten(`${progressing.message ?? ''}; waiting for ${awaited}`);
  return { ...status, conditions: withCondition(status.conditions ?? [], { ...progressing, message }) };
}

/** Every step was completed. */
export function markCreated(status: KubeVirtStatus): KubeVirtStatus {
  return withReport(status, {
    reason: 'AllResourcesCreated',
    message: 'Every object of the installation exists',
    set: { Created: 'True' },
  });
}

/** Every step was completed and every component is rolled out: what was wanted has become what is observed. */
export function markReady(status: KubeVirtStatus, target: TargetDeployment, generation: number): KubeVirtStatus {
  const ready = withReport(status, {
    reason: 'AllComponentsReady',
    message: 'Every component is ready',
    set: { Available: 'True', Progressing: 'False', Degraded: 'False' },
  });
  return {
    ...ready,
    phase: 'Deployed',
    observedKubeVirtRegistry: target.registry,
    observedKubeVirtVersion: target.kubeVirtVersion,
    observedDeploymentID: target.id,
    observedDeploymentConfig: target.json,
    observedGeneration: generation,
  };
}

/** Something could not be done; `cause` names the object and what was answered. */
export function markFailed(status: KubeVirtStatus, cause: string): KubeVirtStatus {
  return withReport(status, {
    reason: 'DeploymentFailed',
    message: shorten(`The installation ran into an error: ${cause}`),
    set: { Synchronized: 'False', Available: 'False', Progressing: 'False', Degraded: 'True' },
  });
}

/** Another KubeVirt object is in the way, or this one is in a namespace where nobody looks after it. */
export function markBlocked(status: KubeVirtStatus, cause: string): KubeVirtStatus {
  return withReport(status, {
    reason: 'ExistingDeployment',
    message: shorten(cause),
    set: { Synchronized: 'False' },
  });
}

/** The removal is under way. */
export function markDeleting(status: KubeVirtStatus): KubeVirtStatus {
  const deleting = withReport(status, {
    reason: 'DeletionInProgress',
    message: 'The installation is being removed',
    set: { Available: 'False', Progressing: 'False', Degraded: 'True' },
    removed: ['Created', 'Synchronized'],
  });
  return { ...deleting, phase: 'Deleting' };
}

/** The removal could not go on. */
export function markDeletionFailed(status: KubeVirtStatus, cause: string): KubeVirtStatus {
  return withReport(status, {
    reason: 'DeletionFailed',
    message: shorten(`The removal ran into an error: ${cause}`),
    set: { Synchronized: 'False' },
  });
}

/** What is wrong with the wanted lifetimes of certificates (spec/field-reports.md B48); without problems the condition goes. */
export function markCertificateSettings(status: KubeVirtStatus, problems: readonly string[]): KubeVirtStatus {
  return markProblem(status, {
    type: 'CertificateSettingsInvalid',
    reason: 'InconsistentLifetimes',
    problems,
  });
}

/** Which operands serve a certificate that is no longer in its Secret (spec/field-reports.md B39); without any the condition goes. */
export function markOutdatedCertificates(status: KubeVirtStatus, problems: readonly string[]): KubeVirtStatus {
  return markProblem(status, { type: 'CertificatesOutdated', reason: 'OutdatedCertificateServed', problems });
}

/** That the operator goes on without Redis (spec/field-reports.md L09); when it has Redis again the condition goes. */
export function markWithoutRedis(status: KubeVirtStatus, isWithoutRedis: boolean): KubeVirtStatus {
  const problems = isWithoutRedis
    ? ['Redis takes no writes: one worker goes on under the Lease virt-operator, with a queue in its memory']
    : [];
  return markProblem(status, { type: 'RedisUnusable', reason: 'QueueInMemory', problems });
}

function markProblem(
  status: KubeVirtStatus,
  { type, reason, problems }: { type: ConditionType; reason: ConditionReason; problems: readonly string[] },
): KubeVirtStatus {
  const has = status.conditions?.some((condition) => condition.type === type) === true;
  if (problems.length > 0) {
    return withReport(status, { reason, message: shorten(problems.join('; ')), set: { [type]: 'True' } });
  }
  return has ? withReport(status, { reason, message: '', set: {}, removed: [type] }) : status;
}

/** Nothing of the installation is left. */
export function markDeleted(status: KubeVirtStatus): KubeVirtStatus {
  return { ...status, phase: 'Deleted' };
}

/**
 * Gives the conditions of a draft their times, by comparison with the status that is stored: a condition that means the same keeps its times, a changed
 * one gets both, a new one only the probe time (spec/reconcile.md §2.3).
 */
export function settleConditionTimes(draft: KubeVirtStatus, stored: KubeVirtStatus, now: Date): KubeVirtStatus {
  if (draft.conditions === undefined) return draft;
  const time = `${now.toISOString().slice(0, 19)}Z`;
  const before = new Map(stored.conditions?.map((condition) => [condition.type, condition]));
  return {
    ...draft,
    conditions: draft.conditions.map((condition) => withTimes(condition, before.get(condition.type), time)),
  };
}

function withTimes(
  condition: KubeVirtCondition,
  before: KubeVirtCondition | undefined,
  time: string,
): KubeVirtCondition {
  if (before === undefined) return { ...condition, lastProbeTime: time, lastTransitionTime: null };
  const isSame =
    before.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  return isSame ? before : { ...condition, lastProbeTime: time, lastTransitionTime: time };
}

function shorten(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= LONGEST_MESSAGE) return message;
  // A character cut in two at the end decodes to a replacement character, which is dropped.
  const head = bytes
    .subarray(0, LONGEST_MESSAGE - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${head}…`;
}
