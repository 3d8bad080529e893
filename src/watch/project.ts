import { apiVersionOf, type KindName } from '../api/kinds.ts';
import type { JsonObject, KubernetesObject, ObjectMeta } from '../api/objects.ts';

/** Metadata fields that identify an object and order its versions. */
const IDENTITY = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
];
/** Further metadata fields that decisions read. */
const DESCRIPTION = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** Annotations of pods that decisions read: our own, and the addresses of attached networks (spec/apply.md §6.5). */
const POD_ANNOTATION = /^(?:kubevirt\.io\/|k8s\.v1\.cni\.cncf\.io\/network-status$)/;

/** Makes a value unchangeable, with everything in it. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) freezeDeep<unknown>(field);
  return Object.freeze(value);
}

/** The whole object without `managedFields`, with apiVersion and kind, which items of a list do not have. */
export function projectWhole(kind: KindName, object: KubernetesObject): KubernetesObject {
  const metadata: Record<string, unknown> = { ...object.metadata };
  delete metadata['managedFields'];
  return freezeDeep({ ...object, apiVersion: apiVersionOf(kind), kind, metadata });
}

/** Identity, labels, annotations, owners and finalizers. */
export function projectMetadata(kind: KindName, object: KubernetesObject): KubernetesObject {
  return build(kind, pick(object.metadata, [...IDENTITY, ...DESCRIPTION]));
}

/** Identity and labels: for kinds with many objects, of which little is asked. */
export function projectLabels(kind: KindName, object: KubernetesObject): KubernetesObject {
  return build(kind, pick(object.metadata, [...IDENTITY, 'labels']));
}

/** Identity alone: enough to tell that an object is there, and which version of it. */
export function projectIdentity(kind: KindName, object: KubernetesObject): KubernetesObject {
  return build(kind, pick(object.metadata, IDENTITY));
}

/** Identity and the holder of a Lease: renewals change nothing of it but the version. */
export function projectLease(kind: KindName, object: KubernetesObject): KubernetesObject {
  return build(kind, pick(object.metadata, [...IDENTITY, 'labels']), { spec: object.spec ?? {} });
}

/** What decisions read of a pod: owners, labels, some annotations, phase, addresses, readiness and crashes of its containers. */
export function projectPod(kind: KindName, object: KubernetesObject): KubernetesObject {
  const metadata = pick(object.metadata, [...IDENTITY, 'labels', 'ownerReferences']);
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => POD_ANNOTATION.test(key));
  if (annotations.length > 0) metadata.annotations = Object.fromEntries(annotations);
  const status = object.status ?? {};
  const containers = status['containerStatuses'];
  return build(kind, metadata, {
    spec: pick(object.spec ?? {}, ['nodeName']),
    status: {
      ...pick(status, ['phase', 'podIP', 'podIPs']),
      ...(Array.isArray(containers) ? { containerStatuses: containers.map((entry) => projectContainer(entry)) } : {}),
    },
  });
}

function projectContainer(value: unknown): JsonObject {
  const container = value as JsonObject;
  return {
    ...pick(container, ['name', 'ready', 'restartCount']),
    state: projectState(container['state']),
    lastState: projectState(container['lastState']),
  };
}

/** Why a container waits and how it ended, without messages and identifiers. */
function projectState(value: unknown): JsonObject {
  const state = (value ?? {}) as { waiting?: JsonObject; terminated?: JsonObject };
  return {
    ...(state.waiting === undefined ? {} : { waiting: pick(state.waiting, ['reason']) }),
    ...(state.terminated === undefined ? {} : { terminated: pick(state.terminated, ['exitCode', 'reason']) }),
  };
}

/** A CRD without its schemas, which are the largest objects of a cluster: names, scope, versions and conditions. */
export function projectCrd(kind: KindName, object: KubernetesObject): KubernetesObject {
  const metadata = pick(object.metadata, [...IDENTITY, ...DESCRIPTION]);
  const versions = object.spec?.['versions'];
  return build(kind, metadata, {
    spec: {
      ...pick(object.spec ?? {}, ['group', 'names', 'scope', 'conversion']),
      versions: Array.isArray(versions)
        ? versions.map((version) =>
            pick(version as JsonObject, ['name', 'served', 'storage', 'deprecated', 'subresources']),
          )
        : [],
    },
    status: pick(object.status ?? {}, ['conditions', 'storedVersions', 'acceptedNames']),
  });
}

function build(kind: KindName, metadata: ObjectMeta, rest: Partial<KubernetesObject> = {}): KubernetesObject {
  return freezeDeep({ apiVersion: apiVersionOf(kind), kind, metadata, ...rest });
}

/** A copy with the named fields that are there. */
function pick<T extends object>(source: T, fields: readonly string[]): T {
  const from = source as Record<string, unknown>;
  return Object.fromEntries(
    fields.filter((field) => from[field] !== undefined).map((field) => [field, from[field]]),
  ) as T;
}
