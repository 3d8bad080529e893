import type { KubernetesObject } from '../api/objects.ts';
import { isGateEnabled } from '../api/feature-gates.ts';
import { hasSwitch } from '../strategy/target-properties.ts';
import { planBudget, planBudgetRemoval } from './budgets.ts';
import { decideCanary, startsRollout, type CanaryMove } from './canary.ts';
import { planObject } from './compare.ts';
import { buildDelete, describe, nameOf } from './json-patch.ts';
import { isReplicasOverridden, isTemplateComponent, VIRT_API } from './replicas.ts';
import { isDaemonSetReady, isDeploymentReady, runsOtherRelease } from './rollout.ts';
import type { Action, PassContext, PlannedEvent, StepPlan } from './types.ts';
import { namedObjects, wantedObjects } from './wanted.ts';
import { describeUntold, replicasOf } from './workloads.ts';

/** Groups of workloads that are rolled out and waited for together (spec/apply.md §1). */
export type Component = 'api' | 'controller' | 'synchronization' | 'template' | 'other';

const SYNCHRONIZATION_CONTROLLER = 'virt-synchronization-controller';
const TEMPLATE_DEPLOYMENTS = ['virt-template-apiserver', 'virt-template-controller'] as const;

function componentOf(deployment: string): Component {
  if (deployment === VIRT_API) return 'api';
  if (deployment === 'virt-controller') return 'controller';
  if (deployment === SYNCHRONIZATION_CONTROLLER) return 'synchronization';
  return isTemplateComponent(deployment) ? 'template' : 'other';
}

/** Whether an optional component is to run. */
function isEnabled(component: Component, { kubeVirt, target }: PassContext): boolean {
  if (component === 'synchronization') {
    return isGateEnabled('DecentralizedLiveMigration', kubeVirt.spec.configuration);
  }
  return component !== 'template' || hasSwitch(target, 'VirtTemplateDeploymentEnabled');
}

/** The Deployments of a component as they are to be; none when it is not to run. */
function deploymentsOf(component: Component, context: PassContext): KubernetesObject[] {
  return isEnabled(component, context) ? ofComponent(component, wantedObjects('Deployment', context)) : [];
}

/** The Deployments of a component that have to run, those that are left alone included. */
export function namedDeployments(component: Component, context: PassContext): KubernetesObject[] {
  return isEnabled(component, context) ? ofComponent(component, namedObjects('Deployment', context)) : [];
}

function ofComponent(component: Component, deployments: readonly KubernetesObject[]): KubernetesObject[] {
  return deployments.filter(({ metadata }) => componentOf(metadata.name ?? '') === component);
}

/** Creates and changes the Deployments of some components with their budgets, and removes those of components that are not to run. */
export function planComponents(components: readonly Component[], context: PassContext): StepPlan {
  const wanted = components.flatMap((component) => deploymentsOf(component, context));
  const changes = wanted.map((deployment) => ({ deployment, writes: planObject(deployment, context) }));
  return {
    actions: [
      ...changes.flatMap(({ deployment, writes }) => [...writes, ...planBudget(deployment, context)]),
      ...components.flatMap((component) => planDisabled(component, context)),
    ],
    events: changes
      .filter(({ writes }) => writes.length > 0)
      .flatMap(({ deployment }) => planReplicasEvent(deployment, context)),
    problems: findUntold(wanted, context),
  };
}

function findUntold(workloads: readonly KubernetesObject[], { kubeVirt }: PassContext): string[] {
  return workloads.flatMap((workload) => describeUntold(workload, kubeVirt.spec) ?? []);
}

function planDisabled(component: Component, context: PassContext): Action[] {
  if (isEnabled(component, context)) return [];
  const names = component === 'template' ? TEMPLATE_DEPLOYMENTS : [SYNCHRONIZATION_CONTROLLER];
  const { namespace } = context.kubeVirt.metadata;
  return names.flatMap((name) => {
    const live = context.world.get('Deployment', name, namespace);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return [];
    return [buildDelete('Deployment', live), ...planBudgetRemoval(live, context)];
  });
}

function planReplicasEvent(deployment: KubernetesObject, { strategy, kubeVirt }: PassContext): PlannedEvent[] {
  const { name = '', namespace } = deployment.metadata;
  const original = strategy.ofKind('Deployment').find(({ metadata }) => metadata.name === name);
  const replicas = original === undefined ? undefined : replicasOf(original);
  if (!isReplicasOverridden({ name, replicas }, kubeVirt.spec)) return [];
  const wanted = String(replicasOf(deployment));
  return [
    {
      type: 'Warning',
      reason: 'AdvancedFeatureUse',
      message: `${describe(deployment)} gets ${wanted} replicas from spec.infra.replicas instead of ${String(replicas)}`,
      about: { apiVersion: 'apps/v1', kind: 'Deployment', name, ...(namespace === undefined ? {} : { namespace }) },
    },
  ];
}

/** The moves of all DaemonSets. */
export function decideDaemonSetMoves(context: PassContext): CanaryMove[] {
  return wantedObjects('DaemonSet', context).map((daemonSet) => decideCanary(daemonSet, context));
}

/** Whether one of the moves would start a rollout. */
export function startsDaemonSetRollout(context: PassContext): boolean {
  return wantedObjects('DaemonSet', context).some((daemonSet) => startsRollout(daemonSet, context));
}

/** Moves all DaemonSets on, without waiting for them. */
export function planDaemonSets(context: PassContext): StepPlan & { isFinished: boolean } {
  const moves = decideDaemonSetMoves(context);
  return {
    actions: moves.flatMap(({ action }) => (action === undefined ? [] : [action])),
    events: moves.flatMap(({ event }) => (event === undefined ? [] : [event])),
    problems: [
      ...moves.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
      ...findUntold(wantedObjects('DaemonSet', context), context),
    ],
    isFinished: moves.every(({ isFinished }) => isFinished),
  };
}

/** Whether every Deployment of a component is rolled out; true for one that is not to run. */
export function isComponentReady(component: Component, context: PassContext): boolean {
  return namedDeployments(component, context).every((deployment) => isWorkloadReady(deployment, context));
}

/** Whether nothing can be waited for: a Deployment of the component is missing, and a customization that cannot be applied keeps it from being created. */
export function isComponentImpossible(component: Component, context: PassContext): boolean {
  const writable = new Set(deploymentsOf(component, context).map(({ metadata }) => metadata.name));
  return namedDeployments(component, context).some(({ metadata: { name = '', namespace } }) => {
    return !writable.has(name) && context.world.get('Deployment', name, namespace) === undefined;
  });
}

/** Whether every DaemonSet of the strategy is rolled out. */
export function areDaemonSetsReady(context: PassContext): boolean {
  return namedObjects('DaemonSet', context).every((daemonSet) => isWorkloadReady(daemonSet, context));
}

/** Whether the live counterpart of a wanted workload is rolled out. */
export function isWorkloadReady(wanted: KubernetesObject, { world, target }: PassContext): boolean {
  const { name, namespace } = nameOf(wanted);
  return wanted.kind === 'DaemonSet'
    ? isDaemonSetReady(world.get('DaemonSet', name, namespace), world, target)
    : isDeploymentReady(world.get('Deployment', name, namespace), world, target);
}

const COMPONENTS: readonly Component[] = ['api', 'controller', 'other', 'synchronization', 'template'];

/**
 * Whether the infrastructure of the target runs, so that what only the old one needed may go: all components are rolled out, or nothing but the
 * configuration of the observed release has changed (spec/apply.md §1). Upstream overlooks that components of another release may run all the same: whoever
 * takes an update back in the middle goes to the release that was observed last.
 */
export function isInfrastructureRolled(context: PassContext): boolean {
  const { status } = context.kubeVirt;
  const isSameRelease =
    status?.observedKubeVirtVersion === context.target.kubeVirtVersion &&
    (status.observedKubeVirtRegistry ?? '') === context.target.registry;
  if (isSameRelease && isComponentReady('template', context) && !isOtherReleaseRunning(context)) return true;
  return areDaemonSetsReady(context) && COMPONENTS.every((component) => isComponentReady(component, context));
}

function isOtherReleaseRunning(context: PassContext): boolean {
  const { world, target } = context;
  const workloads = [
    ...namedObjects('DaemonSet', context),
    ...COMPONENTS.flatMap((component) => namedDeployments(component, context)),
  ];
  return workloads.some((workload) => runsOtherRelease(workload, world, target));
}

/** Every managed Deployment and DaemonSet, wanted or not, is rolled out: the condition for Available (spec/reconcile.md §5). */
export function isEverythingReady({ world, target }: PassContext): boolean {
  return (
    world.list('Deployment').every((deployment) => isDeploymentReady(deployment, world, target)) &&
    world.list('DaemonSet').every((daemonSet) => isDaemonSetReady(daemonSet, world, target))
  );
}
