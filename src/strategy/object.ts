import { apiVersionOf, type KindName } from '../api/kinds.ts';
import type { KubernetesObject, ObjectMeta } from '../api/objects.ts';

/** An object of a kind, in the version in which the API server serves it. */
export function objectOf(kind: KindName, metadata: ObjectMeta, rest: Record<string, unknown> = {}): KubernetesObject {
  return { apiVersion: apiVersionOf(kind), kind, metadata, ...rest };
}
