import type { KindName } from '../api/kinds.ts';
import { planAllLeaves, planAuthorities, planBundles, planExternalReset, planMissingLeaves } from './certificates.ts';
import { planObject } from './compare.ts';
import { planReplacedBinding } from './compare-rbac.ts';
import { planReplacedService } from './compare-service.ts';
import {
  areDaemonSetsReady,
  decideDaemonSetMoves,
  isComponentImpossible,
  isComponentReady,
  isInfrastructureRolled,
  planComponents,
  planDaemonSets,
  startsDaemonSetRollout,
  type Component,
} from './components.ts';
import { planDefinitions, planEstablished, planHeldBackStatus } from './definitions.ts';
import { planInstancetypes } from './instancetypes.ts';
import { planNamespaceLabel } from './namespace.ts';
import { decidePath } from './path.ts';
import { planPrivilegedScc } from './privileged-scc.ts';
import { planCompleteness } from './completeness.ts';
import { planPruneAdmission, planPruneContent, planPruneInstancetypes, planPrunePermissions } from './prune.ts';
import { planStoredVersions } from './stored-versions.ts';
import { planTemporaryWebhook } from './temporary-webhook.ts';
import { planTrustingObjects } from './trust.ts';
import type { PassContext, Step, StepPlan } from './types.ts';
import { planVersionCheck } from './version-check.ts';
import { wantedObjects } from './wanted.ts';

/**
 * The steps of both paths, in order; each is a barrier for the next (design decision 9, spec/apply.md §1). Everything passive is there before the first
 * workload of a release runs, a role before its bindings, and an authority is trusted before what it signed is served. What depends on nothing of each
 * other shares a step: on a first installation every barrier costs the longest of its calls.
 */
const PASSIVE: readonly Step[] = [
  { name: 'temporary webhook', plan: planTemporaryWebhook },
  { name: 'outdated bindings', plan: planReplacedBindings },
  { name: 'outdated services', plan: planReplacedServices },
  {
    name: 'definitions, roles, services, policies, authorities',
    plan: sideBySide(
      planDefinitions,
      objectsOf('ServiceAccount', 'ClusterRole', 'Role', 'SecurityContextConstraints'),
      objectsOf('Service', 'ServiceMonitor', 'PrometheusRule'),
      objectsOf('ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy'),
      planAuthorities,
    ),
  },
  {
    name: 'bindings, trust bundles, first certificates',
    plan: sideBySide(objectsOf('ClusterRoleBinding', 'RoleBinding'), planBundles, planMissingLeaves),
  },
  { name: 'foreign authorities', plan: planExternalReset },
  { name: 'webhooks and API services', plan: planTrustingObjects },
  { name: 'renewed certificates', plan: planAllLeaves },
];

/** virt-api first, the others when it answers, and the instance types, which it validates, while those start. */
const INSTALL_WORKLOADS: readonly Step[] = [
  { name: 'virt-api', plan: componentThenReady('api') },
  // Where virt-api became ready within the pass, it is not needed any more.
  { name: 'temporary webhook removed', plan: planTemporaryWebhook },
  { name: 'other workloads', plan: planOtherWorkloads, startsRollout: startsDaemonSetRollout },
  { name: 'served definitions', plan: planEstablished },
  { name: 'instance types', plan: planInstancetypes },
  { name: 'namespace label', plan: planNamespaceLabel },
  { name: 'virt-handler rolled out', plan: planCanaryGate },
];

/** virt-handler first, node by node, then the controllers; virt-api last. */
const UPDATE_WORKLOADS: readonly Step[] = [
  { name: 'virt-handler', plan: planCanary, startsRollout: startsDaemonSetRollout },
  { name: 'virt-controller', plan: componentThenReady('controller') },
  {
    name: 'other workloads',
    plan: (context) => planComponents(['other', 'synchronization', 'template', 'api'], context),
  },
  { name: 'namespace label', plan: planNamespaceLabel },
];

const CLEAN_UP: readonly Step[] = [
  { name: 'infrastructure rolled out', plan: planInfrastructureGate },
  { name: 'privileged accounts', plan: planPrivilegedScc },
  { name: 'held-back status sub-resources', plan: planHeldBackStatus },
  { name: 'versions out of use', plan: planStoredVersions },
  { name: 'leftover webhooks', plan: planPruneAdmission },
  { name: 'leftovers', plan: planPruneContent },
  { name: 'leftover roles', plan: planPrunePermissions },
];

const FINISH: readonly Step[] = [
  { name: 'leftover instance types', plan: planPruneInstancetypes },
  { name: 'everything present', plan: planCompleteness },
];

/** First install, rollback, and changes of the configuration. */
const INSTALL_STEPS: readonly Step[] = [...PASSIVE, ...INSTALL_WORKLOADS, ...CLEAN_UP, ...FINISH];

/** From an older release to a newer one: the new instance types come last, when the new virt-api knows them. */
const UPDATE_STEPS: readonly Step[] = [
  { name: 'version check', plan: planVersionCheck },
  ...PASSIVE,
  ...UPDATE_WORKLOADS,
  ...CLEAN_UP,
  { name: 'served definitions', plan: planEstablished },
  { name: 'instance types', plan: planInstancetypes },
  ...FINISH,
];

/** The steps that lead from the observed release to the target. */
export function decideSteps({ kubeVirt, target }: Pick<PassContext, 'kubeVirt' | 'target'>): readonly Step[] {
  return decidePath(kubeVirt, target) === 'update' ? UPDATE_STEPS : INSTALL_STEPS;
}

/** One step of several plans; the first of them that wants to stop does so. Not for plans with a gate of their own. */
function sideBySide(...plans: readonly Step['plan'][]): Step['plan'] {
  return (context) => {
    const all = plans.map((plan) => plan(context));
    const stop = all.find((plan) => plan.stop !== undefined)?.stop;
    return {
      actions: all.flatMap(({ actions }) => actions),
      events: all.flatMap(({ events }) => events ?? []),
      problems: all.flatMap(({ problems }) => problems ?? []),
      ...(stop === undefined ? {} : { stop }),
    };
  };
}

/** Creates and changes the objects of some kinds. */
function objectsOf(...kinds: KindName[]): Step['plan'] {
  return (context) => ({
    actions: kinds.flatMap((kind) => wantedObjects(kind, context)).flatMap((object) => planObject(object, context)),
  });
}

function planReplacedBindings(context: PassContext): StepPlan {
  const kinds = ['ClusterRoleBinding', 'RoleBinding'] as const;
  return {
    actions: kinds.flatMap((kind) =>
      wantedObjects(kind, context).flatMap((wanted) =>
        planReplacedBinding(wanted, context.world.get(kind, wanted.metadata.name ?? '', wanted.metadata.namespace)),
      ),
    ),
  };
}

function planReplacedServices(context: PassContext): StepPlan {
  return {
    actions: wantedObjects('Service', context).flatMap((wanted) =>
      planReplacedService(wanted, context.world.get('Service', wanted.metadata.name ?? '', wanted.metadata.namespace)),
    ),
  };
}

/**
 * Rolls a component out and lets nothing go on before it is; one that a customization keeps from being created holds nobody up (spec/field-reports.md
 * B34).
 */
function componentThenReady(component: Component): Step['plan'] {
  const isPassable = (after: PassContext) =>
    isComponentReady(component, after) || isComponentImpossible(component, after);
  return (context) => ({
    ...planComponents([component], context),
    until: atOnce(`virt-${component} to be ready`, context, isPassable),
  });
}

/**
 * A gate that looks at the world after the step's own writes and does not wait: a write that changes nothing but metadata is followed by no event that
 * could continue the pass.
 */
function atOnce(
  awaited: string,
  context: PassContext,
  isTrue: (context: PassContext) => boolean,
): NonNullable<StepPlan['until']> {
  return { awaited, isTrue: (world) => isTrue({ ...context, world }), timeoutMs: 0 };
}

function planOtherWorkloads(context: PassContext): StepPlan {
  const components = planComponents(['controller', 'other', 'synchronization', 'template'], context);
  const daemonSets = planDaemonSets(context);
  return {
    actions: [...components.actions, ...daemonSets.actions],
    events: [...(components.events ?? []), ...(daemonSets.events ?? [])],
    problems: [...(components.problems ?? []), ...(daemonSets.problems ?? [])],
  };
}

/** The moves were made together with the other workloads; here the pass waits for their end. */
function planCanaryGate(context: PassContext): StepPlan {
  return isCanaryFinished(context) ? { actions: [] } : { actions: [], stop: describeRollout(context) };
}

/** No controller of the new release may run before virt-handler has left the old one on every node (spec/field-reports.md B21). */
function planCanary(context: PassContext): StepPlan {
  const { isFinished, ...plan } = planDaemonSets(context);
  const isUpdating = context.kubeVirt.status?.observedDeploymentID !== context.target.id;
  const isRolled = (after: PassContext) => !isUpdating || areDaemonSetsReady(after);
  const until = atOnce(
    describeRollout(context),
    context,
    isFinished ? isRolled : (after) => isCanaryFinished(after) && isRolled(after),
  );
  return { ...plan, until };
}

/** What is awaited of virt-handler: its rollout, or that it may begin. */
function describeRollout(context: PassContext): string {
  const { rolloutHold } = context;
  const isHeld = rolloutHold !== undefined && decideDaemonSetMoves(context).some(({ state }) => state === 'held');
  return isHeld
    ? `${rolloutHold.awaited} before virt-handler is rolled out, until ${rolloutHold.until.toISOString()} at the latest`
    : 'virt-handler to be rolled out';
}

function isCanaryFinished(context: PassContext): boolean {
  return decideDaemonSetMoves(context).every((move) => move.isFinished && move.action === undefined);
}

function planInfrastructureGate(context: PassContext): StepPlan {
  return isInfrastructureRolled(context) ? { actions: [] } : { actions: [], stop: 'all components to be ready' };
}
