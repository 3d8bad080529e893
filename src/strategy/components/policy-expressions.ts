import type { JsonObject } from '../../api/objects.ts';
import { POLICY_TEXTS } from '../texts/policies.ts';
import { APP_LABEL } from './names.ts';

/** One admission policy: what it matches, and the CEL expressions that must hold. */
export interface PolicyFacts {
  /** Stem of the names of policy and binding. */
  name: string;
  failurePolicy: 'Fail' | 'Ignore';
  /** What a binding does when a validation does not hold; default `Deny`. */
  action?: 'Warn';
  resources: JsonObject;
  /** Fields in which the binding's match differs from the policy's. */
  bindingResources?: JsonObject;
  objectLabels?: Record<string, string>;
  matchCondition?: { name: string; expression: string };
  /** Named expressions in order. */
  variables?: Readonly<Record<string, string>>;
  validations: readonly JsonObject[];
}

const forbidden = (expression: string, message: string): JsonObject => ({ expression, message, reason: 'Forbidden' });
const check = (expression: string, message: string): JsonObject => ({ expression, message });

/** Maps of node metadata that virt-handler owns in part. */
const foreign = (object: string, map: string, exempt: string): string =>
  `${object}.metadata.${map}.filter(k, !k.contains("kubevirt.io")${exempt})`;
const NOT_CPU_MANAGER = ' && k != "cpumanager"';

const OTHER_METADATA =
  'filter(k, k != "labels" && k != "annotations" && k != "managedFields" && k != "resourceVersion")';

/** A map of the node: no key added or removed, no value changed, our own keys apart. */
const unchanged = (map: 'Labels' | 'Annotations'): JsonObject[] => [
  forbidden(
    `size(variables.newNonKubevirt${map}) == size(variables.oldNonKubevirt${map})`,
    POLICY_TEXTS.nodeKeys(map.toLowerCase()),
  ),
  forbidden(
    `variables.newNonKubevirt${map}.all(k, k in variables.oldNonKubevirt${map} && variables.new${map}[k] == variables.old${map}[k])`,
    POLICY_TEXTS.nodeValues(map.toLowerCase()),
  ),
];

/** Lets a virt-handler change its own node only, and of that only the metadata that are KubeVirt's (spec/resources.md §7.7). */
export function nodeRestriction(user: string): PolicyFacts {
  return {
    name: 'kubevirt-node-restriction',
    failurePolicy: 'Fail',
    resources: { apiGroups: [''], apiVersions: ['*'], operations: ['UPDATE'], resources: ['nodes'] },
    bindingResources: { operations: ['*'] },
    matchCondition: {
      name: 'virt-handler-user-only',
      expression: `request.userInfo.username == ${JSON.stringify(user)}`,
    },
    variables: {
      oldNonKubevirtLabels: foreign('oldObject', 'labels', NOT_CPU_MANAGER),
      oldLabels: 'oldObject.metadata.labels',
      newNonKubevirtLabels: foreign('object', 'labels', NOT_CPU_MANAGER),
      newLabels: 'object.metadata.labels',
      oldNonKubevirtAnnotations: foreign('oldObject', 'annotations', ''),
      newNonKubevirtAnnotations: foreign('object', 'annotations', ''),
      oldAnnotations: 'oldObject.metadata.annotations',
      newAnnotations: 'object.metadata.annotations',
      requestMatchNode: `object.metadata.name == request.userInfo.extra['authentication.kubernetes.io/node-name'][0]`,
      hasNode: `('authentication.kubernetes.io/node-name' in request.userInfo.extra)`,
    },
    validations: [
      forbidden('variables.hasNode && variables.requestMatchNode', POLICY_TEXTS.nodeOfOther),
      forbidden('object.spec == oldObject.spec', POLICY_TEXTS.nodeSpec),
      forbidden(
        `oldObject.metadata.${OTHER_METADATA}.all(k, k in object.metadata) && ` +
          `object.metadata.${OTHER_METADATA}.all(k, k in oldObject.metadata && oldObject.metadata[k] == object.metadata[k])`,
        POLICY_TEXTS.nodeMetadata,
      ),
      ...unchanged('Labels'),
      ...unchanged('Annotations'),
    ],
  };
}

const PLUGINS: JsonObject = {
  apiGroups: ['plugin.kubevirt.io'],
  apiVersions: ['v1alpha1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['plugins'],
};

const STRATEGIES = "['Fail', 'Ignore']";
const HOOK_POINTS =
  "['PreVMStart', 'PostVMStart', 'PreVMStop', 'PostVMStop', 'PreMigrationSource', 'PostMigrationSource', 'PreMigrationTarget', 'PostMigrationTarget']";

/** All elements of an optional list of the plugin's spec. */
const every = (list: string, item: string, condition: string): string =>
  `!has(object.spec.${list}) || object.spec.${list}.all(${item}, ${condition})`;

/** Refuses plugins that contradict themselves. */
export const pluginValidation: PolicyFacts = {
  name: 'kubevirt-plugin-validation',
  failurePolicy: 'Fail',
  resources: PLUGINS,
  validations: [
    check(every('domainHooks', 'dh', 'has(dh.cel) != has(dh.sidecar)'), POLICY_TEXTS.domainHookForm),
    check(
      every('domainHooks', 'dh', `!has(dh.failureStrategy) || dh.failureStrategy in ${STRATEGIES}`),
      POLICY_TEXTS.domainHookFailure,
    ),
    check(
      every('nodeHooks', 'nh', `!has(nh.failureStrategy) || nh.failureStrategy in ${STRATEGIES}`),
      POLICY_TEXTS.nodeHookFailure,
    ),
    check(every('nodeHooks', 'nh', `nh.permittedHooks.all(p, p in ${HOOK_POINTS})`), POLICY_TEXTS.nodeHookPoint),
    check(
      `!has(object.spec.failureStrategy) || object.spec.failureStrategy in ${STRATEGIES}`,
      POLICY_TEXTS.pluginFailure,
    ),
  ],
};

const isFilled = (list: string): string => `has(object.spec.${list}) && size(object.spec.${list}) > 0`;

/** Warns of plugins that do nothing. */
export const pluginWarning: PolicyFacts = {
  name: 'kubevirt-plugin-warning',
  failurePolicy: 'Ignore',
  action: 'Warn',
  resources: PLUGINS,
  variables: {
    hasDomainHooks: isFilled('domainHooks'),
    hasNodeHooks: isFilled('nodeHooks'),
    hasAdmissionRefs: [
      'mutatingAdmissionPolicies',
      'validatingAdmissionPolicies',
      'mutatingAdmissionWebhooks',
      'validatingAdmissionWebhooks',
    ]
      .map((list) => `(${isFilled(list)})`)
      .join(' || '),
  },
  validations: [
    check(
      'variables.hasDomainHooks || variables.hasNodeHooks || variables.hasAdmissionRefs',
      POLICY_TEXTS.pluginWithoutEffect,
    ),
  ],
};

const SOCKETS = 'vm.name == "kubevirt-plugin-sockets"';

/** Containers that mount the plugin sockets mount a part of them; `indent` is upstream's layout of the expression, kept byte for byte. */
const mountsSubPath = (list: string, indent: string, exempt: string): string =>
  `object.spec.${list}.all(c,\n${exempt}${indent}!c.volumeMounts.exists(vm, ${SOCKETS}) ||\n` +
  `${indent}c.volumeMounts.filter(vm, ${SOCKETS})\n${indent}    .all(vm, has(vm.subPath) && vm.subPath != ""))`;

const optionalMountsSubPath = (list: string): string =>
  `!has(object.spec.${list}) ||\n    ${mountsSubPath(list, '        ', '')}`;

/** Keeps the sidecars of a VM's pod out of each other's plugin sockets. */
export const pluginSidecarSubpath: PolicyFacts = {
  name: 'kubevirt-plugin-sidecar-subpath',
  failurePolicy: 'Fail',
  resources: {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'pods/ephemeralcontainers'],
  },
  objectLabels: { [APP_LABEL]: 'virt-launcher' },
  variables: {
    containersHaveSubPath: mountsSubPath('containers', '    ', '    c.name == "compute" ||\n'),
    initContainersHaveSubPath: optionalMountsSubPath('initContainers'),
    ephemeralContainersHaveSubPath: optionalMountsSubPath('ephemeralContainers'),
  },
  validations: [
    check(
      'variables.containersHaveSubPath && variables.initContainersHaveSubPath && variables.ephemeralContainersHaveSubPath',
      POLICY_TEXTS.sidecarSubpath,
    ),
  ],
};

/** A condition on the socket path of every sidecar hook, in upstream's layout. */
const socketPath = (condition: string): string =>
  `!has(object.spec.domainHooks) ||\n\tobject.spec.domainHooks.all(dh,\n\t    !has(dh.sidecar) ||${condition})`;

/** Sockets of plugins lie below the plugin's own directory and fit into a socket address. */
export const pluginSocketPath: PolicyFacts = {
  name: 'kubevirt-plugin-socket-path',
  failurePolicy: 'Fail',
  resources: PLUGINS,
  validations: [
    check(socketPath(' dh.sidecar.socketPath.endsWith(".sock")'), POLICY_TEXTS.socketEnding),
    check(socketPath(' size(dh.sidecar.socketPath) <= 108'), POLICY_TEXTS.socketLength),
    check(
      socketPath(
        '\n\t    dh.sidecar.socketPath.startsWith(\n\t        "/var/run/kubevirt-plugin/" + object.metadata.name + "/")',
      ),
      POLICY_TEXTS.socketPlace,
    ),
  ],
};
