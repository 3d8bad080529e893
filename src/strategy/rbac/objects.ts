import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { APP_LABEL } from '../components/names.ts';

const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;
const LABELS = { [APP_LABEL]: '' };

/** Labels and annotations beyond the common ones. */
interface Extra {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** Marks objects that the API server's own RBAC bootstrap would keep up to date. */
export const AUTOUPDATE = { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } } as const;

const metadata = (name: string, namespace: string | undefined, extra: Extra): KubernetesObject['metadata'] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { ...LABELS, ...extra.labels },
  ...(extra.annotations === undefined ? {} : { annotations: extra.annotations }),
});

/** A service account. */
export function serviceAccount(name: string, namespace: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(name, namespace, {}) };
}

/** A cluster role. */
export function clusterRole(name: string, rules: JsonObject[], extra: Extra = {}): KubernetesObject {
  return { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: metadata(name, undefined, extra), rules };
}

/** A role of one namespace. */
export function role(name: string, namespace: string, rules: JsonObject[]): KubernetesObject {
  return { apiVersion: API_VERSION, kind: 'Role', metadata: metadata(name, namespace, {}), rules };
}

/** Who is bound: a service account. */
export function accountSubject(name: string, namespace: string): JsonObject {
  return { kind: 'ServiceAccount', name, namespace };
}

/** Who is bound: everybody who is logged in. */
export const AUTHENTICATED: JsonObject = { apiGroup: GROUP, kind: 'Group', name: 'system:authenticated' };

/** Binds a subject to a cluster role, everywhere. `role` defaults to the binding's own name. */
export function clusterRoleBinding(
  name: string,
  subject: JsonObject,
  extra: Extra & { role?: string } = {},
): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name, undefined, extra),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: extra.role ?? name },
    subjects: [subject],
  };
}

/** Binds a subject to the role of the same name. */
export function roleBinding(name: string, namespace: string, subject: JsonObject): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: metadata(name, namespace, {}),
    roleRef: { apiGroup: GROUP, kind: 'Role', name },
    subjects: [subject],
  };
}
