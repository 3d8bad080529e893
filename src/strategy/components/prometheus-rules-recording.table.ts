/** One recording rule: the name of the new series, its expression, and constant labels. */
export interface RecordingRule {
  record: string;
  expr: string;
  labels?: Record<string, string>;
}

/** Components with pods that export `up` and a ready metric. */
const COMPONENTS = ['api', 'controller', 'operator', 'handler'] as const;

/** Series of one component: how many of its pods run, are scraped, are ready. */
function componentRules(component: string, namespace: string): RecordingRule[] {
  const prefix = `cluster:kubevirt_virt_${component}`;
  const pods = `pod=~'virt-${component}-.*', namespace='${namespace}'`;
  const ready = `kubevirt_virt_${component}_ready_status{namespace='${namespace}'}`;
  return [
    { record: `${prefix}_up:sum`, expr: `sum(up{namespace='${namespace}', pod=~'virt-${component}-.*'}) or vector(0)` },
    {
      record: `${prefix}_pods_running:count`,
      expr: `count(kube_pod_status_phase{${pods}, phase='Running'} == 1) or vector(0)`,
    },
    {
      record: `${prefix}_ready:sum`,
      expr: `sum(kube_pod_status_ready{${pods}, condition='true'} * on(pod, namespace) ${ready}) or vector(0)`,
    },
  ];
}

/** How far the memory of KubeVirt's containers exceeds what their pods ask for; the largest of each container. */
function memoryDelta(metric: string, reason: string): RecordingRule {
  const containers = 'container=~"virt-controller|virt-api|virt-handler|virt-operator|compute"';
  const used = `${metric}{${containers}, pod=~"virt-.*"}`;
  const requested = `(kube_pod_container_resource_requests{${containers},resource="memory"})`;
  return {
    record: 'container:kubevirt_memory_delta_from_requested_bytes:max',
    expr: `topk by(container)(1,max by(container, namespace, node, pod)(${used} - on(pod) group_left(node) ${requested}))`,
    labels: { reason },
  };
}

/** How much of a virtual machine's requested memory is left. */
function requestMargin(basis: string, used: string): RecordingRule {
  const requested =
    "kube_pod_container_resource_requests{pod=~'virt-launcher-.*', container='compute', resource='memory'}";
  return {
    record: `pod_container:kubevirt_vm_memory_request_margin_based_on_${basis}_bytes:sum`,
    expr: `sum by(pod, container, namespace) (${requested} - on(pod,container, namespace) ${used})`,
  };
}

const perMachine = (expr: string): string => `sum by (name, namespace) (${expr})`;
const rate = (metric: string, window: string): string => perMachine(`rate(kubevirt_vmi_memory_${metric}[${window}])`);
const LAUNCHER = "{pod=~'virt-launcher-.*', container='compute'}";
const SOURCE_LABEL = 'label_restore_kubevirt_io_source_vm';
const SNAPSHOT_LABELS = 'pvc:kubevirt_vmsnapshot_labels:info';

const CLUSTER: RecordingRule[] = [
  {
    record: 'cluster:kubevirt_api_request_deprecated_total:sum',
    expr: 'group by (group,version,resource,subresource) (apiserver_requested_deprecated_apis{group="kubevirt.io"}) * on (group,version,resource,subresource) group_right() sum by (group,version,resource,subresource,verb) (apiserver_request_total)',
  },
  {
    record: 'cluster:kubevirt_non_schedulable_nodes:sum',
    expr: "sum (count by (node) (kube_node_role{role=~'arbiter'})) or vector(0)",
  },
  {
    record: 'cluster:kubevirt_nodes_allocatable:count',
    expr: 'count(count (kube_node_status_allocatable) by (node)) - cluster:kubevirt_non_schedulable_nodes:sum',
  },
  {
    record: 'cluster:kubevirt_nodes_with_kvm:count',
    expr: 'count(kube_node_status_allocatable{resource="devices_kubevirt_io_kvm"} != 0) or vector(0)',
  },
  memoryDelta('container_memory_working_set_bytes', 'memory_working_set_delta_from_request'),
  memoryDelta('container_memory_rss', 'memory_rss_delta_from_request'),
];

const MACHINES: RecordingRule[] = [
  requestMargin('working_set', `max by(pod, container, namespace) (container_memory_working_set_bytes${LAUNCHER})`),
  requestMargin('rss', `container_memory_rss${LAUNCHER}`),
  {
    record: 'namespace:kubevirt_vm:sum',
    expr: 'sum by (namespace) (count by (name, namespace) (kubevirt_vm_info))',
  },
  {
    record: 'node:kubevirt_vmi_phase:sum',
    expr: 'sum by (node, phase, os, workload, flavor, instance_type, preference, guest_os_kernel_release, guest_os_machine, guest_os_arch, guest_os_name, guest_os_version_id) (kubevirt_vmi_info)',
  },
  {
    record: 'vmi:kubevirt_vmi_memory_used_bytes:sum',
    expr: 'kubevirt_vmi_memory_available_bytes-kubevirt_vmi_memory_usable_bytes',
  },
  {
    record: 'vmi:kubevirt_vmi_vcpu:count',
    expr: 'count by (namespace, name, node) (kubevirt_vmi_vcpu_seconds_total)',
  },
  {
    record: 'vmi:kubevirt_vmi_guest_queue_length:sum',
    expr: perMachine('clamp_min(kubevirt_vmi_guest_load_1m - vmi:kubevirt_vmi_vcpu:count, 0)'),
  },
  {
    record: 'vmi:kubevirt_vmi_memory_available_bytes:sum',
    expr: perMachine('kubevirt_vmi_memory_available_bytes'),
  },
  {
    record: 'vmi:kubevirt_vmi_memory_headroom_ratio:sum',
    expr: `${perMachine('kubevirt_vmi_memory_usable_bytes')} / ${perMachine('kubevirt_vmi_memory_available_bytes')}`,
  },
  { record: 'vmi:kubevirt_vmi_pgmajfaults:rate5m', expr: rate('pgmajfault_total', '5m') },
  { record: 'vmi:kubevirt_vmi_pgmajfaults:rate30m', expr: rate('pgmajfault_total', '30m') },
  {
    record: 'vmi:kubevirt_vmi_swap_traffic_bytes:rate5m',
    expr: `${rate('swap_in_traffic_bytes', '5m')} + ${rate('swap_out_traffic_bytes', '5m')}`,
  },
  {
    record: 'vmi:kubevirt_vmi_swap_traffic_bytes:rate30m',
    // Two blanks: so it stands in upstream's expression, and an expression is compared as text.
    expr: `${rate('swap_in_traffic_bytes', '30m')} +  ${rate('swap_out_traffic_bytes', '30m')}`,
  },
];

const SNAPSHOTS: RecordingRule[] = [
  {
    record: SNAPSHOT_LABELS,
    expr: `label_replace(label_replace(kube_persistentvolumeclaim_labels{${SOURCE_LABEL}_name!='', ${SOURCE_LABEL}_namespace!=''} == 1,'vm_namespace', '$1', '${SOURCE_LABEL}_namespace', '(.*)'), 'vm_name', '$1', '${SOURCE_LABEL}_name', '(.*)')`,
  },
  { record: 'vm:kubevirt_vmsnapshot_disks_restored:sum', expr: `sum by(vm_name, vm_namespace) (${SNAPSHOT_LABELS})` },
  {
    record: 'vm:kubevirt_vmsnapshot_restored_bytes:sum',
    expr: `sum by(vm_name, vm_namespace) (kube_persistentvolumeclaim_resource_requests_storage_bytes * on(persistentvolumeclaim, namespace) group_left(vm_name, vm_namespace) ${SNAPSHOT_LABELS})`,
  },
];

const VIRT = (name: string): [string, string] => [`kubevirt_virt_${name}`, `cluster:kubevirt_virt_${name}:sum`];

/** Old names of series, and what they are called today. */
const DEPRECATED: [string, string][] = [
  ['kubevirt_allocatable_nodes', 'cluster:kubevirt_nodes_allocatable:count'],
  ['kubevirt_nodes_with_kvm', 'cluster:kubevirt_nodes_with_kvm:count'],
  ['kubevirt_api_request_deprecated_total', 'cluster:kubevirt_api_request_deprecated_total:sum'],
  ['kubevirt_memory_delta_from_requested_bytes', 'container:kubevirt_memory_delta_from_requested_bytes:max'],
  ['kubevirt_number_of_vms', 'namespace:kubevirt_vm:sum'],
  ...['api_up', 'controller_up', 'operator_up', 'handler_up'].map(VIRT),
  ...['controller_ready', 'operator_ready', 'operator_leading'].map(VIRT),
  ...['rss', 'working_set'].map((basis): [string, string] => [
    `kubevirt_vm_container_memory_request_margin_based_on_${basis}_bytes`,
    `pod_container:kubevirt_vm_memory_request_margin_based_on_${basis}_bytes:sum`,
  ]),
  ['kubevirt_vm_created_total', 'sum by (namespace) (kubevirt_vm_created_by_pod_total)'],
  ['kubevirt_vmi_guest_vcpu_queue', 'vmi:kubevirt_vmi_guest_queue_length:sum'],
  ['kubevirt_vmi_memory_used_bytes', 'vmi:kubevirt_vmi_memory_used_bytes:sum'],
  ['kubevirt_vmi_migration_data_total_bytes', 'kubevirt_vmi_migration_data_bytes_total'],
  ['kubevirt_vmi_phase_count', 'node:kubevirt_vmi_phase:sum'],
  ['kubevirt_vmsnapshot_disks_restored_from_source', 'vm:kubevirt_vmsnapshot_disks_restored:sum'],
  ['kubevirt_vmsnapshot_disks_restored_from_source_bytes', 'vm:kubevirt_vmsnapshot_restored_bytes:sum'],
  ['kubevirt_vmsnapshot_persistentvolumeclaim_labels', SNAPSHOT_LABELS],
];

/** The 57 recording rules of KubeVirt 1.9.0, for an installation in this namespace (spec/resources.md §7.4). */
export function recordingRules(namespace: string): RecordingRule[] {
  return [
    ...CLUSTER,
    ...COMPONENTS.flatMap((component) => componentRules(component, namespace)),
    {
      record: 'cluster:kubevirt_virt_operator_leading:sum',
      expr: `sum(kubevirt_virt_operator_leading_status{namespace='${namespace}'})`,
    },
    ...MACHINES,
    ...SNAPSHOTS,
    ...DEPRECATED.map(([record, expr]) => ({ record, expr })),
  ];
}
