import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { serviceMonitorNamespaceOf } from '../target-properties.ts';
import type { GenerateInput } from '../types.ts';
import { ACCOUNTS, accountUser, MONITORING_LABELS, MONITORING_OBJECT, PROMETHEUS_LABEL, SERVICES } from './names.ts';

/** Objects that are applied only where the cluster serves their kind: OpenShift and the Prometheus operator (spec/resources.md §7.3). */
export function buildOptionalApis(input: GenerateInput): KubernetesObject[] {
  const { namespace } = input.target;
  return [
    constraints(ACCOUNTS.handler, namespace, {
      ...{ allowPrivilegedContainer: true, allowHostIPC: true, allowHostPID: true, allowHostPorts: true },
      volumes: ['*'],
    }),
    constraints(ACCOUNTS.controller, namespace, {
      allowedCapabilities: ['SYS_NICE', 'NET_BIND_SERVICE'],
      seccompProfiles: ['runtime/default', 'unconfined', 'localhost/kubevirt/kubevirt.json'],
    }),
    ...(input.monitorNamespace === '' ? [] : [serviceMonitor(input)]),
    route(input.operatorNamespace),
  ];
}

/** Constraints for the pods of one account. Null and empty fields are those of Go's type, as upstream writes them. */
function constraints(account: string, namespace: string, permissions: JsonObject): KubernetesObject {
  return objectOf(
    'SecurityContextConstraints',
    { name: account },
    {
      ...{ priority: null, groups: null, volumes: null },
      ...{ allowedCapabilities: null, defaultAddCapabilities: null, requiredDropCapabilities: null },
      ...{ allowPrivilegedContainer: false, allowHostIPC: false, allowHostPID: false, allowHostPorts: false },
      ...{ allowHostNetwork: false, allowHostDirVolumePlugin: true, readOnlyRootFilesystem: false },
      ...{ runAsUser: { type: 'RunAsAny' }, seLinuxContext: { type: 'RunAsAny' } },
      ...{ fsGroup: {}, supplementalGroups: {} },
      users: [accountUser(namespace, account)],
      ...permissions,
    },
  );
}

function serviceMonitor({ target, monitorNamespace }: GenerateInput): KubernetesObject {
  const metadata = {
    name: MONITORING_OBJECT,
    namespace: serviceMonitorNamespaceOf(target, monitorNamespace),
    labels: { 'openshift.io/cluster-monitoring': '', ...MONITORING_LABELS },
  };
  return objectOf('ServiceMonitor', metadata, {
    spec: {
      selector: { matchLabels: { [PROMETHEUS_LABEL]: 'true' } },
      namespaceSelector: { matchNames: [target.namespace] },
      endpoints: [
        {
          port: 'metrics',
          scheme: 'https',
          tlsConfig: { ca: {}, cert: {}, insecureSkipVerify: true },
          honorLabels: true,
        },
      ],
    },
  });
}

function route(namespace: string): KubernetesObject {
  const name = SERVICES.exportProxy;
  const tls = { termination: 'reencrypt', insecureEdgeTerminationPolicy: 'Redirect' };
  return objectOf('Route', { name, namespace }, { spec: { to: { kind: 'Service', name, weight: null }, tls } });
}
