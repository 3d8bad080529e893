import type * as schemas from '../backup.ts';
import type { TextsOf } from './table.ts';

/** Descriptions of `backup.ts`. */
export const backupTexts: TextsOf<typeof schemas> = {
  BackupVolumeInfo: {
    $: 'One volume of the backup.',
    dataEndpoint: 'Address at which its content can be read, in mode Pull.',
    diskTarget: 'Name of the device in the guest.',
    mapEndpoint: 'Address at which the map of changed blocks can be read, in mode Pull.',
    volumeName: 'Name of the volume in the machine.',
  },
  BackupStatus: {
    backupMsg: 'Explanation for people.',
    backupName: 'VirtualMachineBackup that is at work.',
    checkpointName: 'Checkpoint that the backup makes.',
    completed: 'Whether the backup is over.',
    endTimestamp: 'When the backup ended.',
    failed: 'Whether the backup failed.',
    quiesceStatus: 'Whether the file systems of the guest were frozen for it.',
    startTimestamp: 'When the backup began.',
    volumes: 'Volumes of the backup.',
  },
  ChangedBlockTrackingStatus: {
    backupStatus: 'The backup that runs.',
    state: 'Whether changed blocks are tracked.',
  },
  BackupSource: {
    apiGroup: 'kubevirt.io or backup.kubevirt.io.',
    kind: 'VirtualMachine for a full backup, VirtualMachineBackupTracker for incremental ones.',
    name: 'Name of the source.',
  },
  VirtualMachineBackupSpec: {
    forceFullBackup: 'Copies everything, even where a checkpoint would allow less.',
    mode: 'Push (the default) writes to a claim, Pull lets a client read.',
    pvcName: 'Claim that the backup is written to, or that holds scratch data in mode Pull.',
    skipQuiesce: 'Does not freeze the file systems of the guest.',
    source: 'What is backed up.',
    tokenSecretRef: 'Secret with the token that a reading client shows; needed in mode Pull.',
    ttlDuration: 'Time after which a backup of mode Pull ends.',
  },
  VirtualMachineBackupStatus: {
    checkpointName: 'Checkpoint that the backup made.',
    conditions: 'Aspects of the state, one by one.',
    endpointCert: 'Certificate authority of the addresses, PEM.',
    exportUID: 'UID of the export that serves the addresses.',
    includedVolumes: 'Volumes of the backup.',
    type: 'Full or Incremental.',
  },
  VirtualMachineBackup: {
    $: 'One backup of a running virtual machine.',
    spec: 'The backup that is wanted; it cannot be changed.',
    status: 'How far it is.',
  },
  TrackedSource: {
    apiGroup: 'kubevirt.io.',
    kind: 'VirtualMachine.',
    name: 'Name of the machine.',
  },
  VirtualMachineBackupTrackerSpec: { source: 'Machine whose backups build on each other.' },
  BackupCheckpoint: {
    creationTime: 'When the checkpoint was made.',
    name: 'Name of the checkpoint.',
    volumes: 'Volumes that the checkpoint covers.',
  },
  VirtualMachineBackupTrackerStatus: {
    checkpointRedefinitionRequired: 'Whether the checkpoint has to be told to the hypervisor again, after a restart.',
    latestCheckpoint: 'Checkpoint that the next incremental backup starts from.',
  },
  VirtualMachineBackupTracker: {
    $: 'The chain of incremental backups of one virtual machine.',
    spec: 'The machine; it cannot be changed.',
    status: 'The newest checkpoint.',
  },
};
