/** Backups of virtual machines and their checkpoints (backup.kubevirt.io). */
import { atomic, atomicObject, bool, keyed, object, oneOf, resource, string, time } from './dsl.ts';
import { Condition, TypedLocalObjectReference } from './core.ts';

export const BackupVolumeInfo = object({
  dataEndpoint: string,
  diskTarget: string.required,
  mapEndpoint: string,
  volumeName: string.required,
});

export const BackupStatus = object({
  backupMsg: string,
  backupName: string,
  checkpointName: string,
  completed: bool,
  endTimestamp: time,
  failed: bool,
  quiesceStatus: string,
  startTimestamp: time,
  volumes: atomic(BackupVolumeInfo),
});

export const ChangedBlockTrackingStatus = object({
  backupStatus: BackupStatus.nullable,
  state: string.required,
});

export const BackupSource = atomicObject({ ...TypedLocalObjectReference.fields }).rules(
  ['has(self.apiGroup)', 'name the API group of the source'],
  [
    "!has(self.apiGroup) || self.apiGroup == 'kubevirt.io' || self.apiGroup == 'backup.kubevirt.io'",
    'the API group is kubevirt.io or backup.kubevirt.io',
  ],
  [
    "!has(self.apiGroup) || (self.apiGroup == 'kubevirt.io' && self.kind == 'VirtualMachine') || (self.apiGroup == 'backup.kubevirt.io' && self.kind == 'VirtualMachineBackupTracker')",
    'the source is a VirtualMachine of kubevirt.io or a VirtualMachineBackupTracker of backup.kubevirt.io',
  ],
  ["self.name != ''", 'the name of the source must not be empty'],
);

export const VirtualMachineBackupSpec = object({
  forceFullBackup: bool,
  mode: oneOf('Push', 'Pull'),
  pvcName: string,
  skipQuiesce: bool,
  source: BackupSource.required,
  tokenSecretRef: string,
  ttlDuration: string,
}).rules(
  ['self == oldSelf', 'the spec cannot be changed'],
  ['has(self.pvcName) && self.pvcName != ""', 'pvcName is needed'],
  [
    '!has(self.mode) || self.mode != \'Pull\' || (has(self.tokenSecretRef) && self.tokenSecretRef != "")',
    'mode Pull needs tokenSecretRef',
  ],
);

export const VirtualMachineBackupStatus = object({
  checkpointName: string,
  conditions: keyed(['type'], Condition),
  endpointCert: string,
  exportUID: string,
  includedVolumes: atomic(BackupVolumeInfo),
  type: string,
});

export const VirtualMachineBackup = resource({
  spec: VirtualMachineBackupSpec.required,
  status: VirtualMachineBackupStatus,
});

export const TrackedSource = atomicObject({ ...TypedLocalObjectReference.fields }).rules(
  ["has(self.apiGroup) && self.apiGroup == 'kubevirt.io'", 'the API group is kubevirt.io'],
  ["self.kind == 'VirtualMachine'", 'only a VirtualMachine can be tracked'],
  ["self.name != ''", 'the name of the source must not be empty'],
);

export const VirtualMachineBackupTrackerSpec = object({
  source: TrackedSource.required,
}).rules(['self == oldSelf', 'the spec cannot be changed']);

export const BackupCheckpoint = object({
  creationTime: time,
  name: string,
  volumes: atomic(BackupVolumeInfo),
});

export const VirtualMachineBackupTrackerStatus = object({
  checkpointRedefinitionRequired: bool,
  latestCheckpoint: BackupCheckpoint,
});

export const VirtualMachineBackupTracker = resource({
  spec: VirtualMachineBackupTrackerSpec.required,
  status: VirtualMachineBackupTrackerStatus,
});
