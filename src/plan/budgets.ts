import { apiVersionOf } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { planObject, type CompareContext } from './compare.ts';
import { buildDelete } from './json-patch.ts';
import { buildMetadata, type MetadataContext } from './metadata.ts';
import type { Action } from './types.ts';
import { replicasOf } from './workloads.ts';

const KIND = 'PodDisruptionBudget';
/** Of a Deployment that names no replicas. */
const DEFAULT_MIN_AVAILABLE = 1;

/** The budget of a Deployment: all replicas but one must stay; a single replica has none (spec/apply.md §4.4). */
export function planBudget(deployment: KubernetesObject, context: CompareContext & MetadataContext): Action[] {
  const replicas = replicasOf(deployment);
  const minAvailable = replicas === undefined ? DEFAULT_MIN_AVAILABLE : replicas - 1;
  if (minAvailable <= 0) return planBudgetRemoval(deployment, context);
  return planObject(buildBudget(deployment, minAvailable, context), context);
}

/** Removes the budget of a Deployment that is to be gone, or that has become too small for one. Upstream leaves the budget of a removed one behind. */
export function planBudgetRemoval(deployment: KubernetesObject, { world }: Pick<CompareContext, 'world'>): Action[] {
  const live = world.get(KIND, budgetName(deployment), deployment.metadata.namespace);
  return live === undefined || live.metadata.deletionTimestamp !== undefined ? [] : [buildDelete(KIND, live, {})];
}

function budgetName({ metadata }: KubernetesObject): string {
  return `${metadata.name ?? ''}-pdb`;
}

function buildBudget(deployment: KubernetesObject, minAvailable: number, context: MetadataContext): KubernetesObject {
  const name = budgetName(deployment);
  const { namespace } = deployment.metadata;
  return {
    apiVersion: apiVersionOf(KIND),
    kind: KIND,
    metadata: buildMetadata(
      { name, labels: { 'kubevirt.io': name }, ...(namespace === undefined ? {} : { namespace }) },
      context,
    ),
    spec: { minAvailable, selector: deployment.spec?.selector },
  };
}
