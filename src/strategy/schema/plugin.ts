/** Plugins of virtual machines (plugin.kubevirt.io). */
import { anyObject, atomic, object, resource, string } from './dsl.ts';

export const CELHook = object({ expression: string.with({ minLength: 1 }).required });

export const SidecarHook = object({ socketPath: string.with({ minLength: 1 }).required });

export const DomainHook = object({
  cel: CELHook,
  condition: string,
  failureStrategy: string,
  sidecar: SidecarHook,
  timeout: string,
});

export const NodeHook = object({
  condition: string,
  failureStrategy: string,
  permittedHooks: atomic(string).with({ minItems: 1 }).required,
  socket: string.with({ minLength: 1 }).required,
  timeout: string,
});

export const AdmissionReference = object({ name: string.with({ minLength: 1 }).required });

export const PluginSpec = object({
  condition: string,
  domainHooks: atomic(DomainHook),
  failureStrategy: string,
  mutatingAdmissionPolicies: atomic(AdmissionReference),
  mutatingAdmissionWebhooks: atomic(AdmissionReference),
  nodeHooks: atomic(NodeHook),
  validatingAdmissionPolicies: atomic(AdmissionReference),
  validatingAdmissionWebhooks: atomic(AdmissionReference),
});

export const Plugin = resource({ spec: PluginSpec.required, status: anyObject });
