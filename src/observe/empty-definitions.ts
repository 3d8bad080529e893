import type { ApiConnection } from '../api/connection.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';

/** A CRD, and the version in which its objects are to be read. */
export interface DefinitionVersion {
  definition: KubernetesObject;
  version: string;
}

/**
 * Names of those CRDs of which not a single object exists, asked of the API server itself. Never rejects: where it does not answer, there may be objects.
 */
export async function findEmptyDefinitions(
  candidates: readonly DefinitionVersion[],
  connection: Pick<ApiConnection, 'request'>,
  signal: AbortSignal,
  log: Log,
): Promise<string[]> {
  const names = await Promise.all(
    candidates.map(async ({ definition, version }) => {
      const { group, names: resource } = definition.spec as unknown as { group: string; names: { plural: string } };
      const path = `/apis/${group}/${version}/${resource.plural}`;
      const { name = '' } = definition.metadata;
      try {
        const { items } = await connection.request({ method: 'GET', path, query: { limit: 1 }, signal });
        return Array.isArray(items) && items.length === 0 ? [name] : [];
      } catch (error) {
        log.warn(
          { reason: errorText(error) },
          `it cannot be told whether CustomResourceDefinition ${name} has objects`,
        );
        return [];
      }
    }),
  );
  return names.flat();
}
