/** VirtualMachine (kubevirt.io). */
import { atomic, bool, int, int64, list, map, object, resource, string, time } from './dsl.ts';
import { ChangedBlockTrackingStatus } from './backup.ts';
import { ProbedCondition } from './core.ts';
import { DataVolumeTemplateSpec } from './data-volumes.ts';
import { Disk } from './devices.ts';
import { MigratedVolume } from './migration.ts';
import { VirtualMachineInstanceTemplateSpec } from './virtual-machine-instance.ts';
import { HotplugVolumeSource } from './volumes.ts';

/** Names an instance type or a preference, or the volume that names one. */
const matcherFields = {
  inferFromVolume: string,
  inferFromVolumeFailurePolicy: string,
  kind: string,
  name: string,
};

export const InstancetypeMatcher = object({ ...matcherFields, revisionName: string });

export const PreferenceMatcher = object({ ...InstancetypeMatcher.fields });

export const VirtualMachineSpec = object({
  dataVolumeTemplates: list(DataVolumeTemplateSpec.nullable),
  instancetype: InstancetypeMatcher,
  preference: PreferenceMatcher,
  runStrategy: string,
  running: bool,
  template: VirtualMachineInstanceTemplateSpec.required,
  updateVolumesStrategy: string,
});

export const ControllerRevisionRef = object({ name: string });

export const InstancetypeStatusRef = object({ ...matcherFields, controllerRevisionRef: ControllerRevisionRef });

export const MemoryDumpRequest = object({
  claimName: string.required,
  endTimestamp: time,
  fileName: string,
  message: string,
  phase: string.required,
  remove: bool,
  startTimestamp: time,
});

export const StartFailure = object({
  consecutiveFailCount: int,
  lastFailedVMIUID: string,
  retryAfterTimestamp: time,
});

export const StateChangeRequest = object({
  action: string.required,
  data: map(string),
  uid: string,
});

export const AddVolumeOptions = object({
  disk: Disk.required,
  dryRun: atomic(string),
  name: string.required,
  volumeSource: HotplugVolumeSource.required,
});

export const RemoveVolumeOptions = object({ dryRun: atomic(string), name: string.required });

export const VolumeRequest = object({
  addVolumeOptions: AddVolumeOptions,
  removeVolumeOptions: RemoveVolumeOptions,
});

export const VolumeSnapshotStatus = object({
  enabled: bool.required,
  name: string.required,
  reason: string,
});

export const VolumeMigrationState = object({ migratedVolumes: atomic(MigratedVolume) });

export const VolumeUpdateState = object({ volumeMigrationState: VolumeMigrationState });

export const VirtualMachineStatus = object({
  changedBlockTracking: ChangedBlockTrackingStatus.nullable,
  conditions: list(ProbedCondition),
  created: bool,
  desiredGeneration: int64,
  instancetypeRef: InstancetypeStatusRef.nullable,
  memoryDumpRequest: MemoryDumpRequest.nullable,
  observedGeneration: int64,
  preferenceRef: InstancetypeStatusRef.nullable,
  printableStatus: string.default('Stopped'),
  ready: bool,
  restoreInProgress: string,
  runStrategy: string,
  snapshotInProgress: string,
  startFailure: StartFailure.nullable,
  stateChangeRequests: list(StateChangeRequest),
  volumeRequests: atomic(VolumeRequest),
  volumeSnapshotStatuses: list(VolumeSnapshotStatus),
  volumeUpdateState: VolumeUpdateState,
});

export const VirtualMachine = resource({
  spec: VirtualMachineSpec.required,
  status: VirtualMachineStatus,
});
