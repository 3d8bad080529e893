/** Where an optional kind comes from; `core` kinds exist on every supported cluster. */
export type ApiSource = 'core' | 'openshift' | 'monitoring' | 'kubevirt';

/** One kind of object that this program reads or writes. */
export interface Kind {
  kind: string;
  /** API group; empty for the core group. */
  group: string;
  version: string;
  /** Resource name in URLs, for example `deployments`. */
  plural: string;
  namespaced: boolean;
  source: ApiSource;
}

/** A kind of `api`, which is `group/version`, or `version` for the core group. */
function define(kind: string, plural: string, api: string, more: { namespaced: boolean; source: ApiSource }): Kind {
  const [version = '', group = ''] = api.split('/').reverse();
  return { kind, group, version, plural, ...more };
}

const namespaced = (kind: string, plural: string, api: string, source: ApiSource = 'core') =>
  define(kind, plural, api, { namespaced: true, source });
const clusterWide = (kind: string, plural: string, api: string, source: ApiSource = 'core') =>
  define(kind, plural, api, { namespaced: false, source });

const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const INSTANCETYPE = 'instancetype.kubevirt.io/v1beta1';

/** Every kind that the operator handles (spec/reconcile.md §1.1). */
export const KINDS = {
  KubeVirt: namespaced('KubeVirt', 'kubevirts', 'kubevirt.io/v1', 'kubevirt'),
  ServiceAccount: namespaced('ServiceAccount', 'serviceaccounts', 'v1'),
  ClusterRole: clusterWide('ClusterRole', 'clusterroles', RBAC),
  ClusterRoleBinding: clusterWide('ClusterRoleBinding', 'clusterrolebindings', RBAC),
  Role: namespaced('Role', 'roles', RBAC),
  RoleBinding: namespaced('RoleBinding', 'rolebindings', RBAC),
  CustomResourceDefinition: clusterWide(
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'apiextensions.k8s.io/v1',
  ),
  Service: namespaced('Service', 'services', 'v1'),
  Secret: namespaced('Secret', 'secrets', 'v1'),
  ConfigMap: namespaced('ConfigMap', 'configmaps', 'v1'),
  Deployment: namespaced('Deployment', 'deployments', 'apps/v1'),
  DaemonSet: namespaced('DaemonSet', 'daemonsets', 'apps/v1'),
  PodDisruptionBudget: namespaced('PodDisruptionBudget', 'poddisruptionbudgets', 'policy/v1'),
  Pod: namespaced('Pod', 'pods', 'v1'),
  Job: namespaced('Job', 'jobs', 'batch/v1'),
  Namespace: clusterWide('Namespace', 'namespaces', 'v1'),
  Node: clusterWide('Node', 'nodes', 'v1'),
  Lease: namespaced('Lease', 'leases', 'coordination.k8s.io/v1'),
  Event: namespaced('Event', 'events', 'v1'),
  APIService: clusterWide('APIService', 'apiservices', 'apiregistration.k8s.io/v1'),
  ValidatingWebhookConfiguration: clusterWide(
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    ADMISSION,
  ),
  MutatingWebhookConfiguration: clusterWide('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', ADMISSION),
  ValidatingAdmissionPolicy: clusterWide('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', ADMISSION),
  ValidatingAdmissionPolicyBinding: clusterWide(
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    ADMISSION,
  ),
  VirtualMachineClusterInstancetype: clusterWide(
    'VirtualMachineClusterInstancetype',
    'virtualmachineclusterinstancetypes',
    INSTANCETYPE,
    'kubevirt',
  ),
  VirtualMachineClusterPreference: clusterWide(
    'VirtualMachineClusterPreference',
    'virtualmachineclusterpreferences',
    INSTANCETYPE,
    'kubevirt',
  ),
  SecurityContextConstraints: clusterWide(
    'SecurityContextConstraints',
    'securitycontextconstraints',
    'security.openshift.io/v1',
    'openshift',
  ),
  Route: namespaced('Route', 'routes', 'route.openshift.io/v1', 'openshift'),
  ServiceMonitor: namespaced('ServiceMonitor', 'servicemonitors', 'monitoring.coreos.com/v1', 'monitoring'),
  PrometheusRule: namespaced('PrometheusRule', 'prometheusrules', 'monitoring.coreos.com/v1', 'monitoring'),
} as const satisfies Record<string, Kind>;

/** The name of a kind of the table above. */
export type KindName = keyof typeof KINDS;

/** `apiVersion` of a kind: `v1` or `group/version`. */
export function apiVersionOf(name: KindName): string {
  const { group, version } = KINDS[name];
  return group === '' ? version : `${group}/${version}`;
}

/**
 * URL path of a collection, or of one object when `name` is given.
 * Without `namespace` the path of a namespaced kind spans all namespaces.
 */
export function resourcePath(kindName: KindName, namespace?: string, name?: string): string {
  const { group, version, plural, namespaced } = KINDS[kindName];
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const leaf = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${plural}${leaf}`;
}
