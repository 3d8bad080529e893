/** Names that several components refer to; each stands once. */

/** Label that says which component an object belongs to; empty for what belongs to all. */
export const APP_LABEL = 'kubevirt.io';
/** Pods whose metrics port is scraped carry this label with the value `true`. */
export const PROMETHEUS_LABEL = 'prometheus.kubevirt.io';
/** Name of the ServiceMonitor and of the PrometheusRule. */
export const MONITORING_OBJECT = 'prometheus-kubevirt-rules';
/** Labels of both. */
export const MONITORING_LABELS = { 'k8s-app': 'kubevirt', [PROMETHEUS_LABEL]: 'true' };
/** Pods that may reach services of the cluster, for network policies. */
export const CLUSTER_SERVICES_LABEL = 'np.kubevirt.io/allow-access-cluster-services';
/** Annotation that names the Secret whose CA a webhook configuration or an APIService trusts. */
export const CERTIFICATE_SECRET_ANNOTATION = 'certificates.kubevirt.io/secret';

/** Service accounts of the components. */
export const ACCOUNTS = {
  api: 'kubevirt-apiserver',
  controller: 'kubevirt-controller',
  handler: 'kubevirt-handler',
  exportProxy: 'kubevirt-exportproxy',
  synchronization: 'kubevirt-synchronization-controller',
} as const;

/** The user name under which the API server sees a service account. */
export function accountUser(namespace: string, account: string): string {
  return `system:serviceaccount:${namespace}:${account}`;
}

/** Secrets with certificates of components, in the install namespace (spec/resources.md §1.6). */
export const SECRETS = {
  api: 'kubevirt-virt-api-certs',
  controller: 'kubevirt-controller-certs',
  exportProxy: 'kubevirt-exportproxy-certs',
  handlerServer: 'kubevirt-virt-handler-server-certs',
  handlerMigrationClient: 'kubevirt-virt-handler-migration-client-certs',
  handlerVsockClient: 'kubevirt-virt-handler-vsock-client-certs',
  handlerMonitoringClient: 'kubevirt-virt-handler-monitoring-client-certs',
  handlerClient: 'kubevirt-virt-handler-certs',
  synchronizationClient: 'kubevirt-synchronization-controller-certs',
  synchronizationServer: 'kubevirt-synchronization-controller-server-certs',
} as const;
/** Those of virt-template. */
export const TEMPLATE_SECRETS = {
  api: 'kubevirt-virt-template-api-certs',
  webhook: 'kubevirt-virt-template-webhook-certs',
  metrics: 'kubevirt-virt-template-controller-metrics-certs',
} as const;
/** That of the operator, which serves admission. */
export const OPERATOR_SECRET = 'kubevirt-operator-certs';

/** Certificate authorities: the name of a CA's Secret and of the ConfigMap with its bundle (spec/resources.md §1.6, §1.7). */
export const CAS = {
  components: 'kubevirt-ca',
  export: 'kubevirt-export-ca',
  backup: 'kubevirt-backup-ca',
  /** A bundle only: administrators put foreign CAs into it. */
  external: 'kubevirt-external-ca',
} as const;

/** Services that webhooks, APIServices and Routes lead to. */
export const SERVICES = {
  api: 'virt-api',
  exportProxy: 'virt-exportproxy',
  operatorWebhook: 'kubevirt-operator-webhook',
} as const;

/** Port on which every component serves HTTPS, metrics included. */
export const HTTPS_PORT = 8443;
