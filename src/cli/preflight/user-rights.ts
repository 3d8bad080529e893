import type { ApiConnection } from '../../api/connection.ts';

/** One thing that somebody may or may not do. */
export interface UserRight {
  verb: string;
  group: string;
  resource: string;
  /** Only in the operator's namespace. */
  isNamespaced: boolean;
}

const right = (verb: string, resource: string, group = '', isNamespaced = false): UserRight => ({
  verb,
  group,
  resource,
  isNamespaced,
});

const RBAC = 'rbac.authorization.k8s.io';

/** What whoever installs the chart and creates a KubeVirt object has to be allowed (spec/deployment.md §1). */
export const INSTALLER_RIGHTS: readonly UserRight[] = [
  right('create', 'customresourcedefinitions', 'apiextensions.k8s.io'),
  right('create', 'clusterroles', RBAC),
  right('create', 'clusterrolebindings', RBAC),
  right('create', 'priorityclasses', 'scheduling.k8s.io'),
  right('create', 'roles', RBAC, true),
  right('create', 'rolebindings', RBAC, true),
  right('create', 'serviceaccounts', '', true),
  right('create', 'secrets', '', true),
  right('create', 'services', '', true),
  right('create', 'deployments', 'apps', true),
  right('create', 'kubevirts', 'kubevirt.io', true),
];

/** Those of the rights that whoever runs this does not have, as the API server says. */
export async function readDeniedRights(
  connection: ApiConnection,
  rights: readonly UserRight[],
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<UserRight[]> {
  const answers = await Promise.all(
    rights.map(async (asked) => {
      const { verb, group, resource, isNamespaced } = asked;
      const { status } = await connection.request({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb, group, resource, ...(isNamespaced ? { namespace } : {}) } },
        },
        signal,
      });
      return (status as { allowed?: boolean } | undefined)?.allowed === true ? [] : [asked];
    }),
  );
  return answers.flat();
}

/** A right in words: `create deployments.apps`. */
export function describeUserRight({ verb, group, resource }: UserRight): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}`;
}
