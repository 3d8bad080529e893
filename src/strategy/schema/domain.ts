/** The virtual hardware of a machine as a whole. */
import { object, oneOf, string } from './dsl.ts';
import { Devices } from './devices.ts';
import {
  CPU,
  Chassis,
  Clock,
  DiskIOThreads,
  Features,
  Firmware,
  GuestResources,
  LaunchSecurity,
  Machine,
  Memory,
} from './hardware.ts';

export const DomainSpec = object({
  chassis: Chassis,
  clock: Clock.with({ 'x-kubernetes-preserve-unknown-fields': true }),
  cpu: CPU,
  devices: Devices.required,
  features: Features,
  firmware: Firmware,
  ioThreads: DiskIOThreads,
  ioThreadsPolicy: string,
  launchSecurity: LaunchSecurity,
  machine: Machine,
  memory: Memory,
  rebootPolicy: oneOf('Reboot', 'Terminate'),
  resources: GuestResources,
});
