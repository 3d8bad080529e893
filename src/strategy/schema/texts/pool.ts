import type * as schemas from '../pool.ts';
import type { TextsOf } from './table.ts';

const selectionPolicy = 'Which machines come first.';
const statePreservation =
  'What becomes of the volumes: Disabled deletes them, Offline keeps them, Online keeps the memory too.';
const unmanaged = 'The pool leaves it to others.';

/** Descriptions of `pool.ts`. */
export const poolTexts: TextsOf<typeof schemas> = {
  Autohealing: {
    minFailingToStartDuration: 'Time that a machine must have failed to start before it is replaced.',
    startUpFailureThreshold: 'Failed starts in a row after which a machine is replaced.',
  },
  NameGeneration: {
    appendIndexToConfigMapRefs: 'Appends the number of the machine to the ConfigMaps it refers to.',
    appendIndexToSecretRefs: 'Appends the number of the machine to the Secrets it refers to.',
  },
  PoolSelectors: {
    labelSelector: 'Machines with certain labels.',
    nodeSelectorRequirementMatcher: 'Machines on certain nodes.',
  },
  SelectionPolicy: {
    selectors: 'Machines that come before all others.',
    sortPolicy: 'Order of the rest: AscendingOrder or DescendingOrder of numbers, Newest, Oldest or Random.',
  },
  OpportunisticScaleIn: { statePreservation },
  ProactiveScaleIn: { selectionPolicy, statePreservation },
  ScaleInStrategy: {
    opportunistic: 'Takes machines away that are stopped anyway.',
    proactive: 'Takes machines away, running ones too.',
    unmanaged,
  },
  ProactiveUpdate: { selectionPolicy },
  UpdateStrategy: {
    opportunistic: 'Machines take over a changed template when they restart.',
    proactive: 'Machines are restarted for a changed template.',
    unmanaged,
  },
  VirtualMachineTemplateSpec: {
    metadata: 'Labels and annotations of the machines that are made.',
    spec: 'The machines that are made.',
  },
  VirtualMachinePoolSpec: {
    autohealing: 'Replaces machines that fail to start.',
    maxUnavailable: 'Machines that may be out of service at a time, as a number or a percentage.',
    nameGeneration: 'How names within the machines are told apart.',
    paused: 'Stops making, changing and deleting machines.',
    replicas: 'Number of machines, by default 1.',
    scaleInStrategy: 'How machines are taken away.',
    selector: 'Machines that are counted; it must fit the labels of the template.',
    updateStrategy: 'How a changed template reaches the machines.',
    virtualMachineTemplate: 'The machines that are made.',
  },
  VirtualMachinePoolStatus: {
    conditions: 'Aspects of the state, one by one.',
    labelSelector: 'The selector as text, for autoscalers.',
    readyReplicas: 'Machines that are ready.',
    replicas: 'Machines that there are.',
  },
  VirtualMachinePool: {
    $: 'A number of equal virtual machines with state of their own.',
    spec: 'The machines that are wanted.',
    status: 'The machines that there are.',
  },
};
