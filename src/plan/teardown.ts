import type { KindName } from '../api/kinds.ts';
import { SCHEDULABLE_LABEL, STRATEGY_LABEL } from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { isEmptied, isHeld, planHold, planRelease } from './crd-finalizer.ts';
import { buildDelete, escapePointer, nameOf } from './json-patch.ts';
import { isManaged } from './managed.ts';
import type { Action, JsonPatchOperation, PassContext, Step, StepPlan, World } from './types.ts';
import { planForgottenVersions } from './stored-versions.ts';
import { isCleanUpFailed, planNudges } from './stuck-definitions.ts';
import { isServed } from './wanted.ts';

/** What a removal looks at. No strategy is needed: everything that is managed goes. */
export type TeardownContext = Pick<PassContext, 'world' | 'features' | 'now'>;

const CRD = 'CustomResourceDefinition';
/** Instances are deleted by the API server; without many of them that takes well under a second. */
const INSTANCES_TIMEOUT_MS = 5_000;
/** So long an API server is left alone that has failed to delete them: it tries again within milliseconds, unless it has forgotten. */
const RETRY_TIMEOUT_MS = 1_000;
/** What must be gone before the KubeVirt object may go (spec/reconcile.md §4), in the order of removal. */
const ORDER: readonly { name: string; kinds: readonly KindName[] }[] = [
  { name: 'workloads', kinds: ['DaemonSet', 'PodDisruptionBudget', 'Deployment'] },
  { name: 'webhooks', kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] },
  { name: 'services', kinds: ['APIService', 'Service', 'ServiceMonitor', 'PrometheusRule'] },
  { name: 'bindings', kinds: ['ClusterRoleBinding', 'RoleBinding'] },
  { name: 'roles and accounts', kinds: ['ClusterRole', 'Role', 'ServiceAccount'] },
  {
    name: 'certificates and policies',
    kinds: [
      'Secret',
      'ConfigMap',
      'SecurityContextConstraints',
      'Route',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
    ],
  },
];

const NO_INSTANCES = {
  awaited: 'the instances of all custom resources to be gone',
  isTrue: (world: World) => managed(CRD, world).every(isEmptied),
};

/**
 * The steps of a removal. CRDs come first and alone: while they are served, the components finish what custom resources hold, and only when no instance
 * is left does the finalizer let the CRDs go. Only then are the components removed.
 */
export const TEARDOWN_STEPS: readonly Step[] = [
  { name: 'stored versions', plan: planStoredVersions },
  { name: 'hold custom resource definitions', plan: planHoldDefinitions },
  { name: 'delete custom resource definitions', plan: planDeleteDefinitions },
  { name: 'wait for custom resources to be gone', plan: planCleanUp },
  { name: 'let custom resource definitions go', plan: planReleaseDefinitions },
  ...ORDER.map(({ name, kinds }) => ({
    name: `delete ${name}`,
    plan: (context: TeardownContext): StepPlan => ({ actions: planDeletions(kinds, context) }),
  })),
  { name: 'Jobs of install strategies', plan: planJobs },
  { name: 'node labels', plan: planNodeLabels },
  { name: 'everything gone', plan: planEmptyGate },
  { name: 'install strategies', plan: planStrategies },
];

function planStoredVersions({ world }: TeardownContext): StepPlan {
  return { actions: managed(CRD, world).flatMap(planForgottenVersions) };
}

function planHoldDefinitions({ world }: TeardownContext): StepPlan {
  return {
    actions: managed(CRD, world)
      .filter((definition) => isAlive(definition) && !isHeld(definition))
      .map(planHold),
  };
}

function planDeleteDefinitions({ world }: TeardownContext): StepPlan {
  return {
    actions: managed(CRD, world)
      .filter(isAlive)
      .map((definition) => buildDelete(CRD, definition, {})),
    until: { ...NO_INSTANCES, timeoutMs: RETRY_TIMEOUT_MS, isOptional: true },
  };
}

function planCleanUp({ world, now }: TeardownContext): StepPlan {
  const names = managed(CRD, world).map(({ metadata }) => metadata.name ?? '');
  return { actions: planNudges(names, { world, now }), until: { ...NO_INSTANCES, timeoutMs: INSTANCES_TIMEOUT_MS } };
}

/** Whether a look every now and then is needed, because no event might tell that the API server goes on. */
export function isCleanUpToBeWatched({ world }: Pick<TeardownContext, 'world'>): boolean {
  return managed(CRD, world).some(isCleanUpFailed);
}

/** CRDs of which objects are left, and which go when those have gone: by name, for people. */
export function listUnemptied({ world }: Pick<TeardownContext, 'world'>): string[] {
  return managed(CRD, world)
    .filter((definition) => !isAlive(definition) && !isEmptied(definition))
    .map(({ metadata }) => metadata.name ?? '');
}

function planReleaseDefinitions({ world }: TeardownContext): StepPlan {
  return {
    actions: managed(CRD, world).filter(isHeld).map(planRelease),
    until: {
      awaited: 'the custom resource definitions to be gone',
      isTrue: (after) => managed(CRD, after).length === 0,
      timeoutMs: INSTANCES_TIMEOUT_MS,
    },
  };
}

function planDeletions(kinds: readonly KindName[], { world, features }: TeardownContext): Action[] {
  return kinds
    .filter((kind) => isServed(kind, features))
    .flatMap((kind) =>
      managed(kind, world)
        .filter(isAlive)
        // Upstream deletes budgets without a grace period of its own.
        .map((object) => (kind === 'PodDisruptionBudget' ? buildDelete(kind, object, {}) : buildDelete(kind, object))),
    );
}

/** Managed objects of a kind, strategy ConfigMaps excepted: they go last. */
function managed(kind: KindName, world: World): KubernetesObject[] {
  return world.list(kind).filter((object) => isManaged(object) && !isStrategy(object));
}

function isStrategy({ metadata }: KubernetesObject): boolean {
  return STRATEGY_LABEL in (metadata.labels ?? {});
}

function isAlive({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

const OWN_NODE_LABEL = 'kubevirt.io/';

/**
 * Takes the labels of virt-handler off nodes: those among `Node` of the world that bear the label `kubevirt.io/schedulable`, whatever its value. Whoever
 * runs a removal reads these nodes live: the caches count them only.
 */
export function planNodeLabels({ world }: Pick<TeardownContext, 'world'>): StepPlan {
  return {
    actions: world
      .list('Node')
      .filter(({ metadata }) => SCHEDULABLE_LABEL in (metadata.labels ?? {}))
      .map((node) => ({
        verb: 'patch',
        kind: 'Node',
        ...nameOf(node),
        operations: Object.entries(node.metadata.labels ?? {})
          .filter(([key]) => key.startsWith(OWN_NODE_LABEL))
          .flatMap(([key, value]): JsonPatchOperation[] => {
            const path = `/metadata/labels/${escapePointer(key)}`;
            // A test per label: the version of a node changes with every heartbeat of its kubelet.
            return [
              { op: 'test', path, value },
              { op: 'remove', path },
            ];
          }),
      })),
  };
}

/** Whether nothing managed is left, so that the KubeVirt object may go. */
export function isEverythingGone(context: Pick<TeardownContext, 'world' | 'features'>): boolean {
  return findRemaining(context) === undefined;
}

function findRemaining({ world, features }: Pick<TeardownContext, 'world' | 'features'>): KubernetesObject | undefined {
  const kinds: KindName[] = [CRD, ...ORDER.flatMap((group) => group.kinds)];
  const objects = kinds.filter((kind) => isServed(kind, features)).flatMap((kind) => managed(kind, world));
  return [...objects, ...strategyJobs(world)][0];
}

function planEmptyGate(context: TeardownContext): StepPlan {
  const remaining = findRemaining(context);
  return remaining === undefined
    ? { actions: [] }
    : { actions: [], stop: `${remaining.kind} ${remaining.metadata.name ?? ''} to be gone` };
}

function strategyJobs(world: World): KubernetesObject[] {
  return world.list('Job').filter(isStrategy);
}

/**
 * The Jobs that write strategies, whatever has become of them. Upstream leaves those that have not succeeded (spec/strategy.md §3.1): one that still runs would
 * write a strategy when everything is gone.
 */
function planJobs({ world }: TeardownContext): StepPlan {
  return {
    actions: strategyJobs(world)
      .filter(isAlive)
      .map((job): Action => ({ ...buildDelete('Job', job, {}), propagationPolicy: 'Foreground' }) as Action),
  };
}

/** The stored strategies, once nobody writes any more. */
function planStrategies({ world }: TeardownContext): StepPlan {
  const configMaps = world.list('ConfigMap').filter((object) => isStrategy(object) && isAlive(object));
  return { actions: configMaps.map((object) => buildDelete('ConfigMap', object, {})) };
}
