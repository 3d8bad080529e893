import type { ApiConnection, ApiRequest } from '../../../../src/api/connection.ts';
import type { KindName } from '../../../../src/api/kinds.ts';
import type { JsonObject, KubernetesObject } from '../../../../src/api/objects.ts';
import type { Snapshot } from '../../../../src/cli/cluster/snapshot.ts';
import { ApiError } from '../../../../src/errors.ts';
import { buildTable } from '../../../../src/watch/table.ts';
import { PLAIN_FEATURES } from '../../plan/drive.ts';

const NAMESPACES: KubernetesObject[] = ['kubevirt', 'kube-system'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
}));

/** A cluster with two namespaces and what a test adds. */
export function buildSnapshot(objects: readonly KubernetesObject[] = []): Snapshot {
  return {
    operatorNamespace: 'kubevirt',
    features: PLAIN_FEATURES,
    rows: buildTable('kubevirt').filter(
      ({ crdPresence, feature }) => crdPresence !== true && (feature === undefined || PLAIN_FEATURES[feature]),
    ),
    objects: [...NAMESPACES, ...objects].map((object) => ({ kind: object.kind as KindName, object })),
  };
}

/** A real API server as a rehearsal may see it: answers reads with what it holds by path, and notes everything that it is asked. */
export class ReadOnlyApi implements ApiConnection {
  readonly asked: string[] = [];
  readonly #objects: Record<string, object>;

  constructor(objects: Record<string, object> = {}) {
    this.#objects = objects;
  }

  hold(path: string, object: object): void {
    this.#objects[path] = object;
  }

  request({ method, path }: ApiRequest): Promise<JsonObject> {
    this.asked.push(`${method} ${path}`);
    const found = this.#objects[path];
    if (found !== undefined) return Promise.resolve(structuredClone(found) as JsonObject);
    return Promise.reject(new ApiError(`${path} not found`, { status: 404, reason: 'NotFound' }));
  }

  stream(): Promise<never> {
    return Promise.reject(new Error('nobody watches here'));
  }

  close(): void {
    // Nothing is open.
  }
}
