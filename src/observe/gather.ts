import { asKubeVirt, type KubeVirt } from '../api/kubevirt.ts';
import { STRATEGY_LABEL } from '../api/names.ts';
import { objectKey, type KubernetesObject } from '../api/objects.ts';
import type { ObjectStore } from '../api/store.ts';
import type { ClusterFeatures } from '../plan/types.ts';

/** Everything that one pass reads before it decides, but for the managed objects themselves, which it reads through its world. */
export interface Observed {
  /** The object that the pass is about; undefined when it is gone. */
  kubeVirt: KubeVirt | undefined;
  /** All other KubeVirt objects of the cluster. */
  others: readonly KubeVirt[];
  features: ClusterFeatures;
  /** Number of nodes with label kubevirt.io/schedulable=true. */
  schedulableNodes: number;
  /** ConfigMaps with an install strategy, in any namespace. */
  strategyConfigMaps: readonly KubernetesObject[];
  /** Jobs that write such ConfigMaps, in any namespace. */
  strategyJobs: readonly KubernetesObject[];
}

/** Reads the caches once for the pass of `key` (`namespace/name`); sends nothing. */
export function gather(key: string, store: ObjectStore): Observed {
  const kubeVirts = store.list('KubeVirt').map(asKubeVirt);
  const isWanted = ({ metadata }: KubeVirt) => objectKey(metadata.name ?? '', metadata.namespace) === key;
  return {
    kubeVirt: kubeVirts.find(isWanted),
    others: kubeVirts.filter((kubeVirt) => !isWanted(kubeVirt)),
    features: store.features(),
    schedulableNodes: store.schedulableNodes(),
    strategyConfigMaps: store.list('ConfigMap').filter(isPartOfStrategy),
    strategyJobs: store.list('Job').filter(isPartOfStrategy),
  };
}

function isPartOfStrategy({ metadata }: KubernetesObject): boolean {
  return metadata.labels !== undefined && STRATEGY_LABEL in metadata.labels;
}
