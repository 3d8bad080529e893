/** Snapshots of virtual machines and their restoration (snapshot.kubevirt.io). */
import {
  atomic,
  bool,
  embeddedMetadata,
  map,
  object,
  oneOf,
  openObject,
  resource,
  setOf,
  string,
  time,
} from './dsl.ts';
import { PersistentVolumeClaimSpec, ProbedCondition, TypedLocalObjectReference } from './core.ts';
import { VirtualMachineSpec, VirtualMachineStatus } from './virtual-machine.ts';

export const SnapshotError = object({ message: string, time: time });

/** How far a snapshot is. */
const progressFields = { creationTime: time.nullable, error: SnapshotError, readyToUse: bool };

export const SnapshotVolumes = object({
  excludedVolumes: setOf(string),
  includedVolumes: setOf(string),
});

export const SourceIndication = object({ indication: string.required, message: string.required });

export const VirtualMachineSnapshotSpec = object({
  deletionPolicy: string,
  failureDeadline: string,
  source: TypedLocalObjectReference.required,
});

export const VirtualMachineSnapshotStatus = object({
  ...progressFields,
  conditions: atomic(ProbedCondition),
  indications: setOf(string),
  phase: string,
  snapshotVolumes: SnapshotVolumes,
  sourceIndications: atomic(SourceIndication),
  sourceUID: string,
  virtualMachineSnapshotContentName: string,
});

export const VirtualMachineSnapshot = resource({
  spec: VirtualMachineSnapshotSpec.required,
  status: VirtualMachineSnapshotStatus,
});

export const SnapshotMachine = object({
  metadata: embeddedMetadata,
  spec: VirtualMachineSpec,
  status: VirtualMachineStatus,
});

export const SnapshotSource = object({ virtualMachine: SnapshotMachine });

export const SnapshotClaim = object({
  metadata: openObject,
  spec: PersistentVolumeClaimSpec,
});

export const VolumeBackup = object({
  persistentVolumeClaim: SnapshotClaim.required,
  volumeName: string.required,
  volumeSnapshotName: string,
});

export const VolumeSnapshotState = object({ ...progressFields, volumeSnapshotName: string.required });

export const VirtualMachineSnapshotContentSpec = object({
  source: SnapshotSource.required,
  virtualMachineSnapshotName: string,
  volumeBackups: atomic(VolumeBackup),
});

export const VirtualMachineSnapshotContentStatus = object({
  ...progressFields,
  volumeSnapshotStatus: atomic(VolumeSnapshotState),
});

export const VirtualMachineSnapshotContent = resource({
  spec: VirtualMachineSnapshotContentSpec.required,
  status: VirtualMachineSnapshotContentStatus,
});

export const VolumeRestoreOverride = object({
  annotations: map(string),
  labels: map(string),
  restoreName: string,
  volumeName: string,
});

export const VolumeRestore = object({
  dataVolumeName: string,
  persistentVolumeClaim: string.required,
  volumeName: string.required,
  volumeSnapshotName: string.required,
});

export const VirtualMachineRestoreSpec = object({
  patches: atomic(string),
  target: TypedLocalObjectReference.required,
  targetReadinessPolicy: oneOf('StopTarget', 'WaitGracePeriod', 'FailImmediate', 'WaitEventually').default(
    'WaitGracePeriod',
  ),
  virtualMachineSnapshotName: string.required,
  volumeOwnershipPolicy: string,
  volumeRestoreOverrides: atomic(VolumeRestoreOverride),
  volumeRestorePolicy: string,
});

export const VirtualMachineRestoreStatus = object({
  complete: bool,
  conditions: atomic(ProbedCondition),
  deletedDataVolumes: setOf(string),
  restoreTime: time,
  restores: atomic(VolumeRestore),
});

export const VirtualMachineRestore = resource({
  spec: VirtualMachineRestoreSpec.required,
  status: VirtualMachineRestoreStatus,
});
