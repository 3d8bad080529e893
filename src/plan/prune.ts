import type { KindName } from '../api/kinds.ts';
import { STRATEGY_LABEL } from '../api/names.ts';
import { objectKey, type KubernetesObject } from '../api/objects.ts';
import { planBudgetRemoval } from './budgets.ts';
import { buildDelete } from './json-patch.ts';
import { isManaged } from './managed.ts';
import { isTemporary } from './temporary-webhook.ts';
import type { Action, PassContext, StepPlan } from './types.ts';
import { isServed } from './wanted.ts';

/** What may be left over from another strategy, in the order of removal: stale webhooks could refuse everything that follows (spec/apply.md §8). */
const ADMISSION: readonly KindName[] = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
const CONTENT: readonly KindName[] = [
  'APIService',
  'Secret',
  'ConfigMap',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'CustomResourceDefinition',
  'DaemonSet',
  'Deployment',
  'Service',
  'PrometheusRule',
  'ServiceMonitor',
];
/** Old components work with their roles until they are gone. */
const PERMISSIONS: readonly KindName[] = [
  'ClusterRoleBinding',
  'ClusterRole',
  'RoleBinding',
  'Role',
  'ServiceAccount',
  'SecurityContextConstraints',
];
const INSTANCETYPES: readonly KindName[] = ['VirtualMachineClusterInstancetype', 'VirtualMachineClusterPreference'];

/** Webhook configurations that the strategy does not name. */
export const planPruneAdmission = (context: PassContext): StepPlan => planPrune(ADMISSION, context);
/** Components and what belongs to them; their budgets, which upstream leaves behind. */
export function planPruneContent(context: PassContext): StepPlan {
  const budgets = findLeftovers('Deployment', context).flatMap((deployment) => planBudgetRemoval(deployment, context));
  return { actions: [...planPrune(CONTENT, context).actions, ...budgets] };
}
/** Roles, bindings and accounts. */
export const planPrunePermissions = (context: PassContext): StepPlan => planPrune(PERMISSIONS, context);
/** Common instance types and preferences. */
export const planPruneInstancetypes = (context: PassContext): StepPlan => planPrune(INSTANCETYPES, context);

function planPrune(kinds: readonly KindName[], context: PassContext): StepPlan {
  return {
    actions: kinds
      .filter((kind) => isServed(kind, context.features))
      .flatMap((kind) => findLeftovers(kind, context).map((object): Action => buildDelete(kind, object))),
  };
}

function findLeftovers(kind: KindName, { strategy, world, kubeVirt }: PassContext): KubernetesObject[] {
  const keyOf = ({ metadata }: KubernetesObject) =>
    objectKey(
      metadata.name ?? '',
      isNamespaceCompared(kind) ? (metadata.namespace ?? kubeVirt.metadata.namespace) : '',
    );
  const wanted = new Set(strategy.ofKind(kind).map(keyOf));
  return world.list(kind).filter((object) => isPrunable(object) && !wanted.has(keyOf(object)));
}

/** Secrets and ConfigMaps are told apart by name alone, as upstream does: its caches hold those of one namespace only. */
function isNamespaceCompared(kind: KindName): boolean {
  return kind !== 'Secret' && kind !== 'ConfigMap';
}

function isPrunable(object: KubernetesObject): boolean {
  const { deletionTimestamp, labels = {} } = object.metadata;
  return deletionTimestamp === undefined && isManaged(object) && !isTemporary(object) && !(STRATEGY_LABEL in labels);
}
