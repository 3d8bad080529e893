/** What an admission policy answers when it refuses, or warns of, an object. */
export const POLICY_TEXTS = {
  nodeOfOther: 'virt-handler may change only the node it runs on',
  nodeSpec: 'virt-handler may not change the spec of its node',
  nodeMetadata: 'virt-handler may change only labels and annotations in the metadata of its node',
  nodeKeys: (map: string) => `virt-handler may add or remove only kubevirt.io ${map} of its node`,
  nodeValues: (map: string) => `virt-handler may change only kubevirt.io ${map} of its node`,
  domainHookForm: 'a domain hook has either cel or sidecar',
  domainHookFailure: 'failureStrategy of a domain hook is Fail or Ignore',
  nodeHookFailure: 'failureStrategy of a node hook is Fail or Ignore',
  nodeHookPoint: 'permittedHooks of a node hook names a hook point that does not exist',
  pluginFailure: 'failureStrategy is Fail or Ignore',
  pluginWithoutEffect: 'the plugin has neither hooks nor admission references: it does nothing',
  sidecarSubpath:
    'a container that mounts the volume kubevirt-plugin-sockets must set subPath, the compute container apart',
  socketEnding: 'socketPath of a sidecar must end in .sock',
  socketLength: 'socketPath of a sidecar must not exceed 108 characters',
  socketPlace: 'socketPath of a sidecar must lie below /var/run/kubevirt-plugin/ and the name of the plugin',
} as const;

/** The same as CEL expressions, which name the namespaces of a template request. */
export const TEMPLATE_POLICY_TEXTS = {
  source:
    "'a template of ' + variables.sourceNS + '/' + variables.sourceVM + ' needs the right to create virtualmachinetemplaterequests/source there'",
  target: (kind: string) => `'a template in ' + variables.targetNS + ' needs the right to create ${kind} there'`,
} as const;
