import type { CustomizePatch, KubeVirt } from '../api/kubevirt.ts';
import type { ClusterFeatures } from '../api/features.ts';
import { PATCH_TYPES } from '../customize/patch-types.table.ts';
import type { Monitoring } from '../observe/monitor-namespace.ts';
import { eventSubject } from '../plan/event-subject.ts';
import type { PlannedEvent } from '../plan/types.ts';
import type { InstallStrategy } from '../strategy/types.ts';

/** What an installation is looked over for. */
export interface WarningFacts {
  kubeVirt: KubeVirt;
  /** Before customization. */
  strategy: InstallStrategy;
  features: ClusterFeatures;
  /** What was found of monitoring; absent when nobody has looked. */
  monitoring?: Monitoring | undefined;
}

/** The dump Job can be customized as well, and is in no strategy. */
const JOB = { kind: 'Job', name: 'virt-operator-install-strategy' };

/**
 * Events about patches that match nothing, each once per generation of the KubeVirt object (spec/field-reports.md B35).
 */
export function findUnmatchedPatches({ kubeVirt, strategy }: WarningFacts): PlannedEvent[] {
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

/** The APIs of monitoring, each with the feature that shows it. */
const MONITORING_APIS = [
  ['ServiceMonitor', 'serviceMonitor'],
  ['PrometheusRule', 'prometheusRule'],
] as const;

/**
 * The event about monitoring of which a part is missing, once per generation of the KubeVirt object: which of CRD, namespace and account it is
 * (spec/field-reports.md B67). Nothing where monitoring is neither asked for nor served as a whole.
 */
export function findMonitoringGap(facts: WarningFacts): PlannedEvent[] {
  const { features, strategy } = facts;
  const unserved = MONITORING_APIS.filter(([, feature]) => !features[feature]).map(([kind]) => kind);
  if (unserved.length > 0) {
    if (!isMonitoringAsked(facts)) return [];
    return tellGap(facts, `the cluster does not serve ${unserved.join(' and ')} of monitoring.coreos.com/v1`);
  }
  // A strategy has monitors only where a monitoring namespace was found (spec/strategy.md §2).
  return strategy.ofKind('ServiceMonitor').length > 0 ? [] : tellGap(facts, describeMissing(facts));
}

function isMonitoringAsked({ kubeVirt: { spec } }: WarningFacts): boolean {
  return [spec.monitorNamespace, spec.monitorAccount, spec.serviceMonitorNamespace].some(Boolean);
}

function tellGap({ kubeVirt }: WarningFacts, text: string): PlannedEvent[] {
  return [buildEvent(kubeVirt, 'MonitoringIncomplete', text)];
}

function describeMissing({ kubeVirt: { spec }, monitoring }: WarningFacts): string {
  const account = `service account ${spec.monitorAccount || 'prometheus-k8s'}`;
  const where = `namespace ${spec.monitorNamespace || 'openshift-monitoring or monitoring'}`;
  if (monitoring?.missing === 'namespace') return `there is no ${where} for ${account}`;
  const doubt = monitoring === undefined ? ', or no such namespace' : '';
  return `there is no ${account} in ${where}${doubt}`;
}

function buildEvent(kubeVirt: KubeVirt, reason: string, text: string): PlannedEvent {
  return {
    type: 'Warning',
    reason,
    message: `${text} (generation ${kubeVirt.metadata.generation ?? 0})`,
    once: true,
    about: eventSubject(kubeVirt),
  };
}
