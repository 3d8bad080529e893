/** Templates of virtual machines and requests to make one (template.kubevirt.io). */
import { bool, int32, keyed, list, map, object, oneOf, openObject, resource, string } from './dsl.ts';
import { Condition, LocalObjectReference } from './core.ts';

export const MachineReference = object({ name: string.required, namespace: string.required });

export const TemplateRequestSpec = object({
  templateLabels: map(string).rules([
    "self.all(k, !k.startsWith('template.kubevirt.io/'))",
    'labels under template.kubevirt.io/ are reserved',
  ]),
  templateName: string,
  ttlSecondsAfterFinished: int32.with({ minimum: 0 }),
  virtualMachineRef: MachineReference.required,
}).rules(['self == oldSelf', 'the spec cannot be changed']);

export const TemplateRequestStatus = object({
  conditions: keyed(['type'], Condition),
  templateRef: LocalObjectReference,
});

export const VirtualMachineTemplateRequest = resource({
  spec: TemplateRequestSpec.required,
  status: TemplateRequestStatus,
});

export const TemplateParameter = object({
  description: string,
  displayName: string,
  from: string.with({ pattern: '\\[([a-zA-Z0-9\\-\\\\]+)\\](\\{(\\w+)\\})' }),
  generate: oneOf('expression'),
  name: string.required,
  required: bool,
  value: string,
});

export const TemplateSpec = object({
  message: string,
  parameters: list(TemplateParameter),
  virtualMachine: openObject.required,
});

export const TemplateStatus = object({ conditions: keyed(['type'], Condition) });

export const VirtualMachineTemplate = resource({
  spec: TemplateSpec.required,
  status: TemplateStatus,
});
