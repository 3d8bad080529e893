import { ALERT_TEXTS, COMPONENT_ALERT_TEXTS, type AlertName, type AlertText } from '../texts/alerts.ts';

/** How loud an alert is, and how far the health of KubeVirt as a whole suffers. */
interface Level {
  severity: 'info' | 'warning' | 'critical';
  impact: 'none' | 'warning' | 'critical';
}

/** One alert, without the labels and the annotation that all alerts share. */
export interface AlertRule extends Level {
  alert: string;
  expr: string;
  /** How long the expression must hold; empty: fires at once. */
  for: string;
  text: AlertText;
}

const CRITICAL: Level = { severity: 'critical', impact: 'critical' };
const WARNING: Level = { severity: 'warning', impact: 'warning' };
/** Nothing is broken yet. */
const NOTICE: Level = { severity: 'info', impact: 'none' };
/** The machine of a user suffers, KubeVirt does not. */
const GUEST: Level = { severity: 'warning', impact: 'none' };
const GUEST_CRITICAL: Level = { severity: 'critical', impact: 'none' };

const rule = (alert: AlertName, lasting: string, level: Level, expr: string): AlertRule => ({
  alert,
  for: lasting,
  ...level,
  expr,
  text: ALERT_TEXTS[alert],
});

/** A component of which several pods run. */
interface Component {
  /** As in `virt-api`. */
  name: 'api' | 'controller' | 'handler' | 'operator';
  /** As in alert names that upstream did not form alike: `VirtApiRESTErrorsBurst`, `LowReadyVirtControllersCount`, `LowVirtControllersCount`. */
  restName: string;
  readyName: string;
  /** The alert's name when too few pods run, and how long that may last; absent for the DaemonSet. */
  low?: { alert: string; for: string };
}

const COMPONENTS: Component[] = [
  { name: 'api', restName: 'Api', readyName: 'API', low: { alert: 'LowVirtAPICount', for: '60m' } },
  {
    name: 'controller',
    restName: 'Controller',
    readyName: 'Controllers',
    low: { alert: 'LowVirtControllersCount', for: '10m' },
  },
  { name: 'handler', restName: 'Handler', readyName: 'Handler' },
  {
    name: 'operator',
    restName: 'Operator',
    readyName: 'Operators',
    low: { alert: 'LowVirtOperatorCount', for: '60m' },
  },
];

function componentAlerts({ name, restName, readyName, low }: Component, namespace: string): AlertRule[] {
  const component = `virt-${name}`;
  const series = `cluster:kubevirt_virt_${name}`;
  const singular = name === 'api' ? 'API' : restName;
  const alert = (
    names: { alert: string; for: string },
    level: Level,
    text: keyof typeof COMPONENT_ALERT_TEXTS,
    expr: string,
  ): AlertRule => ({ ...names, ...level, expr, text: COMPONENT_ALERT_TEXTS[text](component) });
  const requests = (more: string): string =>
    `sum ( rate ( kubevirt_rest_client_requests_total{namespace="${namespace}",pod=~"${component}-.*"${more}} [5m] ) )`;
  const share = `${series}_up:sum / on() kube_deployment_spec_replicas{deployment='${component}', namespace='${namespace}'}`;
  return [
    alert({ alert: `Virt${singular}Down`, for: '10m' }, CRITICAL, 'down', `${series}_pods_running:count == 0`),
    alert(
      { alert: `LowReadyVirt${readyName}Count`, for: '10m' },
      WARNING,
      'lowReady',
      `${series}_ready:sum < ${series}_pods_running:count and ${series}_ready:sum > 0`,
    ),
    alert({ alert: `NoReadyVirt${singular}`, for: '10m' }, CRITICAL, 'noneReady', `${series}_ready:sum == 0`),
    ...(low ? [alert(low, WARNING, 'low', `${share} < 0.75`)] : []),
    alert(
      { alert: `Virt${restName}RESTErrorsBurst`, for: '5m' },
      CRITICAL,
      'failingCalls',
      `${requests(',code=~"(4|5)[0-9][0-9]"')}  /  ${requests('')} >= 0.8`,
    ),
  ];
}

function controlPlaneAlerts(namespace: string): AlertRule[] {
  const handlers = (metric: string): string =>
    `kube_daemonset_status_${metric}{namespace='${namespace}', daemonset='virt-handler'}`;
  return [
    rule(
      'VirtHandlerDaemonSetRolloutFailing',
      '15m',
      WARNING,
      `(${handlers('number_ready')} - ${handlers('desired_number_scheduled')}) != 0`,
    ),
    rule('NoLeadingVirtOperator', '10m', CRITICAL, 'cluster:kubevirt_virt_operator_leading:sum == 0'),
    rule(
      'VirtLauncherPodsStuckFailed',
      '10m',
      CRITICAL,
      "sum(kube_pod_status_phase{phase='Failed', pod=~'virt-launcher-.*'}) >= 200",
    ),
  ];
}

const KVM = 'cluster:kubevirt_nodes_with_kvm:count';
const DEPRECATED_REQUESTS = 'cluster:kubevirt_api_request_deprecated_total:sum{verb!~"LIST|WATCH|DELETE"}';

const NODES: AlertRule[] = [
  rule('LowKVMNodesCount', '5m', WARNING, `(cluster:kubevirt_nodes_allocatable:count > 1) and (${KVM} < 2)`),
  rule(
    'KubeVirtNoAvailableNodesToRunVMs',
    '5m',
    { severity: 'warning', impact: 'critical' },
    `((${KVM} or on() vector(0)) == 0  and (sum(kubevirt_configuration_emulation_enabled) or on() vector(0)) == 0)  or (sum(kube_node_labels{label_kubevirt_io_schedulable='true'} * on(node) group_left() (1 - kube_node_spec_unschedulable))  or on() vector(0)) == 0`,
  ),
  rule(
    'OrphanedVirtualMachineInstances',
    '10m',
    WARNING,
    "(((max by (node) (kube_pod_status_ready{condition='true',pod=~'virt-handler.*'} * on(pod) group_left(node) max by(pod,node)(kube_pod_info{pod=~'virt-handler.*',node!=''})) ) == 1) or (count by (node)( kube_pod_info{pod=~'virt-launcher.*',node!=''})*0)) == 0",
  ),
  rule(
    'KubeVirtDeprecatedAPIRequested',
    '',
    NOTICE,
    `sum by (resource,group,version) ((round(increase(${DEPRECATED_REQUESTS}[10m])) > 0 and  ${DEPRECATED_REQUESTS} offset 10m) or  (${DEPRECATED_REQUESTS} != 0  unless ${DEPRECATED_REQUESTS} offset 10m))`,
  ),
];

const NO_DISKS =
  "{file_system_type!~'CDFS|iso9660|udf|squashfs|cramfs|tmpfs|devtmpfs|proc|sysfs|selinuxfs|securityfs|pstore|debugfs|tracefs|configfs|binfmt_misc|bpf|devpts|mqueue|nsfs|rpc_pipefs|ramfs|rootfs|overlay|cgroup.*|fuse\\\\..*|fusectl',mount_point!='System Reserved'}";
const FILL = `(kubevirt_vmi_filesystem_used_bytes${NO_DISKS} / kubevirt_vmi_filesystem_capacity_bytes${NO_DISKS})*100`;
/** Names machine and pod of running guests as the memory series do. */
const RUNNING_GUESTS =
  "label_replace(label_replace(kubevirt_vmi_info{phase='running'}, 'vm', '$1', 'name', '(.+)'), 'name', '$1', 'vmi_pod', '(.+)')";
const headroomBelow = (limit: number): string => `(vmi:kubevirt_vmi_memory_headroom_ratio:sum < ${limit})`;
const HAS_MEMORY = '(vmi:kubevirt_vmi_memory_available_bytes:sum > 0)';
const QUEUE = 'vmi:kubevirt_vmi_guest_queue_length:sum';
const statusIs = (...states: string[]): string =>
  states.map((state) => `kubevirt_vm_info{status='${state}'} == 1`).join(' or ');

const GUESTS: AlertRule[] = [
  rule('GuestFilesystemAlmostOutOfSpace', '10m', GUEST, `${FILL} >= 85 < 95`),
  {
    ...rule('GuestFilesystemAlmostOutOfSpace', '', GUEST_CRITICAL, `${FILL} >= 95`),
    text: ALERT_TEXTS['GuestFilesystemAlmostOutOfSpace critical'],
  },
  rule('GuestVCPUQueueHighWarning', '', GUEST, `${QUEUE} > 10`),
  rule('GuestVCPUQueueHighCritical', '', GUEST_CRITICAL, `${QUEUE} > 20`),
  rule(
    'KubeVirtVMGuestMemoryPressure',
    '5m',
    GUEST,
    `((${headroomBelow(0.05)} and (vmi:kubevirt_vmi_pgmajfaults:rate5m > 5 or (vmi:kubevirt_vmi_swap_traffic_bytes:rate5m > 1048576)) and ${HAS_MEMORY}) * on(name, namespace) group_left(vm)${RUNNING_GUESTS})`,
  ),
  rule(
    'KubeVirtVMGuestMemoryAvailableLow',
    '30m',
    NOTICE,
    `((${headroomBelow(0.03)} and (vmi:kubevirt_vmi_swap_traffic_bytes:rate30m < 2048) and (vmi:kubevirt_vmi_pgmajfaults:rate30m < 1) and ${HAS_MEMORY}) * on(name, namespace) group_left(vm) ${RUNNING_GUESTS})`,
  ),
  rule(
    'KubeVirtVMIExcessiveMigrations',
    '',
    GUEST,
    'sum by (vmi, namespace) (topk by (vmi, namespace, vmim) (1, max_over_time(kubevirt_vmi_migration_succeeded[1d]))) >= 12',
  ),
  rule('OutdatedVirtualMachineInstanceWorkloads', '24h', GUEST, 'kubevirt_vmi_number_of_outdated != 0'),
  rule(
    'VMCannotBeEvicted',
    '1m',
    GUEST,
    "kubevirt_vmi_non_evictable * on(name, namespace) group_left() topk by(name, namespace) (1, kubevirt_vmi_info{phase='running'}) == 1",
  ),
  rule(
    'VMNonRecoverableOSPanic',
    '1m',
    GUEST_CRITICAL,
    'sum by (namespace, name) (increase(kubevirt_vmi_guest_os_panic_total[24h])) > 5',
  ),
  rule(
    'VirtualMachineStuckInUnhealthyState',
    '10m',
    GUEST,
    `sum by (name, namespace, status)(kubevirt_vm_info{status='provisioning'}==1 or ${statusIs('starting', 'terminating')} or kubevirt_vm_info{status_group='error'} == 1) unless on(name, namespace) kubevirt_vmi_info`,
  ),
  rule(
    'VirtualMachineStuckOnNode',
    '5m',
    GUEST,
    `sum by (name, namespace, status, node)((${statusIs('starting', 'stopping', 'terminating')} or (kubevirt_vm_info{status_group='error'} == 1 and on(name, namespace) kubevirt_vmi_info{phase=~'scheduled|running'}) ) * on(name, namespace) group_left(node) topk by(name, namespace) (1, kubevirt_vmi_info{phase=~'scheduled|running'}))`,
  ),
];

/** The 38 alerts of KubeVirt 1.9.0, for an installation in this namespace (spec/resources.md §7.4). */
export function alertRules(namespace: string): AlertRule[] {
  return [
    ...NODES,
    ...COMPONENTS.flatMap((component) => componentAlerts(component, namespace)),
    ...controlPlaneAlerts(namespace),
    ...GUESTS,
  ];
}
