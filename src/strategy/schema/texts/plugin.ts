import type * as schemas from '../plugin.ts';
import type { TextsOf } from './table.ts';

const condition = 'CEL expression that says which machines this holds for; all when left out.';
const failureStrategy = 'What a failure does to the machine.';
const timeout = 'Time that an answer may take.';

/** Descriptions of `plugin.ts`. */
export const pluginTexts: TextsOf<typeof schemas> = {
  CELHook: { expression: 'CEL expression that gives the changed domain.' },
  SidecarHook: { socketPath: 'Socket of the container that changes the domain.' },
  DomainHook: {
    $: 'A place at which the definition of the machine is changed before it starts.',
    cel: 'Changes it by an expression.',
    condition,
    failureStrategy,
    sidecar: 'Changes it by a container beside the machine.',
    timeout,
  },
  NodeHook: {
    $: 'A service on the nodes that is called around the life of a machine.',
    condition,
    failureStrategy,
    permittedHooks: 'Moments at which it is called.',
    socket: 'Socket of the service on the node.',
    timeout,
  },
  AdmissionReference: { $: 'An admission object that belongs to the plugin.', name: 'Name of the object.' },
  PluginSpec: {
    condition,
    domainHooks: 'Changes to the definition of machines.',
    failureStrategy,
    mutatingAdmissionPolicies: 'MutatingAdmissionPolicies of the plugin.',
    mutatingAdmissionWebhooks: 'MutatingWebhookConfigurations of the plugin.',
    nodeHooks: 'Services on the nodes.',
    validatingAdmissionPolicies: 'ValidatingAdmissionPolicies of the plugin.',
    validatingAdmissionWebhooks: 'ValidatingWebhookConfigurations of the plugin.',
  },
  Plugin: {
    $: 'An extension of how virtual machines are run.',
    spec: 'What the extension does, and for which machines.',
    status: 'Not used.',
  },
};
