import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { ACCOUNTS } from '../components/names.ts';
import { hasSwitch, monitorAccountOf } from '../target-properties.ts';
import type { GenerateInput, TargetDeployment } from '../types.ts';
import {
  API_CLUSTER_RULES,
  API_RULES,
  CONTROLLER_CLUSTER_RULES,
  CONTROLLER_RULES,
  LEASE_RULE,
  NETWORK_ATTACHMENT_RULE,
} from './control-plane.ts';
import {
  EXPORT_PROXY_CLUSTER_RULES,
  EXPORT_PROXY_RULES,
  HANDLER_CLUSTER_RULES,
  HANDLER_RULES,
  SYNCHRONIZATION_CLUSTER_RULES,
  SYNCHRONIZATION_RULES,
} from './node.ts';
import { rules } from './notation.ts';
import { accountSubject, binding, rbacMeta } from './objects.ts';
import { buildUserRoles } from './user-roles.ts';

const MONITORING_RULES = 'core | services endpoints pods | read';

/** All RBAC objects and service accounts of KubeVirt itself, those of virt-template apart (spec/resources.md §1.1–1.4). */
export function buildRbac({ target, monitorNamespace }: GenerateInput): KubernetesObject[] {
  return [
    ...buildUserRoles(),
    ...componentRoles(target.namespace, ACCOUNTS.api, rules(API_CLUSTER_RULES), rules(API_RULES)),
    binding(
      rbacMeta(`${ACCOUNTS.api}-auth-delegator`),
      accountSubject(ACCOUNTS.api, target.namespace),
      'system:auth-delegator',
    ),
    ...componentRoles(target.namespace, ACCOUNTS.controller, controllerClusterRules(target), rules(CONTROLLER_RULES)),
    ...componentRoles(target.namespace, ACCOUNTS.handler, rules(HANDLER_CLUSTER_RULES), rules(HANDLER_RULES)),
    ...componentRoles(
      target.namespace,
      ACCOUNTS.exportProxy,
      rules(EXPORT_PROXY_CLUSTER_RULES),
      rules(EXPORT_PROXY_RULES),
    ),
    ...componentRoles(
      target.namespace,
      ACCOUNTS.synchronization,
      rules(SYNCHRONIZATION_CLUSTER_RULES),
      rules(`${SYNCHRONIZATION_RULES}\n${LEASE_RULE}`),
    ),
    ...(monitorNamespace === '' ? [] : monitoringRoles(target, monitorNamespace)),
  ];
}

/** Every component has a service account, and a cluster role and a role of the same name bound to it (spec/resources.md §5.1). */
function componentRoles(
  namespace: string,
  account: string,
  clusterRules: JsonObject[],
  namespaceRules: JsonObject[],
): KubernetesObject[] {
  const subject = accountSubject(account, namespace);
  const everywhere = rbacMeta(account);
  const inNamespace = rbacMeta(account, { namespace });
  return [
    objectOf('ServiceAccount', inNamespace),
    objectOf('ClusterRole', everywhere, { rules: clusterRules }),
    binding(everywhere, subject),
    objectOf('Role', inNamespace, { rules: namespaceRules }),
    binding(inNamespace, subject),
  ];
}

function controllerClusterRules(target: TargetDeployment): JsonObject[] {
  const table = hasSwitch(target, 'ExternalNetResourceInjection') ? '' : NETWORK_ATTACHMENT_RULE;
  return rules(`${CONTROLLER_CLUSTER_RULES}\n${table}`);
}

function monitoringRoles(target: TargetDeployment, monitorNamespace: string): KubernetesObject[] {
  const metadata = rbacMeta('kubevirt-monitoring', { namespace: target.namespace });
  return [
    objectOf('Role', metadata, { rules: rules(MONITORING_RULES) }),
    binding(metadata, accountSubject(monitorAccountOf(target), monitorNamespace)),
  ];
}
