import type { KindName } from '../api/kinds.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { isSemanticallyEqual } from './equality.ts';
import { buildDelete } from './json-patch.ts';
import { isMetadataCurrent, mergeMetadata } from './metadata.ts';
import type { Action } from './types.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Roles and ClusterRoles: rules are compared in order (spec/apply.md §5.3). */
export function compareRole(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  if (isSemanticallyEqual(wanted.rules, live.rules) && isMetadataCurrent(wanted.metadata, live.metadata)) {
    return undefined;
  }
  return buildReplace(wanted, live, { rules: wanted.rules });
}

/** RoleBindings and ClusterRoleBindings: subjects in any order. One that refers to another role cannot be changed, see `planReplacedBinding`. */
export function compareBinding(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  if (areSubjectsEqual(wanted, live) && isMetadataCurrent(wanted.metadata, live.metadata)) return undefined;
  return buildReplace(wanted, live, { subjects: subjectsOf(wanted) });
}

/** Deletes a binding whose roleRef, which the API server lets nobody change, is not the wanted one; it is created again afterwards. */
export function planReplacedBinding(wanted: KubernetesObject, live: KubernetesObject | undefined): Action[] {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return [];
  const isSame = isSemanticallyEqual(roleRefOf(wanted), roleRefOf(live));
  return isSame ? [] : [buildDelete(wanted.kind as KindName, live)];
}

function roleRefOf({ roleRef }: KubernetesObject): JsonObject {
  return { apiGroup: RBAC_GROUP, ...(roleRef as JsonObject | undefined) };
}

/** The API server adds the group of users by itself. */
function subjectsOf({ subjects }: KubernetesObject): JsonObject[] {
  return ((subjects ?? []) as JsonObject[]).map((subject) =>
    subject.kind === 'ServiceAccount' ? subject : { apiGroup: RBAC_GROUP, ...subject },
  );
}

function areSubjectsEqual(wanted: KubernetesObject, live: KubernetesObject): boolean {
  const [a, b] = [subjectsOf(wanted), subjectsOf(live)];
  return a.length === b.length && a.every((subject) => b.some((other) => isSemanticallyEqual(subject, other)));
}

function buildReplace(
  wanted: KubernetesObject,
  live: KubernetesObject,
  content: Readonly<Record<string, unknown>>,
): Action {
  const metadata = { ...live.metadata, ...mergeMetadata(wanted.metadata, live.metadata) };
  const object = { ...live, apiVersion: wanted.apiVersion, kind: wanted.kind, ...content, metadata };
  return { verb: 'replace', kind: wanted.kind as KindName, object };
}
