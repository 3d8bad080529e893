import type { KubernetesObject } from '../../api/objects.ts';
import type { ApiClient } from '../../apply/client.ts';
import type { InstallStrategy } from '../../strategy/types.ts';
import { findMissingRights, isAllowed, type PolicyRule } from './rules.ts';

/** The account that the operator runs with, ours and upstream's (spec/deployment.md §5). */
export const OPERATOR_ACCOUNT = 'kubevirt-operator';

/** What an account may do. */
export interface HeldRights {
  /** In every namespace, and on objects of none. */
  clusterWide: PolicyRule[];
  /** In the operator's namespace, beyond that. */
  inNamespace: PolicyRule[];
}

/** A role that the operator could not create or change. */
export interface MissingRights {
  /** `ClusterRole name` or `Role name`. */
  role: string;
  rights: string[];
}

interface Binding extends KubernetesObject {
  roleRef?: { kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string }[];
}

/** What the operator's account in a namespace may do; undefined when there is no such account. */
export async function readOperatorRights(client: ApiClient, namespace: string): Promise<HeldRights | undefined> {
  const account = await client.find({ kind: 'ServiceAccount', name: OPERATOR_ACCOUNT, namespace });
  if (account === undefined) return undefined;
  const [clusterBindings, bindings, clusterRoles, roles] = await Promise.all([
    client.list('ClusterRoleBinding'),
    client.list('RoleBinding', { namespace }),
    client.list('ClusterRole'),
    client.list('Role', { namespace }),
  ]);
  const rulesOf = (all: readonly KubernetesObject[]) =>
    (all as Binding[])
      .filter(({ subjects = [] }) => subjects.some((subject) => isAccount(subject, namespace)))
      .flatMap(({ roleRef }) => findRules(roleRef, { clusterRoles, roles }));
  return { clusterWide: rulesOf(clusterBindings), inNamespace: rulesOf(bindings) };
}

function isAccount(subject: NonNullable<Binding['subjects']>[number], namespace: string): boolean {
  const { kind, name } = subject;
  if (kind === 'ServiceAccount') return name === OPERATOR_ACCOUNT && subject.namespace === namespace;
  if (kind === 'User') return name === `system:serviceaccount:${namespace}:${OPERATOR_ACCOUNT}`;
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'].includes(name);
}

function findRules(
  roleRef: Binding['roleRef'],
  { clusterRoles, roles }: { clusterRoles: readonly KubernetesObject[]; roles: readonly KubernetesObject[] },
): PolicyRule[] {
  const among = roleRef?.kind === 'ClusterRole' ? clusterRoles : roles;
  return rulesOf(among.find(({ metadata }) => metadata.name === roleRef?.name));
}

function rulesOf(role: KubernetesObject | undefined): PolicyRule[] {
  return (role?.['rules'] ?? []) as PolicyRule[];
}

const RBAC = 'rbac.authorization.k8s.io';

/** The roles of a release that hold rights which the operator lacks: the API server refuses to let it create them (spec/field-reports.md B06). Pure. */
export function findUngrantableRoles(strategy: InstallStrategy, held: HeldRights): MissingRights[] {
  const everywhere = held.clusterWide;
  const here = [...everywhere, ...held.inNamespace];
  const judge = (kind: 'ClusterRole' | 'Role', rules: readonly PolicyRule[]): MissingRights[] => {
    const resource = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
    if (isAllowed(rules, { verb: 'escalate', group: RBAC, resource })) return [];
    return strategy.ofKind(kind).flatMap((role) => {
      const rights = findMissingRights(rulesOf(role), rules);
      return rights.length === 0 ? [] : [{ role: `${kind} ${role.metadata.name ?? ''}`, rights }];
    });
  };
  return [...judge('ClusterRole', everywhere), ...judge('Role', here)];
}
