import { KINDS, type KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import { TEMPORARY_WEBHOOK_PREFIX } from '../api/names.ts';
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
 * The list with the generation that `object` has after our write of it, and `hash` beside it: its entry changed in place, or a new one at the end.
 * The same list for objects that are not recorded: those of other kinds, and temporary webhooks (spec/apply.md §3, §5.10).
 */
export function recordGeneration(
  generations: readonly GenerationStatus[],
  kind: KindName,
  object: KubernetesObject,
  hash?: string,
): readonly GenerationStatus[] {
  const group = GROUPS[kind];
  const { name = '', namespace, generation } = object.metadata;
  if (group === undefined || generation === undefined || name.startsWith(TEMPORARY_WEBHOOK_PREFIX)) return generations;
  const entry: GenerationStatus = {
    group,
    resource: KINDS[kind].plural,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    lastGeneration: generation,
    ...(hash === undefined ? {} : { hash }),
  };
  const index = generations.findIndex((each) => isSameObject(each, entry));
  return index === -1 ? [...generations, entry] : generations.with(index, entry);
}

function isSameObject(a: GenerationStatus, b: GenerationStatus): boolean {
  return (
    a.group === b.group && a.resource === b.resource && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '')
  );
}
