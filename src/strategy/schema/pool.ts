/** Pools of equal virtual machines (pool.kubevirt.io). */
import {
  anyObject,
  atomic,
  bool,
  embeddedMetadata,
  int32,
  intOrString,
  list,
  object,
  oneOf,
  resource,
  string,
} from './dsl.ts';
import { LabelSelector, NodeSelectorRequirement, ProbedCondition } from './core.ts';
import { VirtualMachineSpec } from './virtual-machine.ts';

export const Autohealing = object({
  minFailingToStartDuration: string,
  startUpFailureThreshold: int32.with({ minimum: 1 }),
});

export const NameGeneration = object({
  appendIndexToConfigMapRefs: bool,
  appendIndexToSecretRefs: bool,
});

export const PoolSelectors = object({
  labelSelector: LabelSelector,
  nodeSelectorRequirementMatcher: list(NodeSelectorRequirement),
});

export const SelectionPolicy = object({
  selectors: PoolSelectors,
  sortPolicy: oneOf('AscendingOrder', 'DescendingOrder', 'Newest', 'Oldest', 'Random'),
});

const StatePreservation = oneOf('Disabled', 'Offline', 'Online');

export const OpportunisticScaleIn = object({ statePreservation: StatePreservation });

export const ProactiveScaleIn = object({
  selectionPolicy: SelectionPolicy,
  statePreservation: StatePreservation,
});

export const ScaleInStrategy = object({
  opportunistic: OpportunisticScaleIn,
  proactive: ProactiveScaleIn,
  unmanaged: anyObject,
});

export const ProactiveUpdate = object({ selectionPolicy: SelectionPolicy });

export const UpdateStrategy = object({
  opportunistic: anyObject,
  proactive: ProactiveUpdate,
  unmanaged: anyObject,
});

export const VirtualMachineTemplateSpec = object({
  metadata: embeddedMetadata,
  spec: VirtualMachineSpec,
});

export const VirtualMachinePoolSpec = object({
  autohealing: Autohealing,
  maxUnavailable: intOrString,
  nameGeneration: NameGeneration,
  paused: bool,
  replicas: int32.with({ minimum: 0 }),
  scaleInStrategy: ScaleInStrategy,
  selector: LabelSelector.required,
  updateStrategy: UpdateStrategy,
  virtualMachineTemplate: VirtualMachineTemplateSpec.required,
});

export const VirtualMachinePoolStatus = object({
  conditions: atomic(ProbedCondition),
  labelSelector: string,
  readyReplicas: int32,
  replicas: int32,
});

export const VirtualMachinePool = resource({
  spec: VirtualMachinePoolSpec.required,
  status: VirtualMachinePoolStatus,
});
