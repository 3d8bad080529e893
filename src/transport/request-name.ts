import type { ApiRequest } from '../api/connection.ts';

/** How a call is named in metrics (spec/observability.md §3). */
export interface RequestName {
  /** Plural resource, the parent's for sub-resources; `none` for calls that are about no resource. */
  resource: string;
  /** `GET`, `LIST`, `WATCH`, `CREATE`, `UPDATE`, `PATCH`, `DELETE`; `none` together with the resource. */
  verb: string;
}

const RESOURCE_PATH = /^\/(?:api|apis\/[\w.-]+)\/[\w.-]+\/(?:namespaces\/[^/]+\/)?(?<resource>[\w.-]+)(?:\/|$)/;
const WRITES: Partial<Record<string, string>> = { POST: 'CREATE', PUT: 'UPDATE', PATCH: 'PATCH', DELETE: 'DELETE' };

/** Names a call for metrics. A namespace object itself counts as resource `namespaces`. */
export function describeRequest(call: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestName {
  const match = RESOURCE_PATH.exec(call.path);
  const resource = match?.groups?.['resource'];
  if (resource === undefined) return { resource: 'none', verb: 'none' };
  const written = WRITES[call.method];
  if (written !== undefined) return { resource, verb: written };
  if (call.query?.['watch'] !== undefined && call.query['watch'] !== false) return { resource, verb: 'WATCH' };
  return { resource, verb: call.path.endsWith(`/${resource}`) ? 'LIST' : 'GET' };
}
