import type * as schemas from '../template.ts';
import type { TextsOf } from './table.ts';

const conditions = 'Aspects of the state, one by one.';

/** Descriptions of `template.ts`. */
export const templateTexts: TextsOf<typeof schemas> = {
  MachineReference: { name: 'Name of the machine.', namespace: 'Namespace of the machine.' },
  TemplateRequestSpec: {
    templateLabels: 'Labels of the template.',
    templateName: 'Name of the template; that of the request when left out.',
    ttlSecondsAfterFinished: 'Seconds after which the finished request is deleted.',
    virtualMachineRef: 'Virtual machine that the template is made from.',
  },
  TemplateRequestStatus: { conditions, templateRef: 'Template that was made.' },
  VirtualMachineTemplateRequest: {
    $: 'Asks for a template to be made from a virtual machine.',
    spec: 'The template that is wanted; it cannot be changed.',
    status: 'How far it is.',
  },
  TemplateParameter: {
    $: 'A value that whoever uses the template can give.',
    description: 'Explanation for people.',
    displayName: 'Name for people.',
    from: 'Pattern from which a value is made up, for example [a-z0-9]{8}.',
    generate: 'expression makes a value up when none is given.',
    name: 'Name of the parameter; ${NAME} in the machine stands for its value.',
    required: 'Whether a value must be given.',
    value: 'Value when none is given.',
  },
  TemplateSpec: {
    message: 'What users are told once a machine is made.',
    parameters: 'Values that whoever uses the template can give.',
    virtualMachine: 'The machine that is made, with its parameters.',
  },
  TemplateStatus: { conditions },
  VirtualMachineTemplate: {
    $: 'A virtual machine to be made any number of times, with parameters.',
    spec: 'The machine and its parameters.',
    status: 'Whether it can be used.',
  },
};
