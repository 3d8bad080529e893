import type { ApiConnection, ApiStream } from '../api/connection.ts';
import { resourcePath, type KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { isNotFound } from '../errors.ts';

/** One watched object. */
export interface WatchedObject {
  kind: KindName;
  name: string;
  namespace?: string;
}

/** A watch is renewed after so long, so that nothing is missed when a connection dies without a word. */
const RENEW_SECONDS = 30;
const SILENCE_MS = 60_000;

/**
 * Resolves when `isDone` holds for the object; undefined stands for an object that does not exist. Asks once, then at each change. Rejects with the
 * signal's reason, and with what the API server says when it does not answer 200.
 */
export async function waitForObject(
  connection: ApiConnection,
  target: WatchedObject,
  isDone: (object: KubernetesObject | undefined) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const object = await findObject(connection, target, signal);
    if (isDone(object)) return;
    const stream = await connection.stream({
      method: 'GET',
      path: resourcePath(target.kind, target.namespace),
      query: {
        watch: true,
        fieldSelector: `metadata.name=${target.name}`,
        timeoutSeconds: RENEW_SECONDS,
        resourceVersion: object?.metadata.resourceVersion,
      },
      silenceMs: SILENCE_MS,
      signal,
    });
    if (await seesDone(stream, isDone)) return;
    signal.throwIfAborted();
  }
}

/** Follows a watch until the object is as wanted, true, or until the watch ends and has to be begun anew, false. */
async function seesDone(
  stream: ApiStream,
  isDone: (object: KubernetesObject | undefined) => boolean,
): Promise<boolean> {
  try {
    for await (const { type, object } of stream.documents) {
      // Too old to be watched from.
      if (type === 'ERROR') return false;
      if (isDone(type === 'DELETED' ? undefined : (object as unknown as KubernetesObject))) return true;
    }
    return false;
  } finally {
    stream.close();
  }
}

async function findObject(
  connection: ApiConnection,
  { kind, name, namespace }: WatchedObject,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    const path = resourcePath(kind, namespace, name);
    return (await connection.request({ method: 'GET', path, signal })) as unknown as KubernetesObject;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
