import { apiVersionOf, KINDS, type KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { buildMetadata } from './metadata.ts';
import { POD_MUTATOR } from './pod-mutator.ts';
import type { ClusterFeatures, PassContext } from './types.ts';
import { buildDaemonSet, buildDeployment } from './workloads.ts';

/** What wanted objects are made from. */
export type WantedContext = Pick<
  PassContext,
  'strategy' | 'leftAlone' | 'kubeVirt' | 'target' | 'features' | 'schedulableNodes' | 'operatorNamespace'
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
  return namedObjects(kind, context)
    .filter((object) => !isLeftAlone(object, context))
    .map((object) => buildWanted(kind, object, context));
}

/** The same objects as the strategy holds them, and those too that are left alone: what has to exist, whatever it looks like. */
export function namedObjects(kind: KindName, context: WantedContext): KubernetesObject[] {
  if (!isServed(kind, context.features)) return [];
  return context.strategy
    .ofKind(kind)
    .filter((object) => isApplied(kind, object, context))
    .map((object) => place(kind, object, context));
}

function isLeftAlone({ kind, metadata }: KubernetesObject, { leftAlone = [] }: WantedContext): boolean {
  return leftAlone.some(
    (object) =>
      object.kind === kind &&
      object.name === metadata.name &&
      (object.namespace ?? metadata.namespace) === metadata.namespace,
  );
}

function isApplied(kind: KindName, { metadata }: KubernetesObject, { features }: WantedContext): boolean {
  // Applied or removed by a gate, and never customised (spec/apply.md §5.11).
  if (kind === 'MutatingWebhookConfiguration') return metadata.name !== POD_MUTATOR;
  const isRole = kind === 'Role' || kind === 'RoleBinding';
  return !isRole || metadata.name !== MONITORING_ROLE || features.serviceMonitor;
}

function buildWanted(kind: KindName, object: KubernetesObject, context: WantedContext): KubernetesObject {
  if (kind === 'Deployment') return buildDeployment(object, context);
  if (kind === 'DaemonSet') return buildDaemonSet(object, context);
  return { ...object, metadata: buildMetadata(object.metadata, context) };
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
