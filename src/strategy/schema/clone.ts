/** Clones of virtual machines (clone.kubevirt.io). */
import { atomic, map, object, oneOf, resource, string, time } from './dsl.ts';
import { ProbedCondition, TypedLocalObjectReference } from './core.ts';

export const CloneTemplateFilters = object({
  annotationFilters: atomic(string),
  labelFilters: atomic(string),
});

export const VirtualMachineCloneSpec = object({
  annotationFilters: atomic(string),
  labelFilters: atomic(string),
  newMacAddresses: map(string),
  newSMBiosSerial: string,
  patches: atomic(string),
  source: TypedLocalObjectReference.required,
  target: TypedLocalObjectReference,
  template: CloneTemplateFilters,
  volumeNamePolicy: oneOf('RandomizeNames', 'PrefixTargetName'),
});

export const VirtualMachineCloneStatus = object({
  conditions: atomic(ProbedCondition),
  creationTime: time.nullable,
  phase: string,
  restoreName: string.nullable,
  snapshotName: string.nullable,
  targetName: string.nullable,
});

export const VirtualMachineClone = resource({
  spec: VirtualMachineCloneSpec.required,
  status: VirtualMachineCloneStatus,
});
