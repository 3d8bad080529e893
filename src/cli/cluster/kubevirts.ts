import { asKubeVirt, type KubeVirt } from '../../api/kubevirt.ts';
import { objectKey } from '../../api/objects.ts';
import type { ApiClient } from '../../apply/client.ts';
import { isNotFound } from '../../errors.ts';

/** Where the operator is at home unless it is told otherwise (spec/startup.md §2.1). */
const DEFAULT_NAMESPACE = 'kubevirt';

/** All KubeVirt objects of the cluster; undefined when it does not know the kind. */
export async function readKubeVirts(client: Pick<ApiClient, 'list'>): Promise<KubeVirt[] | undefined> {
  try {
    return (await client.list('KubeVirt')).map(asKubeVirt);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The KubeVirt objects in a namespace, or all when none is named. */
function within(kubeVirts: readonly KubeVirt[], namespace: string | undefined): readonly KubeVirt[] {
  return namespace === undefined ? kubeVirts : kubeVirts.filter(({ metadata }) => metadata.namespace === namespace);
}

/** The KubeVirt object that a command is about. Throws an error that says what there is instead, and the way out. */
export function chooseKubeVirt(kubeVirts: readonly KubeVirt[] | undefined, namespace: string | undefined): KubeVirt {
  if (kubeVirts === undefined) {
    throw new Error(
      'the cluster has no CustomResourceDefinition kubevirts.kubevirt.io, so KubeVirt is not installed; "setup" or the chart installs it',
    );
  }
  const [first, ...others] = within(kubeVirts, namespace);
  if (first === undefined) {
    const where = namespace === undefined ? 'in the cluster' : `in the namespace ${namespace}`;
    const way =
      kubeVirts.length === 0
        ? 'examples/kubevirt.yaml is one to begin with'
        : `there is ${kubeVirts.map(titleOf).join(' and ')}`;
    throw new Error(`there is no KubeVirt object ${where}; ${way}`);
  }
  if (others.length > 0) {
    const names = [first, ...others].map(titleOf).join(' and ');
    const isOneNamed = new Set([first, ...others].map(({ metadata }) => metadata.namespace)).size > 1;
    throw new Error(
      `there are several KubeVirt objects, ${names}, and the operator looks after none of them: delete all but one${isOneNamed ? ', or look at one with --namespace' : ''}`,
    );
  }
  return first;
}

/** The namespace that the operator works in: the one that is named, else that of the only KubeVirt object, else the usual one. */
export function decideNamespace(kubeVirts: readonly KubeVirt[], named: string | undefined): string {
  const [only, ...others] = kubeVirts;
  return named ?? (others.length === 0 ? only?.metadata.namespace : undefined) ?? DEFAULT_NAMESPACE;
}

/** `namespace/name` of a KubeVirt object. */
export function titleOf({ metadata }: Pick<KubeVirt, 'metadata'>): string {
  return objectKey(metadata.name ?? '', metadata.namespace);
}
