import { apiVersionOf, KINDS, type KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { buildMetadata } from './metadata.ts';
import { POD_MUTATOR } from './pod-mutator.ts';
import type { ClusterFeatures, PassContext } from './types.ts';
import { buildDaemonSet, buildDeployment } from './workloads.ts';

/** What wanted objects are made from. */
export type WantedContext = Pick<
  PassContext,
  'strategy' | 'kubeVirt' | 'target' | 'features' | 'schedulableNodes' | 'operatorNamespace'
>;

/** Role and RoleBinding that make sense only where monitoring is. */
const MONITORING_ROLE = 'kubevirt-monitoring';

/** Kinds that are applied only where the cluster has their API. */
const NEEDED_FEATURE: Partial<Record<KindName, keyof ClusterFeatures>> = {
  SecurityContextConstraints: 'openshift',
  Route: 'openshift',
  ServiceMonitor: 'serviceMonitor',
  PrometheusRule: 'prometheusRule',
  ValidatingAdmissionPolicy: 'validatingAdmissionPolicy',
  ValidatingAdmissionPolicyBinding: 'validatingAdmissionPolicyBinding',
};

/** Whether the cluster serves a kind. */
export function isServed(kind: KindName, features: ClusterFeatures): boolean {
  const feature = NEEDED_FEATURE[kind];
  return feature === undefined || features[feature];
}

/** The objects of one kind as they are to be in the cluster, in the strategy's order; none where the cluster does not serve the kind. */
export function wantedObjects(kind: KindName, context: WantedContext): KubernetesObject[] {
  if (!isServed(kind, context.features)) return [];
  return context.strategy
    .ofKind(kind)
    .filter((object) => isApplied(kind, object, context))
    .map((object) => buildWanted(kind, object, context));
}

function isApplied(kind: KindName, { metadata }: KubernetesObject, { features }: WantedContext): boolean {
  // Applied or removed by a gate, and never customised (spec/apply.md §5.11).
  if (kind === 'MutatingWebhookConfiguration') return metadata.name !== POD_MUTATOR;
  const isRole = kind === 'Role' || kind === 'RoleBinding';
  return !isRole || metadata.name !== MONITORING_ROLE || features.serviceMonitor;
}

/** One object of the strategy as it is to be in the cluster. */
export function buildWanted(kind: KindName, object: KubernetesObject, context: WantedContext): KubernetesObject {
  const placed = place(kind, object, context);
  if (kind === 'Deployment') return buildDeployment(placed, context);
  if (kind === 'DaemonSet') return buildDaemonSet(placed, context);
  return { ...placed, metadata: buildMetadata(placed.metadata, context) };
}

/** Objects of old strategies may carry no namespace or a wrong apiVersion. */
function place(kind: KindName, object: KubernetesObject, { kubeVirt }: WantedContext): KubernetesObject {
  const namespace = object.metadata.namespace ?? kubeVirt.metadata.namespace;
  const isPlaced = !KINDS[kind].namespaced || namespace === undefined;
  return {
    ...object,
    apiVersion: apiVersionOf(kind),
    kind,
    metadata: isPlaced ? object.metadata : { ...object.metadata, namespace },
  };
}
