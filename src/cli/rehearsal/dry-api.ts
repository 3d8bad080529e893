import type { ApiConnection, ApiRequest, ApiStream } from '../../api/connection.ts';
import { apiVersionOf, resourcePath, type KindName } from '../../api/kinds.ts';
import type { Json, JsonObject, KubernetesObject, ObjectMeta } from '../../api/objects.ts';
import { applyJsonPatch } from '../../customize/json-patch.ts';
import { applyMergePatch } from '../../customize/json.ts';
import { ApiError, errorText, isNotFound } from '../../errors.ts';
import { isWhatWasWanted } from '../../plan/equality.ts';
import type { ObjectTable } from './object-table.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';

/** The verbs of writes, as audit logs name them. */
export type WriteVerb = 'create' | 'update' | 'patch' | 'delete';

/** A write that was rehearsed. */
export interface RehearsedWrite {
  verb: WriteVerb;
  kind: KindName;
  name: string;
  namespace?: string;
  subresource?: string;
  /** The object before and after; undefined where it did not exist. */
  before?: KubernetesObject;
  after?: KubernetesObject;
}

/** A target with a name. */
type Named = RequestTarget & { name: string };

/**
 * An API server that only pretends: writes change the table of a rehearsal, reads come from there, and what the table does not hold is read from the
 * real API server. No call other than GET ever leaves it.
 */
export class DryApi implements ApiConnection {
  readonly #table: ObjectTable;
  readonly #real: ApiConnection;
  readonly #onWrite: (write: RehearsedWrite) => void;
  readonly #now: () => Date;
  #created = 0;

  constructor(parts: {
    table: ObjectTable;
    real: ApiConnection;
    onWrite: (write: RehearsedWrite) => void;
    now: () => Date;
  }) {
    this.#table = parts.table;
    this.#real = parts.real;
    this.#onWrite = parts.onWrite;
    this.#now = parts.now;
  }

  async request(call: ApiRequest): Promise<JsonObject> {
    const target = parseTarget(call);
    if (call.method === 'GET' && (target === undefined || target.name === undefined)) return this.#real.request(call);
    if (target === undefined) throw new Error(`${call.method} ${call.path} cannot be rehearsed`);
    if (call.method === 'POST') return this.#answer(await this.#create(target, call.body as KubernetesObject));
    if (target.name === undefined) throw new Error(`${call.method} ${call.path} cannot be rehearsed`);
    const named = { ...target, name: target.name };
    const before = await this.#require(named);
    if (call.method === 'GET') return this.#answer(before);
    return call.method === 'DELETE'
      ? this.#delete(named, before, call)
      : this.#answer(this.#change(named, before, call));
  }

  stream(call: ApiRequest): Promise<ApiStream> {
    return Promise.reject(new Error(`a watch of ${call.path} cannot be rehearsed`));
  }

  close(): void {
    // The real connection belongs to whoever opened it.
  }

  /** A copy, as if it came over the wire. */
  #answer(object: KubernetesObject): JsonObject {
    return structuredClone(object) as unknown as JsonObject;
  }

  async #find(target: Named): Promise<KubernetesObject | undefined> {
    const { kind, name, namespace } = target;
    const known = this.#table.find(kind, name, namespace);
    if (known !== undefined || this.#table.isAbsent(kind, name, namespace)) return known;
    const live = await this.#readLive(target);
    if (live === undefined) this.#table.remove(kind, name, namespace);
    return live;
  }

  async #readLive({ kind, name, namespace }: Named): Promise<KubernetesObject | undefined> {
    try {
      const answer = await this.#real.request({ method: 'GET', path: resourcePath(kind, namespace, name) });
      const object = answer as unknown as KubernetesObject & { metadata: { managedFields?: unknown } };
      delete object.metadata.managedFields;
      return object;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #require(target: Named): Promise<KubernetesObject> {
    const found = await this.#find(target);
    if (found !== undefined) return found;
    throw new ApiError(`${target.kind} "${target.name}" not found`, { status: 404, reason: 'NotFound' });
  }

  async #create({ kind, namespace }: RequestTarget, body: KubernetesObject): Promise<KubernetesObject> {
    const { name = `${body.metadata.generateName ?? ''}x` } = body.metadata;
    const target: Named = { kind, name, ...(namespace === undefined ? {} : { namespace }) };
    if (namespace !== undefined && (await this.#find({ kind: 'Namespace', name: namespace })) === undefined) {
      throw new ApiError(`namespaces "${namespace}" not found`, { status: 404, reason: 'NotFound' });
    }
    if ((await this.#find(target)) !== undefined) {
      throw new ApiError(`${kind} "${name}" already exists`, { status: 409, reason: 'AlreadyExists' });
    }
    const rest = withoutStatus(structuredClone(body));
    const metadata = {
      ...rest.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `rehearsed-${++this.#created}`,
      creationTimestamp: this.#now().toISOString(),
      generation: 1,
    };
    const after = this.#table.put(kind, { ...rest, apiVersion: apiVersionOf(kind), kind, metadata });
    this.#onWrite({ verb: 'create', ...target, after });
    return after;
  }

  #change(target: Named, before: KubernetesObject, call: ApiRequest): KubernetesObject {
    const changed = call.method === 'PUT' ? replaceWhole(before, call.body as KubernetesObject) : patch(before, call);
    const merged =
      target.subresource === 'status' ? { ...before, status: changed.status ?? {} } : keepStatus(changed, before);
    const after = this.#table.put(target.kind, settleGeneration(merged, before));
    this.#onWrite({ verb: call.method === 'PUT' ? 'update' : 'patch', ...target, before, after });
    if (isReleased(after.metadata)) this.#remove(target);
    return after;
  }

  #delete(target: Named, before: KubernetesObject, call: ApiRequest): JsonObject {
    const { preconditions } = (call.body ?? {}) as { preconditions?: { uid?: string } };
    if (preconditions?.uid !== undefined && preconditions.uid !== before.metadata.uid) {
      throw new ApiError(`${target.kind} "${target.name}" has another uid`, { status: 409, reason: 'Conflict' });
    }
    if ((before.metadata.finalizers ?? []).length > 0) {
      const metadata = { ...before.metadata, deletionTimestamp: this.#now().toISOString() };
      const after = this.#table.put(target.kind, { ...before, metadata });
      this.#onWrite({ verb: 'delete', ...target, before, after });
      return this.#answer(after);
    }
    this.#remove(target);
    this.#onWrite({ verb: 'delete', ...target, before });
    return { apiVersion: 'v1', kind: 'Status', status: 'Success' };
  }

  #remove({ kind, name, namespace }: Named): void {
    this.#table.remove(kind, name, namespace);
  }
}

function replaceWhole(before: KubernetesObject, body: KubernetesObject): KubernetesObject {
  const { resourceVersion } = body.metadata;
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
    throw new ApiError(`${before.kind} "${before.metadata.name ?? ''}" was changed`, {
      status: 409,
      reason: 'Conflict',
    });
  }
  const { uid, creationTimestamp, generation } = before.metadata;
  const own = Object.fromEntries(
    Object.entries({ uid, creationTimestamp, generation }).filter(([, value]) => value !== undefined),
  );
  return { ...structuredClone(body), metadata: { ...structuredClone(body.metadata), ...own } };
}

function patch(before: KubernetesObject, { contentType, body }: ApiRequest): KubernetesObject {
  const document = before as unknown as Json;
  if (contentType === 'application/merge-patch+json') {
    return applyMergePatch(document, body as Json) as unknown as KubernetesObject;
  }
  if (contentType !== 'application/json-patch+json')
    throw new Error(`a patch of ${contentType ?? ''} cannot be rehearsed`);
  try {
    return applyJsonPatch(document, body) as unknown as KubernetesObject;
  } catch (cause) {
    // In the words by which the API server says so, since the operator reads them.
    const message = `the server rejected our request due to an error in our request: ${errorText(cause)}`;
    throw new ApiError(message, { status: 422, reason: 'Invalid' });
  }
}

/** A write of the object itself leaves its status alone. */
function keepStatus(changed: KubernetesObject, { status }: KubernetesObject): KubernetesObject {
  const rest = withoutStatus(changed);
  return status === undefined ? rest : { ...rest, status };
}

/** Fields whose change counts up the generation. */
const CONTENT = ['spec', 'webhooks'] as const;

/** Counts the generation up when the content has changed; a content that the server would fill up to what it was is what it was. */
function settleGeneration(changed: KubernetesObject, before: KubernetesObject): KubernetesObject {
  const same = CONTENT.filter((field) => isWhatWasWanted(changed[field], before[field]));
  const kept = Object.fromEntries(
    same.flatMap((field) => (before[field] === undefined ? [] : [[field, before[field]]])),
  );
  const { generation = 0 } = before.metadata;
  const isChanged = same.length < CONTENT.length;
  return {
    ...changed,
    ...kept,
    metadata: { ...changed.metadata, generation: isChanged ? generation + 1 : generation },
  };
}

function isReleased({ deletionTimestamp, finalizers = [] }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && finalizers.length === 0;
}

function withoutStatus(object: KubernetesObject): KubernetesObject {
  const copy = { ...object };
  delete copy.status;
  return copy;
}
