import type * as schemas from '../clone.ts';
import type { TextsOf } from './table.ts';

/** Descriptions of `clone.ts`. */
export const cloneTexts: TextsOf<typeof schemas> = {
  CloneTemplateFilters: {
    annotationFilters: 'Annotations of the template that are taken over; * stands for anything, ! leaves out.',
    labelFilters: 'Labels of the template that are taken over; * stands for anything, ! leaves out.',
  },
  VirtualMachineCloneSpec: {
    annotationFilters: 'Annotations that are taken over; * stands for anything, ! leaves out.',
    labelFilters: 'Labels that are taken over; * stands for anything, ! leaves out.',
    newMacAddresses: 'MAC addresses of the clone, by interface; made up for the others.',
    newSMBiosSerial: 'Serial number of the clone; made up when left out.',
    patches: 'JSON patches to the clone.',
    source: 'Virtual machine or snapshot that is cloned.',
    target: 'Virtual machine that is made; its name is made up when left out.',
    template: 'Labels and annotations of the template that are taken over.',
    volumeNamePolicy: 'How claims are named: RandomizeNames or PrefixTargetName.',
  },
  VirtualMachineCloneStatus: {
    conditions: 'Aspects of the state, one by one.',
    creationTime: 'When the clone was made.',
    phase: 'How far it is: SnapshotInProgress, CreatingTargetVM, RestoreInProgress, Succeeded, Failed or Unknown.',
    restoreName: 'VirtualMachineRestore that is at work.',
    snapshotName: 'VirtualMachineSnapshot that is at work.',
    targetName: 'Name of the clone.',
  },
  VirtualMachineClone: {
    $: 'One clone of a virtual machine.',
    spec: 'What is cloned to what.',
    status: 'How far it is.',
  },
};
