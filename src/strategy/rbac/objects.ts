import type { JsonObject, KubernetesObject, ObjectMeta } from '../../api/objects.ts';
import { APP_LABEL } from '../components/names.ts';
import { objectOf } from '../object.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Marks objects that the API server's own RBAC bootstrap would keep up to date. */
export const AUTOUPDATE = { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } } as const;

/** Metadata of an RBAC object that is no component's own: the empty app label, and what `more` adds. */
export function rbacMeta(
  name: string,
  more: Pick<ObjectMeta, 'namespace' | 'labels' | 'annotations'> = {},
): ObjectMeta {
  return { name, ...more, labels: { [APP_LABEL]: '', ...more.labels } };
}

/** Labels whose presence makes Kubernetes add a role's rules to its own roles of these names. */
export const aggregatedTo = (...roles: string[]): Record<string, string> =>
  Object.fromEntries(roles.map((role) => [`${AGGREGATE_PREFIX}${role}`, 'true']));

/** Begin of those labels. */
export const AGGREGATE_PREFIX = `${GROUP}/aggregate-to-`;

/** Who is bound: a service account. */
export function accountSubject(name: string, namespace: string): JsonObject {
  return { kind: 'ServiceAccount', name, namespace };
}

/** Who is bound: everybody who is logged in. */
export const AUTHENTICATED: JsonObject = { apiGroup: GROUP, kind: 'Group', name: 'system:authenticated' };

/** Binds a subject: to a Role when the binding has a namespace, else to a ClusterRole. */
export function binding(metadata: ObjectMeta, subject: JsonObject, role = metadata.name): KubernetesObject {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  return objectOf(`${kind}Binding`, metadata, {
    roleRef: { apiGroup: GROUP, kind, name: role },
    subjects: [subject],
  });
}
