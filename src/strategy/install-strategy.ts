import type { KindName } from '../api/kinds.ts';
import { apiVersionOf, KINDS } from '../api/kinds.ts';
import { objectKey, type KubernetesObject } from '../api/objects.ts';
import type { InstallStrategy } from './types.ts';

/** The kinds of a strategy in the order in which upstream writes them (spec/strategy.md §1.1). */
const STRATEGY_KINDS = [
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'CustomResourceDefinition',
  'Service',
  'Secret',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'APIService',
  'Deployment',
  'DaemonSet',
  'SecurityContextConstraints',
  'ServiceMonitor',
  'PrometheusRule',
  'ConfigMap',
  'Route',
  'VirtualMachineClusterInstancetype',
  'VirtualMachineClusterPreference',
] as const satisfies readonly KindName[];

/** A kind that a strategy may hold. */
export type StrategyKind = (typeof STRATEGY_KINDS)[number];

/** Whether a strategy may hold objects of this kind. */
export function isStrategyKind(kind: string): kind is StrategyKind {
  return (STRATEGY_KINDS as readonly string[]).includes(kind);
}

/**
 * Makes a strategy of objects, whichever way they came: sorted by kind, order within a kind kept, each object once (upstream writes CA ConfigMaps
 * twice, and the first one counts), with the apiVersion under which the API server knows the kind, and frozen.
 * The given objects are frozen too.
 */
export function buildInstallStrategy(objects: readonly KubernetesObject[]): InstallStrategy {
  const byKind = new Map<string, KubernetesObject[]>(STRATEGY_KINDS.map((kind) => [kind, []]));
  const seen = new Set<string>();
  for (const object of objects) {
    const key = `${object.kind} ${objectKey(object.metadata.name ?? '', object.metadata.namespace)}`;
    if (!seen.has(key)) byKind.get(object.kind)?.push(withServedVersion(object));
    seen.add(key);
  }
  const all = [...byKind.values()].flat();
  deepFreeze(all);
  byKind.forEach((list) => Object.freeze(list));
  return Object.freeze({ objects: all, ofKind: (kind: KindName) => byKind.get(kind) ?? [] });
}

/** Upstream's generator leaves the group out of some apiVersions (spec/resources.md §0.5). */
function withServedVersion(object: KubernetesObject): KubernetesObject {
  if (!(object.kind in KINDS)) return object;
  const apiVersion = apiVersionOf(object.kind as KindName);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
}
