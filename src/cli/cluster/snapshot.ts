import type { ApiConnection } from '../../api/connection.ts';
import type { ClusterFeatures } from '../../api/features.ts';
import { apiVersionOf, resourcePath, type KindName } from '../../api/kinds.ts';
import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { isNotFound } from '../../errors.ts';
import { readFeatures } from '../../watch/features.ts';
import { buildTable, sourceOf, type WatchRow } from '../../watch/table.ts';
import type { WatchSource } from '../../watch/watch.ts';

/** What the operator's caches would hold at one moment, but whole. */
export interface Snapshot {
  operatorNamespace: string;
  features: ClusterFeatures;
  /** The collections that the operator watches. */
  rows: readonly WatchRow[];
  /** The objects of each, without `managedFields`. */
  objects: readonly { kind: KindName; object: KubernetesObject }[];
}

const PAGE_SIZE = 500;
/** The bulk of such objects, of nodes above all, is of no interest. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Reads everything that a pass of the operator would look at. Rejects when a collection cannot be read, naming it. */
export async function readSnapshot(
  connection: ApiConnection,
  operatorNamespace: string,
  signal: AbortSignal,
): Promise<Snapshot> {
  const features = await readFeatures(connection, signal);
  const rows = buildTable(operatorNamespace).filter(
    ({ feature, crdPresence }) => crdPresence !== true && (feature === undefined || features[feature]),
  );
  const lists = await Promise.all(
    rows.map(async (row) => {
      const { kind } = row;
      const source = sourceOf(row, operatorNamespace, 'full');
      const objects = await readCollection(connection, { kind, source, signal });
      return objects.map((object) => ({ kind, object }));
    }),
  );
  return { operatorNamespace, features, rows, objects: lists.flat() };
}

/** The labels of all nodes. */
export async function readNodeLabels(
  connection: ApiConnection,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>[]> {
  const source = { path: resourcePath('Node'), metadataOnly: true };
  const nodes = await readCollection(connection, { kind: 'Node', source, signal });
  return nodes.map(({ metadata }) => metadata.labels ?? {});
}

async function readCollection(
  connection: ApiConnection,
  { kind, source, signal }: { kind: KindName; source: WatchSource; signal: AbortSignal },
): Promise<KubernetesObject[]> {
  const { path, labelSelector, fieldSelector, metadataOnly } = source;
  const accept = metadataOnly ? { accept: METADATA_ONLY } : {};
  const objects: KubernetesObject[] = [];
  let next: string | undefined;
  do {
    const query = { labelSelector, fieldSelector, limit: PAGE_SIZE, continue: next };
    const page = await readPage(() => connection.request({ method: 'GET', path, query, signal, ...accept }), kind);
    objects.push(...itemsOf(page, kind));
    next = (page['metadata'] as { continue?: string } | undefined)?.continue || undefined;
  } while (next !== undefined);
  return objects;
}

/** A kind that is not served has no objects. */
async function readPage(ask: () => Promise<JsonObject>, kind: KindName): Promise<JsonObject> {
  try {
    return await ask();
  } catch (error) {
    if (isNotFound(error)) return {};
    throw new Error(`the objects of kind ${kind} cannot be read`, { cause: error });
  }
}

function itemsOf(page: JsonObject, kind: KindName): KubernetesObject[] {
  return ((page['items'] ?? []) as JsonObject[]).map((item) => {
    const metadata = { ...(item['metadata'] as KubernetesObject['metadata'] & { managedFields?: unknown }) };
    delete metadata.managedFields;
    return { ...item, apiVersion: apiVersionOf(kind), kind, metadata };
  });
}
