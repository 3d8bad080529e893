import type { KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { isWorkloadReady, namedDeployments, type Component } from './components.ts';
import { isInstancetypesWanted } from './instancetypes.ts';
import { describe, nameOf } from './json-patch.ts';
import { isManaged } from './managed.ts';
import type { PassContext, StepPlan } from './types.ts';
import { namedObjects } from './wanted.ts';

/** Kinds of an install strategy, but for workloads. */
const PASSIVE_KINDS: readonly KindName[] = [
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'SecurityContextConstraints',
  'Service',
  'Secret',
  'ConfigMap',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'APIService',
  'Route',
  'ServiceMonitor',
  'PrometheusRule',
];
const INSTANCETYPE_KINDS: readonly KindName[] = [
  'VirtualMachineClusterInstancetype',
  'VirtualMachineClusterPreference',
];
const COMPONENTS: readonly Component[] = ['api', 'controller', 'other', 'synchronization', 'template'];

/** All objects that the strategy asks for on this cluster, under this configuration. */
function everythingWanted(context: PassContext): KubernetesObject[] {
  const kinds = [...PASSIVE_KINDS, 'DaemonSet' as const, ...(isInstancetypesWanted(context) ? INSTANCETYPE_KINDS : [])];
  return [
    ...kinds.flatMap((kind) => namedObjects(kind, context)),
    ...COMPONENTS.flatMap((component) => namedDeployments(component, context)),
  ];
}

function isPresent(wanted: KubernetesObject, { world }: PassContext): boolean {
  const { name, namespace } = nameOf(wanted);
  const live = world.get(wanted.kind as KindName, name, namespace);
  return live !== undefined && live.metadata.deletionTimestamp === undefined;
}

/** The last step: an installation that lacks an object, because one of its name is still being deleted, is not complete. */
export function planCompleteness(context: PassContext): StepPlan {
  const missing = everythingWanted(context).filter((wanted) => !isPresent(wanted, context));
  const [first] = missing;
  if (first === undefined) return { actions: [] };
  const others = missing.length === 1 ? '' : ` and ${String(missing.length - 1)} more`;
  return { actions: [], stop: `${first.kind} ${first.metadata.name ?? ''}${others} to be gone and created again` };
}

/**
 * What is being deleted and does not go although the installation cannot be whole or ready before it has, with whoever holds it, as a sentence
 * (spec/field-reports.md B05); undefined where nothing is.
 */
export function findRemnant(context: PassContext): string | undefined {
  const { world } = context;
  const wanted = everythingWanted(context).map((each) => {
    const { name, namespace } = nameOf(each);
    return world.get(each.kind as KindName, name, namespace);
  });
  const workloads = (['Deployment', 'DaemonSet'] as const).flatMap((kind) => world.list(kind)).filter(isManaged);
  const remnant = [...wanted, ...workloads].find((live) => live?.metadata.deletionTimestamp !== undefined);
  if (remnant === undefined) return undefined;
  const { finalizers = [] } = remnant.metadata;
  return `${describe(remnant)} to be gone${finalizers.length === 0 ? '' : `, which is held by ${finalizers.join(', ')}`}`;
}

/** Numbers for display. */
export interface ObjectCount {
  /** Wanted objects that exist. */
  present: number;
  /** All wanted objects. */
  wanted: number;
  workloadsReady: number;
  workloads: number;
}

/** The Deployments and DaemonSets that have to run, as the strategy holds them. */
export function listWantedWorkloads(context: PassContext): KubernetesObject[] {
  return everythingWanted(context).filter(isWorkload);
}

function isWorkload({ kind }: KubernetesObject): boolean {
  return kind === 'Deployment' || kind === 'DaemonSet';
}

/** How far an installation has come. */
export function countObjects(context: PassContext): ObjectCount {
  const wanted = everythingWanted(context);
  const workloads = wanted.filter(isWorkload);
  return {
    present: wanted.filter((object) => isPresent(object, context)).length,
    wanted: wanted.length,
    workloadsReady: workloads.filter((workload) => isWorkloadReady(workload, context)).length,
    workloads: workloads.length,
  };
}
