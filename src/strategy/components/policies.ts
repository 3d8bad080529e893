import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { hasSwitch } from '../target-properties.ts';
import type { GenerateInput } from '../types.ts';
import { ACCOUNTS, accountUser, APP_LABEL } from './names.ts';
import {
  nodeRestriction,
  pluginSidecarSubpath,
  pluginSocketPath,
  pluginValidation,
  pluginWarning,
  type PolicyFacts,
} from './policy-expressions.ts';

/** The validating admission policies, and the bindings that put them in force (spec/resources.md §7.7). */
export function buildAdmissionPolicies({ target }: GenerateInput): KubernetesObject[] {
  const plugins = [pluginValidation, pluginWarning, pluginSidecarSubpath, pluginSocketPath];
  const policies = [
    nodeRestriction(accountUser(target.namespace, ACCOUNTS.handler)),
    ...(hasSwitch(target, 'PluginsEnabled') ? plugins : []),
  ];
  return [...policies.map(binding), ...policies.map(policy)];
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

function policy(facts: PolicyFacts): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: `${facts.name}-policy` },
    spec: {
      failurePolicy: facts.failurePolicy,
      ...(facts.matchCondition === undefined ? {} : { matchConditions: [facts.matchCondition] }),
      matchConstraints: {
        ...(facts.objectLabels === undefined ? {} : { objectSelector: { matchLabels: facts.objectLabels } }),
        resourceRules: [facts.resources],
      },
      ...(facts.variables === undefined ? {} : { variables: named(facts.variables) }),
      validations: [...facts.validations],
    },
  };
}

const named = (expressions: Readonly<Record<string, string>>): JsonObject[] =>
  Object.entries(expressions).map(([name, expression]) => ({ name, expression }));

function binding(facts: PolicyFacts): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${facts.name}-binding`, labels: { [APP_LABEL]: facts.name } },
    spec: {
      policyName: `${facts.name}-policy`,
      validationActions: [facts.action ?? 'Deny'],
      matchResources: { resourceRules: [{ ...facts.resources, ...facts.bindingResources }] },
    },
  };
}

/**
 * The disruption budget of a Deployment as the API server returned it: all replicas but one stay; undefined when that leaves none to protect
 * (spec/apply.md §4.4). Unset replicas count as two. Not part of a strategy: it is made when the Deployment has been applied.
 */
export function buildPodDisruptionBudget(deployment: KubernetesObject): KubernetesObject | undefined {
  const replicas = deployment.spec?.['replicas'];
  const minAvailable = typeof replicas === 'number' ? replicas - 1 : 1;
  if (minAvailable <= 0) return undefined;
  const name = `${deployment.metadata.name ?? ''}-pdb`;
  const { namespace } = deployment.metadata;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: { [APP_LABEL]: name } },
    spec: { minAvailable, selector: structuredClone(deployment.spec?.['selector']) },
  };
}
