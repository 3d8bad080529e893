/** One alert, without the labels and the annotation that all alerts share. */
export interface AlertRule {
  alert: string;
  expr: string;
  /** How long the expression must hold; absent: fires at once. */
  for?: string;
  severity: 'info' | 'warning' | 'critical';
  /** How far the health of KubeVirt as a whole suffers. */
  impact: 'none' | 'warning' | 'critical';
  summary: string;
  description?: string;
}

/** A component of which several pods run. */
interface Component {
  /** As in `virt-api`. */
  name: 'api' | 'controller' | 'handler' | 'operator';
  /** As in alert names that upstream did not form alike: `VirtApiRESTErrorsBurst`, `LowReadyVirtControllersCount`, `LowVirtControllersCount`. */
  restName: string;
  readyName: string;
  /** How long too few pods may run, and the alert's name; absent for the DaemonSet. */
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

const CRITICAL = { severity: 'critical', impact: 'critical' } as const;
const WARNING = { severity: 'warning', impact: 'warning' } as const;
/** The machine of a user suffers, KubeVirt does not. */
const GUEST = { severity: 'warning', impact: 'none' } as const;

function componentAlerts({ name, restName, readyName, low }: Component, namespace: string): AlertRule[] {
  const component = `virt-${name}`;
  const series = `cluster:kubevirt_virt_${name}`;
  const singular = name === 'api' ? 'API' : restName;
  const requests = (more: string): string =>
    `sum ( rate ( kubevirt_rest_client_requests_total{namespace="${namespace}",pod=~"${component}-.*"${more}} [5m] ) )`;
  const lowAlert: AlertRule[] = low
    ? [
        {
          ...low,
          expr: `${series}_up:sum / on() kube_deployment_spec_replicas{deployment='${component}', namespace='${namespace}'} < 0.75`,
          ...WARNING,
          summary: `Fewer than three quarters of the wanted ${component} pods answer.`,
        },
      ]
    : [];
  return [
    {
      alert: `Virt${singular}Down`,
      expr: `${series}_pods_running:count == 0`,
      for: '10m',
      ...CRITICAL,
      summary: `No pod of ${component} runs.`,
    },
    {
      alert: `LowReadyVirt${readyName}Count`,
      expr: `${series}_ready:sum < ${series}_pods_running:count and ${series}_ready:sum > 0`,
      for: '10m',
      ...WARNING,
      summary: `Some running pods of ${component} are not ready.`,
    },
    {
      alert: `NoReadyVirt${singular}`,
      expr: `${series}_ready:sum == 0`,
      for: '10m',
      ...CRITICAL,
      summary: `No pod of ${component} is ready.`,
    },
    ...lowAlert,
    {
      alert: `Virt${restName}RESTErrorsBurst`,
      expr: `${requests(',code=~"(4|5)[0-9][0-9]"')}  /  ${requests('')} >= 0.8`,
      for: '5m',
      ...CRITICAL,
      summary: `At least four in five calls of ${component} to the API server failed during five minutes.`,
    },
  ];
}

function controlPlaneAlerts(namespace: string): AlertRule[] {
  const handlers = (metric: string): string =>
    `kube_daemonset_status_${metric}{namespace='${namespace}', daemonset='virt-handler'}`;
  return [
    {
      alert: 'VirtHandlerDaemonSetRolloutFailing',
      expr: `(${handlers('number_ready')} - ${handlers('desired_number_scheduled')}) != 0`,
      for: '15m',
      ...WARNING,
      summary: 'Not every node that should run virt-handler has a ready pod of it.',
    },
    {
      alert: 'NoLeadingVirtOperator',
      expr: 'cluster:kubevirt_virt_operator_leading:sum == 0',
      for: '10m',
      ...CRITICAL,
      summary: 'No pod of virt-operator leads, so nothing is reconciled.',
    },
    {
      alert: 'VirtLauncherPodsStuckFailed',
      expr: "sum(kube_pod_status_phase{phase='Failed', pod=~'virt-launcher-.*'}) >= 200",
      for: '10m',
      ...CRITICAL,
      summary: '200 or more virt-launcher pods have failed and were not removed.',
    },
  ];
}

const KVM = 'cluster:kubevirt_nodes_with_kvm:count';
const DEPRECATED_REQUESTS = 'cluster:kubevirt_api_request_deprecated_total:sum{verb!~"LIST|WATCH|DELETE"}';

const NODES: AlertRule[] = [
  {
    alert: 'LowKVMNodesCount',
    expr: `(cluster:kubevirt_nodes_allocatable:count > 1) and (${KVM} < 2)`,
    for: '5m',
    ...WARNING,
    summary: 'Fewer than two nodes offer KVM.',
    description: 'Only {{ $value }} nodes offer KVM; live migration needs two.',
  },
  {
    alert: 'KubeVirtNoAvailableNodesToRunVMs',
    expr: `((${KVM} or on() vector(0)) == 0  and (sum(kubevirt_configuration_emulation_enabled) or on() vector(0)) == 0)  or (sum(kube_node_labels{label_kubevirt_io_schedulable='true'} * on(node) group_left() (1 - kube_node_spec_unschedulable))  or on() vector(0)) == 0`,
    for: '5m',
    severity: 'warning',
    impact: 'critical',
    summary: 'No node can run a virtual machine: none offers KVM and emulation is off, or none accepts machines.',
  },
  {
    alert: 'OrphanedVirtualMachineInstances',
    expr: "(((max by (node) (kube_pod_status_ready{condition='true',pod=~'virt-handler.*'} * on(pod) group_left(node) max by(pod,node)(kube_pod_info{pod=~'virt-handler.*',node!=''})) ) == 1) or (count by (node)( kube_pod_info{pod=~'virt-launcher.*',node!=''})*0)) == 0",
    for: '10m',
    ...WARNING,
    summary: 'A node runs virtual machines but has no ready virt-handler to look after them.',
  },
  {
    alert: 'KubeVirtDeprecatedAPIRequested',
    expr: `sum by (resource,group,version) ((round(increase(${DEPRECATED_REQUESTS}[10m])) > 0 and  ${DEPRECATED_REQUESTS} offset 10m) or  (${DEPRECATED_REQUESTS} != 0  unless ${DEPRECATED_REQUESTS} offset 10m))`,
    severity: 'info',
    impact: 'none',
    summary: 'Somebody uses an API version of KubeVirt that is going to be removed.',
    description:
      'In the last 10 minutes {{ $value }} requests went to {{ $labels.resource }}.{{ $labels.group }}/{{ $labels.version }}, a deprecated version.',
  },
];

const NO_DISKS =
  "{file_system_type!~'CDFS|iso9660|udf|squashfs|cramfs|tmpfs|devtmpfs|proc|sysfs|selinuxfs|securityfs|pstore|debugfs|tracefs|configfs|binfmt_misc|bpf|devpts|mqueue|nsfs|rpc_pipefs|ramfs|rootfs|overlay|cgroup.*|fuse\\\\..*|fusectl',mount_point!='System Reserved'}";
const FILL = `(kubevirt_vmi_filesystem_used_bytes${NO_DISKS} / kubevirt_vmi_filesystem_capacity_bytes${NO_DISKS})*100`;
/** Names machine and pod of running guests as the memory series do. */
const RUNNING_GUESTS =
  "label_replace(label_replace(kubevirt_vmi_info{phase='running'}, 'vm', '$1', 'name', '(.+)'), 'name', '$1', 'vmi_pod', '(.+)')";
const headroomBelow = (limit: number): string => `(vmi:kubevirt_vmi_memory_headroom_ratio:sum < ${limit})`;
const HAS_MEMORY = '(vmi:kubevirt_vmi_memory_available_bytes:sum > 0)';
const MACHINE = '{{ $labels.namespace }}/{{ $labels.name }}';
const statusIs = (...states: string[]): string =>
  states.map((state) => `kubevirt_vm_info{status='${state}'} == 1`).join(' or ');

const GUESTS: AlertRule[] = [
  {
    alert: 'GuestFilesystemAlmostOutOfSpace',
    expr: `${FILL} >= 85 < 95`,
    for: '10m',
    ...GUEST,
    summary: 'A file system of a guest is more than 85 % full.',
    description: `{{ $labels.mount_point }} ({{ $labels.disk_name }}) in ${MACHINE} is {{ $value | humanize }} % full.`,
  },
  {
    alert: 'GuestFilesystemAlmostOutOfSpace',
    expr: `${FILL} >= 95`,
    severity: 'critical',
    impact: 'none',
    summary: 'A file system of a guest is more than 95 % full.',
    description: `{{ $labels.mount_point }} ({{ $labels.disk_name }}) in ${MACHINE} is {{ $value | humanize }} % full and may stop the guest.`,
  },
  {
    alert: 'GuestVCPUQueueHighWarning',
    expr: 'vmi:kubevirt_vmi_guest_queue_length:sum > 10',
    ...GUEST,
    summary: 'More than 10 tasks of a guest wait for a processor.',
    description: `{{ $value }} tasks wait for a processor in ${MACHINE}.`,
  },
  {
    alert: 'GuestVCPUQueueHighCritical',
    expr: 'vmi:kubevirt_vmi_guest_queue_length:sum > 20',
    severity: 'critical',
    impact: 'none',
    summary: 'More than 20 tasks of a guest wait for a processor.',
    description: `{{ $value }} tasks wait for a processor in ${MACHINE}.`,
  },
  {
    alert: 'KubeVirtVMGuestMemoryPressure',
    expr: `((${headroomBelow(0.05)} and (vmi:kubevirt_vmi_pgmajfaults:rate5m > 5 or (vmi:kubevirt_vmi_swap_traffic_bytes:rate5m > 1048576)) and ${HAS_MEMORY}) * on(name, namespace) group_left(vm)${RUNNING_GUESTS})`,
    for: '5m',
    ...GUEST,
    summary: 'A guest is short of memory and swaps or reads pages back.',
    description:
      'The guest {{ $labels.vm }} in {{ $labels.namespace }} has less than 5 % of its memory left and is swapping or faulting pages.',
  },
  {
    alert: 'KubeVirtVMGuestMemoryAvailableLow',
    expr: `((${headroomBelow(0.03)} and (vmi:kubevirt_vmi_swap_traffic_bytes:rate30m < 2048) and (vmi:kubevirt_vmi_pgmajfaults:rate30m < 1) and ${HAS_MEMORY}) * on(name, namespace) group_left(vm) ${RUNNING_GUESTS})`,
    for: '30m',
    severity: 'info',
    impact: 'none',
    summary: 'A guest has had hardly any free memory for half an hour.',
    description:
      'The guest {{ $labels.vm }} in {{ $labels.namespace }} has less than 3 % of its memory left, without swapping so far.',
  },
  {
    alert: 'KubeVirtVMIExcessiveMigrations',
    expr: 'sum by (vmi, namespace) (topk by (vmi, namespace, vmim) (1, max_over_time(kubevirt_vmi_migration_succeeded[1d]))) >= 12',
    ...GUEST,
    summary: 'A virtual machine was migrated 12 times or more within a day.',
    description: '{{ $labels.namespace }}/{{ $labels.vmi }} was migrated {{ $value }} times during the last day.',
  },
  {
    alert: 'OutdatedVirtualMachineInstanceWorkloads',
    expr: 'kubevirt_vmi_number_of_outdated != 0',
    for: '24h',
    ...GUEST,
    summary: 'Running virtual machines have waited a day for the launcher of the current KubeVirt version.',
  },
  {
    alert: 'VMCannotBeEvicted',
    expr: "kubevirt_vmi_non_evictable * on(name, namespace) group_left() topk by(name, namespace) (1, kubevirt_vmi_info{phase='running'}) == 1",
    for: '1m',
    ...GUEST,
    summary: 'A virtual machine is to be migrated on eviction but cannot be migrated.',
    description: `${MACHINE} on node {{ $labels.node }} will block a drain of that node.`,
  },
  {
    alert: 'VMNonRecoverableOSPanic',
    expr: 'sum by (namespace, name) (increase(kubevirt_vmi_guest_os_panic_total[24h])) > 5',
    for: '1m',
    severity: 'critical',
    impact: 'none',
    summary: 'The system of a guest keeps crashing.',
    description: `The system in ${MACHINE} panicked {{ $value | humanize }} times within a day.`,
  },
  {
    alert: 'VirtualMachineStuckInUnhealthyState',
    expr: `sum by (name, namespace, status)(kubevirt_vm_info{status='provisioning'}==1 or ${statusIs('starting', 'terminating')} or kubevirt_vm_info{status_group='error'} == 1) unless on(name, namespace) kubevirt_vmi_info`,
    for: '10m',
    ...GUEST,
    summary: 'A virtual machine does not get beyond an unhealthy state and no instance of it exists.',
    description: `${MACHINE} has been {{ $labels.status }} for more than 10 minutes.`,
  },
  {
    alert: 'VirtualMachineStuckOnNode',
    expr: `sum by (name, namespace, status, node)((${statusIs('starting', 'stopping', 'terminating')} or (kubevirt_vm_info{status_group='error'} == 1 and on(name, namespace) kubevirt_vmi_info{phase=~'scheduled|running'}) ) * on(name, namespace) group_left(node) topk by(name, namespace) (1, kubevirt_vmi_info{phase=~'scheduled|running'}))`,
    for: '5m',
    ...GUEST,
    summary: 'A virtual machine does not get beyond an unhealthy state on its node.',
    description: `${MACHINE} has been {{ $labels.status }} on node {{ $labels.node }} for more than 5 minutes.`,
  },
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
