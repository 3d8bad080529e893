import type { KubeVirtSpec } from '../src/api/kubevirt.ts';
import { readExample } from '../sandbox/start/installation.ts';

/** The specs that the object goes through, each an edit of the first. */
export interface Specs {
  /** That of the example. */
  first: KubeVirtSpec;
  /** Alters no component: a feature gate and a ratio that only virt-api and virt-handler read, from the object itself. */
  withoutEffect: KubeVirtSpec;
  /** A newer version: every pod template and the annotations of every object change. */
  newer: KubeVirtSpec;
  /** Changes one label of every object, instance types and preferences included, and no version. */
  labelled: KubeVirtSpec;
}

/** Builds them; the first three are those that upstream's figures were measured with. */
export async function readSpecs(): Promise<Specs> {
  const { spec } = await readExample();
  const first = spec as KubeVirtSpec;
  return {
    first,
    withoutEffect: {
      ...first,
      configuration: { developerConfiguration: { featureGates: ['Sidecar'], cpuAllocationRatio: 4 } },
    },
    newer: { ...first, imageTag: 'v1.9.1' },
    labelled: { ...first, productVersion: '2' },
  };
}
