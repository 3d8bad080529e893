import type { CustomizePatch, KubeVirt } from '../api/kubevirt.ts';
import type { ClusterFeatures } from '../api/features.ts';
import { PATCH_TYPES } from '../customize/patch-types.table.ts';
import type { PlannedEvent } from '../plan/types.ts';
import type { InstallStrategy } from '../strategy/types.ts';

/** What an installation is looked over for. */
export interface WarningFacts {
  kubeVirt: KubeVirt;
  /** Before customization. */
  strategy: InstallStrategy;
  features: ClusterFeatures;
}

/**
 * Events about what an administrator asks for and will not get, each once per generation of the KubeVirt object: patches that match nothing
 * (spec/field-reports.md B35), and monitoring of which a part is missing (B67).
 */
export function findWarnings(facts: WarningFacts): PlannedEvent[] {
  return [...findUnmatchedPatches(facts), ...findMonitoringGap(facts)];
}

/** The dump Job can be customized as well, and is in no strategy. */
const JOB = { kind: 'Job', name: 'virt-operator-install-strategy' };

function findUnmatchedPatches({ kubeVirt, strategy }: WarningFacts): PlannedEvent[] {
  const objects = [JOB, ...strategy.objects.map(({ kind, metadata }) => ({ kind, name: metadata.name ?? '' }))].filter(
    ({ kind }) => kind in PATCH_TYPES,
  );
  return (kubeVirt.spec.customizeComponents?.patches ?? []).flatMap((patch, index) => {
    if (objects.some((object) => isMatch(patch, object))) return [];
    const place = `spec.customizeComponents.patches[${index}]`;
    return [
      buildEvent(kubeVirt, 'UnmatchedPatch', `${place}: nothing is called ${patch.resourceType} ${patch.resourceName}`),
    ];
  });
}

function isMatch(patch: CustomizePatch, { kind, name }: { kind: string; name: string }): boolean {
  const equals = (wanted: string, text: string) => wanted === '*' || wanted.toLowerCase() === text.toLowerCase();
  return equals(patch.resourceType, kind) && equals(patch.resourceName, name);
}

/** A strategy has monitors only where a monitoring namespace was found (spec/strategy.md §2). */
function findMonitoringGap({ kubeVirt, features, strategy }: WarningFacts): PlannedEvent[] {
  const { spec } = kubeVirt;
  const isAsked =
    Boolean(spec.monitorNamespace) || Boolean(spec.monitorAccount) || Boolean(spec.serviceMonitorNamespace);
  const isServed = features.serviceMonitor && features.prometheusRule;
  if (!isServed) {
    return isAsked
      ? [
          buildEvent(
            kubeVirt,
            'MonitoringIncomplete',
            'the cluster does not serve ServiceMonitor and PrometheusRule of monitoring.coreos.com/v1',
          ),
        ]
      : [];
  }
  if (strategy.ofKind('ServiceMonitor').length > 0) return [];
  const account = spec.monitorAccount || 'prometheus-k8s';
  const where = spec.monitorNamespace || 'openshift-monitoring or monitoring';
  return [buildEvent(kubeVirt, 'MonitoringIncomplete', `there is no service account ${account} in namespace ${where}`)];
}

function buildEvent(kubeVirt: KubeVirt, reason: string, text: string): PlannedEvent {
  const { name = '', namespace, uid, generation } = kubeVirt.metadata;
  return {
    type: 'Warning',
    reason,
    message: `${text} (generation ${generation ?? 0})`,
    about: {
      apiVersion: kubeVirt.apiVersion,
      kind: kubeVirt.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
