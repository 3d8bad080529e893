import { KINDS, type KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';

/** Groups as upstream writes them into `status.generations`, two of them odd (spec/apply.md §3). */
const GROUPS: Partial<Record<KindName, string>> = {
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  MutatingWebhookConfiguration: 'admissionregistration.k8s.io',
  ValidatingWebhookConfiguration: 'admissionregistration.k8s.io',
  PodDisruptionBudget: 'apps',
  Deployment: 'apps',
  DaemonSet: 'apps',
};

/**
 * The list with the generation that `object` has after our write of it: its entry changed in place, or a new one at the end.
 * The same list for kinds that are not recorded (spec/apply.md §3).
 */
export function recordGeneration(
  generations: readonly GenerationStatus[],
  kind: KindName,
  object: KubernetesObject,
): readonly GenerationStatus[] {
  const group = GROUPS[kind];
  const { name = '', namespace, generation } = object.metadata;
  if (group === undefined || generation === undefined) return generations;
  const identity = { group, resource: KINDS[kind].plural, ...(namespace === undefined ? {} : { namespace }), name };
  const index = generations.findIndex((entry) => isSame(entry, identity));
  if (index === -1) return [...generations, { ...identity, lastGeneration: generation }];
  return generations.map((entry, i) => (i === index ? { ...entry, lastGeneration: generation } : entry));
}

function isSame(entry: GenerationStatus, identity: Omit<GenerationStatus, 'lastGeneration'>): boolean {
  return (
    entry.group === identity.group &&
    entry.resource === identity.resource &&
    entry.name === identity.name &&
    (entry.namespace ?? '') === (identity.namespace ?? '')
  );
}
