import { isLabelValue } from '../api/label-value.ts';
import { COMPONENT_LABEL, PART_OF_LABEL, VERSION_LABEL } from '../api/names.ts';
import type { TargetDeployment } from './types.ts';

/** Switches of a target: present means on, whatever the value (spec/startup.md §2.5). */
export type Switch =
  | 'PersistentReservationEnabled'
  | 'VirtTemplateDeploymentEnabled'
  | 'ExternalNetResourceInjection'
  | 'VMStatsCollectorEnabled'
  | 'PluginsEnabled'
  | 'OptOutRoleAggregation';

/** Port of the synchronization controller unless the CR names one (spec/resources.md §2.2). */
const DEFAULT_SYNCHRONIZATION_PORT = 9185;

const property = (target: TargetDeployment, name: string, fallback: string): string =>
  target.additionalProperties[name] || fallback;

/** Whether a switch is on. */
export function hasSwitch(target: TargetDeployment, name: Switch): boolean {
  return name in target.additionalProperties;
}

/** Pull policy of the components; IfNotPresent unless the CR says otherwise. */
export function pullPolicyOf(target: TargetDeployment): string {
  return property(target, 'ImagePullPolicy', 'IfNotPresent');
}

/** Pull secrets of the components, as pod specs hold them; none when the stored text is unusable (spec/startup.md §2.5). */
export function pullSecretsOf(target: TargetDeployment): { name?: string }[] {
  try {
    const parsed: unknown = JSON.parse(property(target, 'ImagePullSecrets', 'null'));
    return Array.isArray(parsed) ? (parsed as { name?: string }[]) : [];
  } catch {
    return [];
  }
}

/** Service account that reads the metrics. */
export function monitorAccountOf(target: TargetDeployment): string {
  return property(target, 'MonitorAccount', 'prometheus-k8s');
}

/** Namespaces to look for monitoring in, first hit wins: the CR's alone, else the two usual ones (spec/resources.md §2.2). */
export function monitorNamespaceCandidates(target: TargetDeployment): string[] {
  const wanted = property(target, 'MonitorNamespace', '');
  return wanted === '' ? ['openshift-monitoring', 'monitoring'] : [wanted];
}

/** Namespace of the ServiceMonitor: the CR's, else where monitoring runs. */
export function serviceMonitorNamespaceOf(target: TargetDeployment, monitorNamespace: string): string {
  return property(target, 'ServiceMonitorNamespace', monitorNamespace);
}

/** Port of the synchronization controller; a text that is no integer counts as unset. */
export function synchronizationPortOf(target: TargetDeployment): number {
  const text = property(target, 'SynchronizationPort', '');
  return /^[+-]?\d+$/.test(text) ? Number(text) : DEFAULT_SYNCHRONIZATION_PORT;
}

/** Annotation of pods that join the migration network, empty without one. */
export function migrationNetworkAnnotation(target: TargetDeployment): Record<string, string> {
  const network = target.additionalProperties['MigrationNetwork'];
  return network === undefined ? {} : { 'k8s.v1.cni.cncf.io/networks': `${network}@migration0` };
}

/**
 * Product labels of workloads, as the generator writes them: its lower-camel keys are never filled from a CR, so there the version label alone remains,
 * with the KubeVirt version (spec/resources.md §0.4). Values that are no label values are left out.
 */
export function productLabels(target: TargetDeployment): Record<string, string> {
  const { additionalProperties: properties, kubeVirtVersion } = target;
  const labels: [string, string][] = [
    [PART_OF_LABEL, properties['productName'] ?? ''],
    [VERSION_LABEL, properties['productVersion'] ?? kubeVirtVersion],
    [COMPONENT_LABEL, properties['productComponent'] ?? ''],
  ];
  return Object.fromEntries(labels.filter(([, value]) => value !== '' && isLabelValue(value)));
}
