/** A JSON value, as the API server sends and takes it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. A missing field and `undefined` mean the same. */
export interface JsonObject {
  [field: string]: Json | undefined;
}

/** True for a JSON object, not for lists and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One entry of `metadata.ownerReferences`. */
interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** `metadata` of a Kubernetes object; `managedFields` are never kept. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
}

/**
 * A Kubernetes object of any kind: the fields that this program reads by name, and the rest as JSON.
 * An object of the install strategy has no uid and no resourceVersion; one that was read from the API server has both.
 */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: JsonObject;
  status?: JsonObject;
  data?: Record<string, string>;
  [field: string]: unknown;
}

/** The key of an object within its kind: `namespace/name`, or `name` for cluster-scoped kinds. */
export function objectKey(name: string, namespace?: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
