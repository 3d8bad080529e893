import type * as schemas from '../virtual-machine.ts';
import type { TextsOf } from './table.ts';

const inferred = {
  inferFromVolume: 'Volume whose labels name it.',
  inferFromVolumeFailurePolicy: 'What a volume without the labels does: Reject (the default) or Ignore.',
};
const revisionName = 'ControllerRevision that keeps it as it was when the machine was made.';
const dryRun = 'All tries the change out without keeping it.';

/** Descriptions of `virtual-machine.ts`. */
export const virtualMachineTexts: TextsOf<typeof schemas> = {
  InstancetypeMatcher: {
    ...inferred,
    kind: 'VirtualMachineInstancetype or VirtualMachineClusterInstancetype (the default).',
    name: 'Name of the instance type.',
    revisionName,
  },
  PreferenceMatcher: {
    ...inferred,
    kind: 'VirtualMachinePreference or VirtualMachineClusterPreference (the default).',
    name: 'Name of the preference.',
    revisionName,
  },
  VirtualMachineSpec: {
    dataVolumeTemplates: 'DataVolumes that are made along with the machine and deleted with it.',
    instancetype: 'Size of the machine, from an instance type.',
    preference: 'Devices and settings that the guest works best with, from a preference.',
    runStrategy:
      'When the machine runs: Always, RerunOnFailure, Once, Manual, Halted or WaitAsReceiver. Instead of running.',
    running: 'Deprecated: true runs the machine always, false never. Use runStrategy.',
    template: 'The machine as it is wanted.',
    updateVolumesStrategy:
      'What a changed list of volumes does: Migration moves the content, Replacement waits for a restart.',
  },
  ControllerRevisionRef: { name: 'The ControllerRevision, by its name.' },
  InstancetypeStatusRef: {
    controllerRevisionRef: revisionName,
    ...inferred,
    kind: 'Kind that is used.',
    name: 'Name that is used.',
  },
  MemoryDumpRequest: {
    claimName: 'Claim that the memory is written to.',
    endTimestamp: 'When the dump was done.',
    fileName: 'File that the memory is written to.',
    message: 'Why the dump failed, for people.',
    phase: 'How far the dump is: Associating, InProgress, Unmounting, Completed, Dissociating or Failed.',
    remove: 'Whether the claim is to be detached.',
    startTimestamp: 'When the dump began.',
  },
  StartFailure: {
    consecutiveFailCount: 'Failed starts in a row.',
    lastFailedVMIUID: 'UID of the instance that failed last.',
    retryAfterTimestamp: 'When the next start is tried.',
  },
  StateChangeRequest: {
    $: 'A start or stop that is asked for.',
    action: 'Start or Stop.',
    data: 'Details of the action.',
    uid: 'UID of the instance that is to stop.',
  },
  AddVolumeOptions: {
    disk: 'Disk that shows the volume to the guest.',
    dryRun,
    name: 'Name of disk and volume.',
    volumeSource: 'Content of the volume.',
  },
  RemoveVolumeOptions: { dryRun, name: 'Name of the volume.' },
  VolumeRequest: {
    $: 'A volume that is to be added or removed.',
    addVolumeOptions: 'The volume to add.',
    removeVolumeOptions: 'The volume to remove.',
  },
  VolumeSnapshotStatus: {
    $: 'Whether one volume can be part of a snapshot.',
    enabled: 'Whether it can.',
    name: 'Name of the volume.',
    reason: 'Why it cannot.',
  },
  VolumeMigrationState: { migratedVolumes: 'Volumes whose content moves.' },
  VolumeUpdateState: { volumeMigrationState: 'Volumes whose content moves to other claims.' },
  VirtualMachineStatus: {
    changedBlockTracking: 'Whether changed blocks are tracked, and the backup that runs.',
    conditions: 'Aspects of the state, one by one.',
    created: 'Whether an instance exists.',
    desiredGeneration: 'Generation of the spec that is wanted.',
    instancetypeRef: 'Instance type that is used, and its revision.',
    memoryDumpRequest: 'The last or running memory dump.',
    observedGeneration: 'Generation of the spec that the instance was made from.',
    preferenceRef: 'Preference that is used, and its revision.',
    printableStatus: 'What the machine is doing, in a word: Stopped, Starting, Running, Paused, Migrating and others.',
    ready: 'Whether the instance runs and is ready.',
    restoreInProgress: 'VirtualMachineRestore that is at work.',
    runStrategy: 'The run strategy that is in force.',
    snapshotInProgress: 'VirtualMachineSnapshot that is at work.',
    startFailure: 'Failed starts; the next one waits the longer, the more there were.',
    stateChangeRequests: 'Starts and stops that are asked for, in their order.',
    volumeRequests: 'Volumes that are to be added or removed, in their order.',
    volumeSnapshotStatuses: 'Which volumes can be part of a snapshot.',
    volumeUpdateState: 'What a changed list of volumes has set off.',
  },
  VirtualMachine: {
    $: 'A virtual machine that can be started and stopped; while it runs, there is a VirtualMachineInstance of the same name.',
    spec: 'The machine as it is wanted.',
    status: 'The machine as it was found.',
  },
};
