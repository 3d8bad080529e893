import type { ApiConnection, ApiStream } from '../api/connection.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { compareResourceVersions } from '../api/store.ts';
import { ApiError } from '../errors.ts';

/** A collection of objects that can be listed and watched. */
export interface WatchSource {
  /** Path of the collection. */
  path: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Only metadata is asked for; servers that cannot do that send whole objects. */
  metadataOnly: boolean;
}

/** Measures of lists and watches; tests make them short. */
export interface WatchLimits {
  /** Objects per page of a list. */
  pageSize: number;
  /** After how long the server ends a watch at the latest, in seconds; up to a fifth earlier at random, so that watches do not all end at once. */
  watchSeconds: number;
  /** Without a byte for so long a watch counts as dead. A server that has seen an event of the kind sends a bookmark about once a minute. */
  silenceMs: number;
}

/** One event of a watch. `object` is as the server sent it. */
export type WatchEvent =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubernetesObject; version: string }
  | { type: 'BOOKMARK'; version: string };

const AS_METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const AS_METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** The part of a list answer that is read here. */
interface ListAnswer {
  metadata?: { resourceVersion?: string; continue?: string };
  items?: KubernetesObject[] | null;
}

/**
 * Lists a collection page by page, each page handed to `onPage` before the next is asked for, so that whole objects of one page only are in memory.
 * Returns the version of the list: every change after it can be watched from there. All pages show the state of that one version.
 */
export async function readList(
  connection: ApiConnection,
  source: WatchSource,
  limits: WatchLimits,
  options: { signal: AbortSignal; onPage: (items: KubernetesObject[]) => void },
): Promise<string> {
  let version = '0';
  let next: string | undefined;
  do {
    const answer = (await connection.request({
      method: 'GET',
      path: source.path,
      query: { ...selectors(source), limit: limits.pageSize, continue: next },
      accept: source.metadataOnly ? AS_METADATA_LIST : 'application/json',
      lane: 'watch',
      signal: options.signal,
    })) as ListAnswer;
    options.onPage(answer.items ?? []);
    version = answer.metadata?.resourceVersion ?? version;
    next = answer.metadata?.continue === '' ? undefined : answer.metadata?.continue;
  } while (next !== undefined);
  return version;
}

/**
 * Watches a collection from `version` on. Ends when the server ends the watch; throws ApiError when it refuses or breaks it off (410: the version is
 * too old and the collection must be listed again), other errors when the connection breaks or is silent.
 */
export async function* readWatch(
  connection: ApiConnection,
  source: WatchSource,
  limits: WatchLimits,
  options: { signal: AbortSignal; version: string; random: () => number; silenceMs: () => number; onOpen?: () => void },
): AsyncGenerator<WatchEvent, void, undefined> {
  const stream: ApiStream = await connection.stream({
    method: 'GET',
    path: source.path,
    query: {
      ...selectors(source),
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: options.version,
      timeoutSeconds: Math.round(limits.watchSeconds * (0.8 + options.random() / 5)),
    },
    accept: source.metadataOnly ? AS_METADATA : 'application/json',
    lane: 'watch',
    signal: options.signal,
    silenceMs: options.silenceMs,
  });
  options.onOpen?.();
  try {
    for await (const document of stream.documents) {
      const event = parseEvent(source, document);
      if (compareResourceVersions(event.version, options.version) < 0) throw historyLost(source);
      yield event;
    }
  } finally {
    stream.close();
  }
}

function selectors({ labelSelector, fieldSelector }: WatchSource): Record<string, string | undefined> {
  return { labelSelector, fieldSelector };
}

function parseEvent(source: WatchSource, document: JsonObject): WatchEvent {
  const type = document['type'];
  const object = document['object'] as unknown as KubernetesObject | undefined;
  if (type === 'ERROR') throw parseErrorEvent(source, document['object'] as JsonObject | undefined);
  const version = object?.metadata.resourceVersion;
  if (object === undefined || version === undefined)
    throw new Error(`watch of ${source.path}: event without a version`);
  if (type === 'BOOKMARK') return { type, version };
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object, version };
  throw new Error(`watch of ${source.path}: unknown event type ${JSON.stringify(type)}`);
}

function parseErrorEvent(source: WatchSource, status: JsonObject | undefined): ApiError {
  const code = typeof status?.['code'] === 'number' ? status['code'] : 500;
  const reason = typeof status?.['reason'] === 'string' ? status['reason'] : 'Unknown';
  const text = typeof status?.['message'] === 'string' ? `: ${status['message']}` : '';
  return new ApiError(`watch of ${source.path} was broken off: ${code} ${reason}${text}`, { status: code, reason });
}

/** Versions only run backwards when the server's storage was restored from a copy: what we know may never have happened. */
function historyLost({ path }: WatchSource): ApiError {
  return new ApiError(`watch of ${path}: the server's history went back`, { status: 410, reason: 'Expired' });
}

/** True when the server no longer knows the version that was asked for: only a new list helps. */
export function isExpired(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const tooNew = error.status === 504 && /too large resource version/i.test(error.message);
  return error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone' || tooNew;
}
