/** What people read about an alert: one sentence on what is wrong and, where labels or the value tell more, one that names them. */
export interface AlertText {
  summary: string;
  description?: string;
}

const MACHINE = '{{ $labels.namespace }}/{{ $labels.name }}';
const FULL = `{{ $labels.mount_point }} ({{ $labels.disk_name }}) in ${MACHINE} is {{ $value | humanize }} % full`;
const QUEUE = `{{ $value }} tasks wait for a processor in ${MACHINE}.`;

/** Texts by alert. The second stage of an alert that exists twice is marked by its severity. */
export const ALERT_TEXTS = {
  VirtHandlerDaemonSetRolloutFailing: {
    summary: 'Not every node that should run virt-handler has a ready pod of it.',
  },
  NoLeadingVirtOperator: { summary: 'No pod of virt-operator leads, so nothing is reconciled.' },
  VirtLauncherPodsStuckFailed: { summary: '200 or more virt-launcher pods have failed and were not removed.' },
  LowKVMNodesCount: {
    summary: 'Fewer than two nodes offer KVM.',
    description: 'Only {{ $value }} nodes offer KVM; live migration needs two.',
  },
  KubeVirtNoAvailableNodesToRunVMs: {
    summary: 'No node can run a virtual machine: none offers KVM and emulation is off, or none accepts machines.',
  },
  OrphanedVirtualMachineInstances: {
    summary: 'A node runs virtual machines but has no ready virt-handler to look after them.',
  },
  KubeVirtDeprecatedAPIRequested: {
    summary: 'Somebody uses an API version of KubeVirt that is going to be removed.',
    description:
      'In the last 10 minutes {{ $value }} requests went to {{ $labels.resource }}.{{ $labels.group }}/{{ $labels.version }}, a deprecated version.',
  },
  GuestFilesystemAlmostOutOfSpace: {
    summary: 'A file system of a guest is more than 85 % full.',
    description: `${FULL}.`,
  },
  'GuestFilesystemAlmostOutOfSpace critical': {
    summary: 'A file system of a guest is more than 95 % full.',
    description: `${FULL} and may stop the guest.`,
  },
  GuestVCPUQueueHighWarning: {
    summary: 'More than 10 tasks of a guest wait for a processor.',
    description: QUEUE,
  },
  GuestVCPUQueueHighCritical: {
    summary: 'More than 20 tasks of a guest wait for a processor.',
    description: QUEUE,
  },
  KubeVirtVMGuestMemoryPressure: {
    summary: 'A guest is short of memory and swaps or reads pages back.',
    description:
      'The guest {{ $labels.vm }} in {{ $labels.namespace }} has less than 5 % of its memory left and is swapping or faulting pages.',
  },
  KubeVirtVMGuestMemoryAvailableLow: {
    summary: 'A guest has had hardly any free memory for half an hour.',
    description:
      'The guest {{ $labels.vm }} in {{ $labels.namespace }} has less than 3 % of its memory left, without swapping so far.',
  },
  KubeVirtVMIExcessiveMigrations: {
    summary: 'A virtual machine was migrated 12 times or more within a day.',
    description: '{{ $labels.namespace }}/{{ $labels.vmi }} was migrated {{ $value }} times during the last day.',
  },
  OutdatedVirtualMachineInstanceWorkloads: {
    summary: 'Running virtual machines have waited a day for the launcher of the current KubeVirt version.',
  },
  VMCannotBeEvicted: {
    summary: 'A virtual machine is to be migrated on eviction but cannot be migrated.',
    description: `${MACHINE} on node {{ $labels.node }} will block a drain of that node.`,
  },
  VMNonRecoverableOSPanic: {
    summary: 'The system of a guest keeps crashing.',
    description: `The system in ${MACHINE} panicked {{ $value | humanize }} times within a day.`,
  },
  VirtualMachineStuckInUnhealthyState: {
    summary: 'A virtual machine does not get beyond an unhealthy state and no instance of it exists.',
    description: `${MACHINE} has been {{ $labels.status }} for more than 10 minutes.`,
  },
  VirtualMachineStuckOnNode: {
    summary: 'A virtual machine does not get beyond an unhealthy state on its node.',
    description: `${MACHINE} has been {{ $labels.status }} on node {{ $labels.node }} for more than 5 minutes.`,
  },
} as const satisfies Readonly<Record<string, AlertText>>;

/** An alert that has texts. */
export type AlertName = keyof typeof ALERT_TEXTS;

/** Texts of the alerts that every component with several pods has. */
export const COMPONENT_ALERT_TEXTS = {
  down: (component: string) => ({ summary: `No pod of ${component} runs.` }),
  lowReady: (component: string) => ({ summary: `Some running pods of ${component} are not ready.` }),
  noneReady: (component: string) => ({ summary: `No pod of ${component} is ready.` }),
  low: (component: string) => ({ summary: `Fewer than three quarters of the wanted ${component} pods answer.` }),
  failingCalls: (component: string) => ({
    summary: `At least four in five calls of ${component} to the API server failed during five minutes.`,
  }),
} as const satisfies Readonly<Record<string, (component: string) => AlertText>>;
