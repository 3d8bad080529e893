import type * as schemas from '../instancetype.ts';
import type { TextsOf } from './table.ts';

/** Descriptions of `instancetype.ts`. */
export const instancetypeTexts: TextsOf<typeof schemas> = {
  CPUInstancetype: {
    dedicatedCPUPlacement: 'Pins every virtual processor to a host processor of its own.',
    guest: 'Number of virtual processors; the preference arranges them in sockets, cores and threads.',
    isolateEmulatorThread: 'Gives the emulator a host processor of its own; needs dedicatedCPUPlacement.',
    maxSockets: 'Number of sockets that can be reached by adding processors while the machine runs.',
    model: 'Processor model: host-model, host-passthrough, or a name that libvirt knows.',
    numa: 'NUMA layout that the guest sees.',
    realtime: 'Tunes the virtual processors for real-time work.',
  },
  MemoryInstancetype: {
    guest: 'Memory that the guest sees.',
    hugepages: 'Backs the memory of the guest by huge pages.',
    maxGuest: 'Memory that can be reached by adding some while the machine runs.',
    overcommitPercent: 'Percentage of the memory that is not set aside; not together with huge pages.',
  },
  VirtualMachineInstancetypeSpec: {
    annotations: 'Annotations of the machines.',
    cpu: 'Processors.',
    gpus: 'GPUs of the host.',
    hostDevices: 'Other devices of the host.',
    ioThreads: 'The pool of I/O threads, for the policy supplementalPool.',
    ioThreadsPolicy: 'How disks are served by I/O threads: shared, auto or supplementalPool.',
    launchSecurity: 'Protects the guest from its host.',
    memory: 'Memory.',
    nodeSelector: 'Labels that the node must have.',
    schedulerName: 'Scheduler that chooses the node.',
  },
  VirtualMachineInstancetype: {
    $: 'An instance type: the size of virtual machines that refer to it.',
    spec: 'What a machine of this type gets; a machine that sets one of it itself is refused.',
  },
};
