/** Instance types: sizes of virtual machines (instancetype.kubevirt.io). */
import { atomic, bool, int, int32, map, object, quantity, resource, string } from './dsl.ts';
import { GPU, HostDevice } from './devices.ts';
import { DiskIOThreads, Hugepages, LaunchSecurity, NUMA, Realtime } from './hardware.ts';

export const CPUInstancetype = object({
  dedicatedCPUPlacement: bool,
  guest: int32.required,
  isolateEmulatorThread: bool,
  maxSockets: int32,
  model: string,
  numa: NUMA,
  realtime: Realtime,
});

export const MemoryInstancetype = object({
  guest: quantity.required,
  hugepages: Hugepages,
  maxGuest: quantity,
  overcommitPercent: int.with({ minimum: 0, maximum: 100 }),
});

export const VirtualMachineInstancetypeSpec = object({
  annotations: map(string),
  cpu: CPUInstancetype.required,
  gpus: atomic(GPU),
  hostDevices: atomic(HostDevice),
  ioThreads: DiskIOThreads,
  ioThreadsPolicy: string,
  launchSecurity: LaunchSecurity,
  memory: MemoryInstancetype.required,
  nodeSelector: map(string),
  schedulerName: string,
});

export const VirtualMachineInstancetype = resource({
  spec: VirtualMachineInstancetypeSpec.required,
});
