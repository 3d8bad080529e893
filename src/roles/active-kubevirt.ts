import { asKubeVirt, type KubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';

/** The KubeVirt object whose settings apply to this process (spec/startup.md §6.1). */
export function findActive(kubeVirts: readonly KubernetesObject[]): KubeVirt | undefined {
  return kubeVirts
    .map(asKubeVirt)
    .findLast(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== undefined);
}
