import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
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

function policy(facts: PolicyFacts): KubernetesObject {
  const metadata = { name: `${facts.name}-policy` };
  return objectOf('ValidatingAdmissionPolicy', metadata, {
    spec: {
      failurePolicy: facts.failurePolicy,
      ...(facts.matchCondition && { matchConditions: [facts.matchCondition] }),
      matchConstraints: {
        ...(facts.objectLabels && { objectSelector: { matchLabels: facts.objectLabels } }),
        resourceRules: [facts.resources],
      },
      ...(facts.variables && { variables: named(facts.variables) }),
      validations: [...facts.validations],
    },
  });
}

const named = (expressions: Readonly<Record<string, string>>): JsonObject[] =>
  Object.entries(expressions).map(([name, expression]) => ({ name, expression }));

function binding(facts: PolicyFacts): KubernetesObject {
  const metadata = { name: `${facts.name}-binding`, labels: { [APP_LABEL]: facts.name } };
  return objectOf('ValidatingAdmissionPolicyBinding', metadata, {
    spec: {
      policyName: `${facts.name}-policy`,
      validationActions: [facts.action ?? 'Deny'],
      matchResources: { resourceRules: [{ ...facts.resources, ...facts.bindingResources }] },
    },
  });
}
