import type { KubeVirt, NodePlacement } from '../../src/api/kubevirt.ts';
import type { Violation } from '../verdict.ts';
import type { CheckPlacement } from './placement.ts';
import { isChanged, RULES_AFTER_PLACEMENT, RULES_BEFORE_PLACEMENT, type Update } from './rules.ts';

/** Placements that are tried out by a dry run when they changed (spec/webhooks.md §4.3, 13 and 14). */
const PLACEMENTS = [
  {
    kind: 'Deployment',
    field: 'spec.infra.nodePlacement',
    read: (kubeVirt: KubeVirt) => kubeVirt.spec.infra?.nodePlacement,
  },
  {
    kind: 'DaemonSet',
    field: 'spec.workloads.nodePlacement',
    read: (kubeVirt: KubeVirt) => kubeVirt.spec.workloads?.nodePlacement,
  },
] as const;

async function findPlacementViolations(
  update: Update,
  check: CheckPlacement,
  signal: AbortSignal,
): Promise<Violation[]> {
  const tried = PLACEMENTS.map(async ({ kind, field, read }) => {
    const placement: NodePlacement | undefined = read(update.new);
    if (placement === undefined || !isChanged(update, read)) return [];
    const objection = await check(kind, placement, signal);
    return objection === undefined ? [] : [{ reason: 'FieldValueInvalid', field, message: objection } as const];
  });
  return (await Promise.all(tried)).flat();
}

/**
 * All rules of spec/webhooks.md §4.3 in order, every violation collected. Rejects when the API server does not answer about a placement, or when `signal`
 * aborts. The objects must have passed the schema.
 */
export async function findViolations(
  update: Update,
  checkPlacement: CheckPlacement,
  signal: AbortSignal,
): Promise<Violation[]> {
  return [
    ...RULES_BEFORE_PLACEMENT.flatMap((rule) => rule(update)),
    ...(await findPlacementViolations(update, checkPlacement, signal)),
    ...RULES_AFTER_PLACEMENT.flatMap((rule) => rule(update)),
  ];
}
