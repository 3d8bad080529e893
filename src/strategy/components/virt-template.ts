import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { hasSwitch } from '../target-properties.ts';
import { TEMPLATE_POLICY_TEXTS } from '../texts/policies.ts';
import type { GenerateInput } from '../types.ts';
import { bareMeta, podSelector, TEMPLATE_GROUP, TEMPLATE_SERVICES, templateMeta } from './virt-template-object.ts';
import { buildTemplateRbac } from './virt-template-rbac.ts';
import { buildTemplateDeployments } from './virt-template-workloads.ts';

const VERSIONS = ['v1alpha1', 'v1beta1'] as const;
const POLICY = 'virt-template-vmtr-authz';

/**
 * The objects of virt-template but its CRDs and Secrets, in an order that within each kind is upstream's; none unless the target asks for virt-template
 * (spec/resources.md §7.9).
 */
export function buildVirtTemplate({ target }: GenerateInput): KubernetesObject[] {
  if (!hasSwitch(target, 'VirtTemplateDeploymentEnabled')) return [];
  const { namespace } = target;
  return [
    ...buildTemplateRbac(namespace),
    ...services(namespace),
    webhooks(namespace),
    objectOf('ValidatingAdmissionPolicyBinding', templateMeta(POLICY), {
      spec: { policyName: POLICY, validationActions: ['Deny'] },
    }),
    requestPolicy(),
    ...apiServices(namespace),
    ...buildTemplateDeployments(target),
  ];
}

function services(namespace: string): KubernetesObject[] {
  const { api, metrics, webhook } = TEMPLATE_SERVICES;
  const apiPods = podSelector('apiserver');
  const controllerPods = podSelector('controller-manager');
  return [
    objectOf('Service', templateMeta(api, { namespace }), { spec: serviceSpec(apiPods, 'http-api', 443) }),
    objectOf('Service', templateMeta(metrics, { namespace, labels: { 'control-plane': 'controller-manager' } }), {
      spec: serviceSpec(controllerPods, 'http-metrics', 8443),
    }),
    objectOf('Service', templateMeta(webhook, { namespace }), {
      spec: serviceSpec(controllerPods, 'http-webhook', 443),
    }),
  ];
}

function serviceSpec(selector: Record<string, string>, name: string, port: number): JsonObject {
  return {
    ipFamilyPolicy: 'PreferDualStack',
    selector,
    ports: [{ name, port, protocol: 'TCP', targetPort: name }],
  };
}

function webhooks(namespace: string): KubernetesObject {
  return objectOf('ValidatingWebhookConfiguration', bareMeta('virt-template-validating-webhook-configuration'), {
    webhooks: VERSIONS.map((version) => ({
      name: `vvirtualmachinetemplate-${version}.kb.io`,
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      clientConfig: {
        service: {
          name: TEMPLATE_SERVICES.webhook,
          namespace,
          path: `/validate-template-kubevirt-io-${version}-virtualmachinetemplate`,
        },
      },
      rules: [
        {
          apiGroups: [TEMPLATE_GROUP],
          apiVersions: [version],
          operations: ['CREATE', 'UPDATE'],
          resources: ['virtualmachinetemplates'],
        },
      ],
    })),
  });
}

const validation = (expression: string, messageExpression: string): JsonObject => ({
  expression,
  reason: 'Forbidden',
  messageExpression,
});

/** Somebody who asks for a template of a machine must be allowed to make what the controller makes in their name. */
function requestPolicy(): KubernetesObject {
  const mayCreate = (group: string, resource: string): string =>
    `authorizer.group('${group}').resource('${resource}').namespace(variables.targetNS).check('create').allowed()`;
  const maySource = `authorizer.group('${TEMPLATE_GROUP}').resource('virtualmachinetemplaterequests').subresource('source').namespace(variables.sourceNS).name(variables.sourceVM).check('create').allowed()`;
  return objectOf('ValidatingAdmissionPolicy', templateMeta(POLICY), {
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [TEMPLATE_GROUP],
            apiVersions: [...VERSIONS],
            operations: ['CREATE'],
            resources: ['virtualmachinetemplaterequests'],
          },
        ],
      },
      variables: [
        { name: 'sourceNS', expression: 'object.spec.virtualMachineRef.namespace' },
        { name: 'sourceVM', expression: 'object.spec.virtualMachineRef.name' },
        { name: 'targetNS', expression: 'object.metadata.namespace' },
      ],
      validations: [
        validation(`variables.sourceNS == variables.targetNS || ${maySource}`, TEMPLATE_POLICY_TEXTS.source),
        validation(mayCreate('cdi.kubevirt.io', 'datavolumes'), TEMPLATE_POLICY_TEXTS.target('DataVolumes')),
        validation(
          mayCreate(TEMPLATE_GROUP, 'virtualmachinetemplates'),
          TEMPLATE_POLICY_TEXTS.target('VirtualMachineTemplates'),
        ),
      ],
    },
  });
}

function apiServices(namespace: string): KubernetesObject[] {
  const group = `subresources.${TEMPLATE_GROUP}`;
  const priorities = { v1alpha1: 15, v1beta1: 10 };
  return VERSIONS.map((version) =>
    objectOf('APIService', templateMeta(`${version}.${group}`, { app: 'virt-template-apiserver-aggregator' }), {
      spec: {
        group,
        version,
        service: { name: TEMPLATE_SERVICES.api, namespace },
        groupPriorityMinimum: 1000,
        versionPriority: priorities[version],
      },
    }),
  );
}
