import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';

/** The value of old releases, still recognised (spec/reconcile.md §1.1). */
const OLD_VALUE = 'kubevirt-operator';

/** Whether an object bears the label of objects that the operator manages. */
export function isManaged({ metadata }: KubernetesObject): boolean {
  const value = metadata.labels?.[MANAGED_BY_LABEL];
  return value === MANAGED_BY_VALUE || value === OLD_VALUE;
}
