import { isDeepStrictEqual } from 'node:util';

import { asKubeVirt, toJson, type KubeVirt, type KubeVirtSpec } from '../../api/kubevirt.ts';
import type { KubernetesObject } from '../../api/objects.ts';
import type { ObjectTable } from '../rehearsal/object-table.ts';

/** What a user means to apply. */
export interface WantedKubeVirt {
  name: string;
  namespace: string;
  spec: KubeVirtSpec;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
}

/** Puts a KubeVirt object on the stage as the API server would store it: a new one, or the one that is there with another spec. Returns it. */
export function stageKubeVirt(table: ObjectTable, wanted: WantedKubeVirt, now: Date): KubeVirt {
  const { name, namespace, labels, annotations } = wanted;
  const live = table.find('KubeVirt', name, namespace) ?? buildFresh(wanted, now);
  const spec = toJson(wanted.spec) as NonNullable<KubernetesObject['spec']>;
  const isSame = isDeepStrictEqual(toJson(live.spec ?? {}), spec);
  const { generation = 1 } = live.metadata;
  const staged = table.put('KubeVirt', {
    ...live,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...labels },
      annotations: { ...live.metadata.annotations, ...annotations },
      generation: isSame ? generation : generation + 1,
    },
    spec,
  });
  return asKubeVirt(staged);
}

function buildFresh({ name, namespace, spec }: WantedKubeVirt, now: Date): KubernetesObject {
  const uid = `rehearsed-${namespace}-${name}`;
  const metadata = { name, namespace, uid, creationTimestamp: now.toISOString(), generation: 1 };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata,
    spec: toJson(spec) as NonNullable<KubernetesObject['spec']>,
  };
}

/** Puts the namespace on the stage that the chart would create. Returns what was assumed with it, in words. */
export function stageNamespace(table: ObjectTable, name: string): string[] {
  if (table.find('Namespace', name) !== undefined) return [];
  table.put('Namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return [`the namespace ${name} is not there; the plan takes it for created`];
}
