import { KINDS, type KindName } from './kinds.ts';
import type { GenerationStatus } from './kubevirt.ts';
import type { ObjectMeta } from './objects.ts';

/** Kinds whose generations are recorded, with the group as upstream writes it: two of them are odd (spec/apply.md §3). */
const GROUPS: Partial<Record<KindName, string>> = {
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  MutatingWebhookConfiguration: 'admissionregistration.k8s.io',
  ValidatingWebhookConfiguration: 'admissionregistration.k8s.io',
  PodDisruptionBudget: 'apps',
  Deployment: 'apps',
  DaemonSet: 'apps',
};

/** The fields by which an entry of `status.generations` names its object. */
export type GenerationIdentity = Pick<GenerationStatus, 'group' | 'resource' | 'namespace' | 'name'>;

/** How `status.generations` names an object; undefined for kinds that are not recorded. */
export function generationIdentity(
  kind: KindName,
  { name = '', namespace }: Pick<ObjectMeta, 'name' | 'namespace'>,
): GenerationIdentity | undefined {
  const group = GROUPS[kind];
  if (group === undefined) return undefined;
  return { group, resource: KINDS[kind].plural, ...(namespace === undefined ? {} : { namespace }), name };
}

/** Whether two entries name the same object. */
export function isSameGenerationIdentity(a: GenerationIdentity, b: GenerationIdentity): boolean {
  return (
    a.group === b.group && a.resource === b.resource && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '')
  );
}
