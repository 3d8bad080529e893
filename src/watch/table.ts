import type { Cause } from '../api/causes.ts';
import type { ClusterFeatures } from '../api/features.ts';
import { KINDS, resourcePath, type KindName } from '../api/kinds.ts';
import {
  MANAGED_BY_LABEL,
  MANAGED_SELECTOR,
  OPERATOR_LEASE,
  SCHEDULABLE_LABEL,
  STRATEGY_LABEL,
  SYNCHRONIZATION_LEASE,
} from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { CollectionEvent } from './collection.ts';
import * as project from './project.ts';
import { anyVersion, either, holder, intent, named, never, presence, type Relevance } from './relevance.ts';
import type { WatchSource } from './watch.ts';

/** How much of the objects a process keeps: `full` where passes run, `metadata` where events only become keys. */
export type Depth = 'full' | 'metadata';

/** One watched collection: what is asked for, what is kept of it, and which of its events are a reason for a pass. */
export interface WatchRow {
  /** Unique name, for logs and metrics. */
  id: string;
  kind: KindName;
  scope: 'all' | 'operator namespace';
  labelSelector?: string;
  fieldSelector?: string;
  /** Watched only where the cluster has this. */
  feature?: keyof ClusterFeatures;
  /** Only metadata is needed, even where passes run. */
  metadataOnly?: boolean;
  /** The event needs more than metadata, even where no passes run. */
  alwaysFull?: boolean;
  /** Needed only where passes run. */
  fullDepthOnly?: boolean;
  /** What is kept at depth `full`; undefined: nothing of this object. */
  keep: (kind: KindName, object: KubernetesObject) => KubernetesObject | undefined;
  /** What is kept at depth `metadata`; default: identity. */
  keepMetadata?: (kind: KindName, object: KubernetesObject) => KubernetesObject | undefined;
  relevance: Relevance;
  /** Which kept objects `list` shows; the others are reached by name alone. Default: all. */
  isListed?: (object: KubernetesObject) => boolean;
  /** Only tells which CRDs exist; its objects are in no store. */
  crdPresence?: true;
}

/** Namespaces in which monitoring usually runs: their coming and going changes what is installed (spec/startup.md §2.5). */
const MONITORING_NAMESPACES = ['openshift-monitoring', 'monitoring'];
/** The SCC of the cluster from which old releases' users are taken out (spec/apply.md §6.3). */
const DEFAULT_SCC = 'privileged';
/** ConfigMap of releases before the KubeVirt object had a configuration; carries no label of ours. */
const LEGACY_CONFIG_MAP = 'kubevirt-config';

const isManaged = (object: KubernetesObject): boolean => object.metadata.labels?.[MANAGED_BY_LABEL] !== undefined;

/** Managed kinds that are kept whole; they differ in nothing but the kind. */
const WHOLE_KINDS: readonly KindName[] = [
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'Deployment',
  'DaemonSet',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'APIService',
  'PodDisruptionBudget',
];

const managed = (kind: KindName, differences: Partial<WatchRow> = {}): WatchRow => ({
  id: kind,
  kind,
  scope: 'all',
  labelSelector: MANAGED_SELECTOR,
  keep: project.projectWhole,
  relevance: anyVersion,
  ...differences,
});

const lease = (name: string): WatchRow => ({
  id: `Lease ${name}`,
  kind: 'Lease',
  scope: 'operator namespace',
  fieldSelector: `metadata.name=${name}`,
  alwaysFull: true,
  keep: project.projectLease,
  keepMetadata: project.projectLease,
  relevance: holder,
});

/**
 * Every collection that is watched (spec/reconcile.md §1.1, spec/startup.md §4.4). Differences to upstream: managed and strategy ConfigMaps share one
 * watch; of the Leases only two are watched, each by name; nodes are counted by a watch; CRDs are watched a second time by name, as upstream does.
 */
export function buildTable(operatorNamespace: string): readonly WatchRow[] {
  return [
    {
      id: 'KubeVirt',
      kind: 'KubeVirt',
      scope: 'all',
      keep: project.projectWhole,
      keepMetadata: project.projectMetadata,
      relevance: intent,
    },
    ...WHOLE_KINDS.map((kind) => managed(kind)),
    managed('CustomResourceDefinition', { keep: project.projectCrd }),
    managed('Pod', { keep: project.projectPod }),
    managed('Secret', { scope: 'operator namespace' }),
    ...configMaps(operatorNamespace),
    managed('Job', { labelSelector: STRATEGY_LABEL }),
    lease(OPERATOR_LEASE),
    lease(SYNCHRONIZATION_LEASE),
    ...surroundings(operatorNamespace),
    ...optional(),
  ];
}

/** Managed ones of the operator namespace and strategy ConfigMaps of all namespaces, both labelled; and one without a label. */
function configMaps(operatorNamespace: string): WatchRow[] {
  const isOurs = ({ metadata }: KubernetesObject): boolean =>
    metadata.namespace === operatorNamespace || metadata.labels?.[STRATEGY_LABEL] !== undefined;
  return [
    managed('ConfigMap', {
      keep: (kind, object) => (isOurs(object) ? project.projectWhole(kind, object) : undefined),
      keepMetadata: (kind, object) => (isOurs(object) ? project.projectIdentity(kind, object) : undefined),
    }),
    {
      id: `ConfigMap ${LEGACY_CONFIG_MAP}`,
      kind: 'ConfigMap',
      scope: 'operator namespace',
      fieldSelector: `metadata.name=${LEGACY_CONFIG_MAP}`,
      fullDepthOnly: true,
      keep: project.projectWhole,
      relevance: never,
      isListed: () => false,
    },
  ];
}

/** Objects that are not managed, and of which little is asked. */
function surroundings(operatorNamespace: string): WatchRow[] {
  const own = named(new Set([operatorNamespace]), anyVersion);
  const monitoring = named(new Set(MONITORING_NAMESPACES), presence);
  const base = { scope: 'all', metadataOnly: true } as const;
  return [
    { ...base, id: 'Namespace', kind: 'Namespace', keep: project.projectLabels, relevance: either(own, monitoring) },
    {
      ...base,
      id: 'Node',
      kind: 'Node',
      labelSelector: `${SCHEDULABLE_LABEL}=true`,
      keep: project.projectIdentity,
      relevance: presence,
    },
    {
      ...base,
      id: 'CustomResourceDefinition names',
      kind: 'CustomResourceDefinition',
      keep: project.projectIdentity,
      relevance: never,
      crdPresence: true,
    },
  ];
}

/** Kinds that not every cluster serves, or not yet. */
function optional(): WatchRow[] {
  return [
    ...(['VirtualMachineClusterInstancetype', 'VirtualMachineClusterPreference'] as const).map((kind): WatchRow => ({
      id: kind,
      kind,
      scope: 'all',
      keep: project.projectWhole,
      relevance: anyVersion,
    })),
    managed('ValidatingAdmissionPolicy', { feature: 'validatingAdmissionPolicy' }),
    managed('ValidatingAdmissionPolicyBinding', { feature: 'validatingAdmissionPolicyBinding' }),
    managed('ServiceMonitor', { feature: 'serviceMonitor' }),
    managed('PrometheusRule', { feature: 'prometheusRule' }),
    managed('Route', { feature: 'openshift', scope: 'operator namespace' }),
    securityContextConstraints(),
  ];
}

/** SCCs have no label that a selector could use for the one of the cluster; so all are listed and most are dropped. */
function securityContextConstraints(): WatchRow {
  const isKept = (object: KubernetesObject): boolean => isManaged(object) || object.metadata.name === DEFAULT_SCC;
  return {
    id: 'SecurityContextConstraints',
    kind: 'SecurityContextConstraints',
    scope: 'all',
    feature: 'openshift',
    keep: (kind, object) => (isKept(object) ? project.projectWhole(kind, object) : undefined),
    keepMetadata: (kind, object) => (isKept(object) ? project.projectLabels(kind, object) : undefined),
    relevance: ({ object }) => isManaged(object),
    isListed: isManaged,
  };
}

/** The collection that a row asks the API server for. */
export function sourceOf(row: WatchRow, operatorNamespace: string, depth: Depth): WatchSource {
  return {
    path: resourcePath(row.kind, row.scope === 'all' ? undefined : operatorNamespace),
    ...(row.labelSelector === undefined ? {} : { labelSelector: row.labelSelector }),
    ...(row.fieldSelector === undefined ? {} : { fieldSelector: row.fieldSelector }),
    metadataOnly: row.metadataOnly === true || (depth === 'metadata' && row.alwaysFull !== true),
  };
}

/** What a row keeps of an object at a depth. */
export function keep(row: WatchRow, depth: Depth, object: KubernetesObject): KubernetesObject | undefined {
  if (depth === 'full' || row.metadataOnly === true) return row.keep(row.kind, object);
  return (row.keepMetadata ?? project.projectIdentity)(row.kind, object);
}

/** Name of the CRD that makes a row's kind be served; undefined for kinds that come with the API server. */
export function crdOf({ kind }: WatchRow): string | undefined {
  const { source, plural, group } = KINDS[kind];
  return source === 'core' ? undefined : `${plural}.${group}`;
}

/** The cause that an event is for a pass; undefined when it is none (design decision 8). `at` is the time of the event in epoch milliseconds. */
export function decideCause(row: WatchRow, event: CollectionEvent, at: number): Cause | undefined {
  if (!row.relevance(event)) return undefined;
  const { name, namespace } = event.object.metadata;
  return {
    type: event.type,
    kind: row.kind,
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    resourceVersion: event.version,
    at,
  };
}
