import type { ApiConnection, Lane } from '../api/connection.ts';
import { apiVersionOf, resourcePath, type KindName } from '../api/kinds.ts';
import type { Json, JsonObject, KubernetesObject, ObjectMeta } from '../api/objects.ts';
import { isNotFound } from '../errors.ts';
import type { JsonPatchOperation } from '../plan/types.ts';

/** Names one object for a call. */
export interface Target {
  kind: KindName;
  name: string;
  namespace?: string | undefined;
}

/** Preconditions and manner of a deletion. */
interface DeleteOptions {
  uid?: string | undefined;
  gracePeriodSeconds?: number | undefined;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

/** Settings that hold for all calls of a client. */
export interface ClientOptions {
  /** Aborts every call. */
  signal?: AbortSignal;
  /** Called right before each call is sent; when it aborts `signal`, the call is not sent. */
  beforeSend?: () => void;
  /** Default `normal`. */
  lane?: Lane;
  /** Milliseconds without an answer after which a call fails; default: the connection's. */
  timeoutMs?: number;
}

/**
 * The narrow interface to the API server: objects in, objects out, without `managedFields`.
 * All calls reject with `ApiError` for an error answer.
 */
export interface ApiClient {
  get(target: Target): Promise<KubernetesObject>;
  /** Like `get`; undefined when there is no such object. */
  find(target: Target): Promise<KubernetesObject | undefined>;
  /** All objects of a kind, read in pages. */
  list(kind: KindName, options?: { namespace?: string; labelSelector?: string }): Promise<KubernetesObject[]>;
  create(kind: KindName, object: KubernetesObject): Promise<KubernetesObject>;
  /** PUT; carries the resourceVersion that `object` carries. */
  replace(kind: KindName, object: KubernetesObject, subresource?: string): Promise<KubernetesObject>;
  /** JSON Patch. */
  patch(target: Target, operations: readonly JsonPatchOperation[], subresource?: string): Promise<KubernetesObject>;
  /** JSON Merge Patch. */
  merge(target: Target, patch: Json): Promise<KubernetesObject>;
  /** The object as it now is when its finalizers hold it, else undefined. */
  delete(target: Target, options?: DeleteOptions): Promise<KubernetesObject | undefined>;
}

const PAGE_SIZE = 500;

/** A client over one connection. */
export function createClient(connection: ApiConnection, options: ClientOptions = {}): ApiClient {
  const call = (request: Parameters<ApiConnection['request']>[0]): Promise<JsonObject> =>
    connection.request({ ...options, ...request });
  const read = async (request: Parameters<ApiConnection['request']>[0]) => asObject(await call(request));
  const get = ({ kind, name, namespace }: Target) => read({ method: 'GET', path: resourcePath(kind, namespace, name) });

  return {
    get,
    find: async (target) => {
      try {
        return await get(target);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    list: (kind, { namespace, labelSelector } = {}) =>
      listPages(kind, (page) =>
        call({ method: 'GET', path: resourcePath(kind, namespace), query: { labelSelector, ...page } }),
      ),
    create: (kind, object) =>
      read({ method: 'POST', path: resourcePath(kind, object.metadata.namespace), body: object }),
    replace: (kind, object, subresource) =>
      read({ method: 'PUT', path: leafPath({ kind, ...nameOf(object) }, subresource), body: object }),
    patch: (target, operations, subresource) =>
      read({
        method: 'PATCH',
        path: leafPath(target, subresource),
        body: operations,
        contentType: 'application/json-patch+json',
      }),
    merge: (target, patch) =>
      read({ method: 'PATCH', path: leafPath(target), body: patch, contentType: 'application/merge-patch+json' }),
    delete: async (target, deletion = {}) => {
      const answer = await call({ method: 'DELETE', path: leafPath(target), body: buildDeleteOptions(deletion) });
      return answer.kind === 'Status' || isDeleted(asObject(answer)) ? undefined : asObject(answer);
    },
  };
}

async function listPages(
  kind: KindName,
  readPage: (page: { limit: number; continue?: string }) => Promise<JsonObject>,
): Promise<KubernetesObject[]> {
  const objects: KubernetesObject[] = [];
  let next: string | undefined;
  do {
    const page = await readPage(next === undefined ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, continue: next });
    // Members of a list come without apiVersion and kind.
    for (const item of (page.items ?? []) as JsonObject[]) {
      objects.push(asObject({ apiVersion: apiVersionOf(kind), kind, ...item }));
    }
    next = ((page.metadata ?? {}) as { continue?: string }).continue || undefined;
  } while (next !== undefined);
  return objects;
}

function buildDeleteOptions({ uid, gracePeriodSeconds, propagationPolicy }: DeleteOptions): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds,
    propagationPolicy,
    preconditions: uid === undefined ? undefined : { uid },
  };
}

function leafPath({ kind, name, namespace }: Target, subresource?: string): string {
  const path = resourcePath(kind, namespace, name);
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function nameOf(object: KubernetesObject): { name: string; namespace: string | undefined } {
  const { name, namespace } = object.metadata;
  if (name === undefined) throw new Error(`a ${object.kind} without a name cannot be written`);
  return { name, namespace };
}

/** Of some kinds the API server returns the object that it has just deleted; one that it still holds says until when, or who holds it. */
function isDeleted({ metadata }: KubernetesObject): boolean {
  const {
    deletionTimestamp,
    finalizers = [],
    deletionGracePeriodSeconds = 0,
  } = metadata as ObjectMeta & {
    deletionGracePeriodSeconds?: number;
  };
  return deletionTimestamp === undefined || (finalizers.length === 0 && deletionGracePeriodSeconds === 0);
}

/** An API server's answer as an object; `managedFields`, the bulk of many answers, are dropped. */
function asObject(answer: JsonObject): KubernetesObject {
  const object = answer as unknown as KubernetesObject & { metadata: { managedFields?: unknown } };
  delete object.metadata.managedFields;
  return object;
}
