import type * as schemas from '../domain.ts';
import type { TextsOf } from './table.ts';

/** Descriptions of `domain.ts`. */
export const domainTexts: TextsOf<typeof schemas> = {
  DomainSpec: {
    chassis: 'What the system tables of the guest say about the case.',
    clock: 'Clock and timers.',
    cpu: 'Number, model and placement of processors.',
    devices: 'Disks, interfaces and all other devices.',
    features: 'Features of processor and hypervisor.',
    firmware: 'How the machine starts, and what its system tables say.',
    ioThreads: 'The pool of I/O threads, for the policy supplementalPool.',
    ioThreadsPolicy: 'How disks are served by I/O threads: shared, auto or supplementalPool.',
    launchSecurity: 'Protects the guest from its host.',
    machine: 'Kind of main board that the machine imitates.',
    memory: 'Memory of the guest.',
    rebootPolicy: 'What a reboot within the guest does: Reboot goes on in the same pod, Terminate ends it.',
    resources: 'Resources that are set aside for the machine, and its limits.',
  },
};
