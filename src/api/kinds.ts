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

const kind = (
  name: string,
  group: string,
  version: string,
  plural: string,
  namespaced: boolean,
  source: ApiSource = 'core',
): Kind => ({ kind: name, group, version, plural, namespaced, source });

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const INSTANCETYPE = 'instancetype.kubevirt.io';

/** Every kind that the operator handles (spec/reconcile.md §1.1). */
export const KINDS = {
  KubeVirt: kind('KubeVirt', 'kubevirt.io', 'v1', 'kubevirts', true, 'kubevirt'),
  ServiceAccount: kind('ServiceAccount', '', 'v1', 'serviceaccounts', true),
  ClusterRole: kind('ClusterRole', RBAC, 'v1', 'clusterroles', false),
  ClusterRoleBinding: kind('ClusterRoleBinding', RBAC, 'v1', 'clusterrolebindings', false),
  Role: kind('Role', RBAC, 'v1', 'roles', true),
  RoleBinding: kind('RoleBinding', RBAC, 'v1', 'rolebindings', true),
  CustomResourceDefinition: kind(
    'CustomResourceDefinition',
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    false,
  ),
  Service: kind('Service', '', 'v1', 'services', true),
  Secret: kind('Secret', '', 'v1', 'secrets', true),
  ConfigMap: kind('ConfigMap', '', 'v1', 'configmaps', true),
  Deployment: kind('Deployment', 'apps', 'v1', 'deployments', true),
  DaemonSet: kind('DaemonSet', 'apps', 'v1', 'daemonsets', true),
  PodDisruptionBudget: kind('PodDisruptionBudget', 'policy', 'v1', 'poddisruptionbudgets', true),
  Pod: kind('Pod', '', 'v1', 'pods', true),
  Job: kind('Job', 'batch', 'v1', 'jobs', true),
  Namespace: kind('Namespace', '', 'v1', 'namespaces', false),
  Node: kind('Node', '', 'v1', 'nodes', false),
  Lease: kind('Lease', 'coordination.k8s.io', 'v1', 'leases', true),
  Event: kind('Event', '', 'v1', 'events', true),
  APIService: kind('APIService', 'apiregistration.k8s.io', 'v1', 'apiservices', false),
  ValidatingWebhookConfiguration: kind(
    'ValidatingWebhookConfiguration',
    ADMISSION,
    'v1',
    'validatingwebhookconfigurations',
    false,
  ),
  MutatingWebhookConfiguration: kind(
    'MutatingWebhookConfiguration',
    ADMISSION,
    'v1',
    'mutatingwebhookconfigurations',
    false,
  ),
  ValidatingAdmissionPolicy: kind('ValidatingAdmissionPolicy', ADMISSION, 'v1', 'validatingadmissionpolicies', false),
  ValidatingAdmissionPolicyBinding: kind(
    'ValidatingAdmissionPolicyBinding',
    ADMISSION,
    'v1',
    'validatingadmissionpolicybindings',
    false,
  ),
  VirtualMachineClusterInstancetype: kind(
    'VirtualMachineClusterInstancetype',
    INSTANCETYPE,
    'v1beta1',
    'virtualmachineclusterinstancetypes',
    false,
    'kubevirt',
  ),
  VirtualMachineClusterPreference: kind(
    'VirtualMachineClusterPreference',
    INSTANCETYPE,
    'v1beta1',
    'virtualmachineclusterpreferences',
    false,
    'kubevirt',
  ),
  SecurityContextConstraints: kind(
    'SecurityContextConstraints',
    'security.openshift.io',
    'v1',
    'securitycontextconstraints',
    false,
    'openshift',
  ),
  Route: kind('Route', 'route.openshift.io', 'v1', 'routes', true, 'openshift'),
  ServiceMonitor: kind('ServiceMonitor', 'monitoring.coreos.com', 'v1', 'servicemonitors', true, 'monitoring'),
  PrometheusRule: kind('PrometheusRule', 'monitoring.coreos.com', 'v1', 'prometheusrules', true, 'monitoring'),
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
