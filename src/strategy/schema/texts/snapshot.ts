import type * as schemas from '../snapshot.ts';
import type { TextsOf } from './table.ts';

const conditions = 'Aspects of the state, one by one.';
const error = 'The last error, if there was one.';
const creationTime = 'When the snapshot was taken.';
const readyToUse = 'Whether it can be restored.';
const volumeName = 'Name of the volume in the machine.';
const volumeSnapshotName = 'VolumeSnapshot with the content.';

/** Descriptions of `snapshot.ts`. */
export const snapshotTexts: TextsOf<typeof schemas> = {
  SnapshotError: { message: 'What went wrong.', time: 'When it went wrong.' },
  SnapshotVolumes: {
    excludedVolumes: 'Volumes that are left out.',
    includedVolumes: 'Volumes that are part of the snapshot.',
  },
  SourceIndication: {
    $: 'A circumstance of the snapshot.',
    indication: 'The circumstance in a word: Online, GuestAgent, NoGuestAgent, QuiesceFailed, Paused and others.',
    message: 'Explanation for people.',
  },
  VirtualMachineSnapshotSpec: {
    deletionPolicy: 'What becomes of the content when the snapshot is deleted: Delete (the default) or Retain.',
    failureDeadline: 'Time after which the snapshot is given up, by default 5m; 0 for never.',
    source: 'The virtual machine.',
  },
  VirtualMachineSnapshotStatus: {
    conditions,
    creationTime,
    error,
    indications: 'Deprecated: circumstances of the snapshot. See sourceIndications.',
    phase: 'InProgress, Succeeded, Failed, Deleting or Unknown.',
    readyToUse,
    snapshotVolumes: 'Volumes that are part of the snapshot, and those that are not.',
    sourceIndications: 'Circumstances of the snapshot: how well its content fits together.',
    sourceUID: 'UID of the virtual machine.',
    virtualMachineSnapshotContentName: 'VirtualMachineSnapshotContent with the content.',
  },
  VirtualMachineSnapshot: {
    $: 'A snapshot of a virtual machine: its configuration and its volumes.',
    spec: 'The snapshot that is wanted.',
    status: 'How far it is.',
  },
  SnapshotMachine: {
    metadata: 'Metadata of the machine at that time.',
    spec: 'Configuration of the machine at that time.',
    status: 'State of the machine at that time.',
  },
  SnapshotSource: { virtualMachine: 'The virtual machine as it was.' },
  SnapshotClaim: {
    metadata: 'Metadata of the claim at that time.',
    spec: 'The claim at that time.',
  },
  VolumeBackup: {
    $: 'One volume and the snapshot of it.',
    persistentVolumeClaim: 'The claim as it was.',
    volumeName,
    volumeSnapshotName,
  },
  VolumeSnapshotState: {
    $: 'State of the snapshot of one volume.',
    creationTime,
    error,
    readyToUse,
    volumeSnapshotName,
  },
  VirtualMachineSnapshotContentSpec: {
    source: 'What the snapshot was taken of.',
    virtualMachineSnapshotName: 'VirtualMachineSnapshot that this belongs to.',
    volumeBackups: 'Volumes and the snapshots of them.',
  },
  VirtualMachineSnapshotContentStatus: {
    creationTime,
    error,
    readyToUse,
    volumeSnapshotStatus: 'State of the snapshots of the volumes.',
  },
  VirtualMachineSnapshotContent: {
    $: 'The content of a snapshot: the machine as it was, and the snapshots of its volumes.',
    spec: 'The content.',
    status: 'How far it is.',
  },
  VolumeRestoreOverride: {
    $: 'Changes to the claim that a volume is restored to.',
    annotations: 'Annotations of the claim.',
    labels: 'Labels of the claim.',
    restoreName: 'Name of the claim.',
    volumeName,
  },
  VolumeRestore: {
    $: 'One volume that is restored.',
    dataVolumeName: 'DataVolume that takes over the claim.',
    persistentVolumeClaim: 'Claim that is made.',
    volumeName,
    volumeSnapshotName,
  },
  VirtualMachineRestoreSpec: {
    patches: 'JSON patches to the machine that is made, for another target than the source.',
    target: 'The virtual machine that is restored, or made.',
    targetReadinessPolicy:
      'What a target that runs does: StopTarget, WaitGracePeriod (the default), FailImmediate or WaitEventually.',
    virtualMachineSnapshotName: 'Snapshot to restore, in the same namespace.',
    volumeOwnershipPolicy: 'Who owns the claims: Vm (the default) or None.',
    volumeRestoreOverrides: 'Changes to the claims that volumes are restored to.',
    volumeRestorePolicy: 'How claims are named: RandomizeNames (the default), InPlace or PrefixTargetName.',
  },
  VirtualMachineRestoreStatus: {
    complete: 'Whether all is restored.',
    conditions,
    deletedDataVolumes: 'DataVolumes that the restoration deleted.',
    restoreTime: 'When all was restored.',
    restores: 'Volumes that are restored.',
  },
  VirtualMachineRestore: {
    $: 'One restoration of a virtual machine from a snapshot.',
    spec: 'What is restored to what.',
    status: 'How far it is.',
  },
};
