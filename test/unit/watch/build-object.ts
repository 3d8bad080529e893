import type { KubernetesObject, ObjectMeta } from '../../../src/api/objects.ts';

/** An object as the API server might send it. */
export function buildObject(name: string, version: number, changes: Partial<ObjectMeta> = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version), ...changes },
  };
}
