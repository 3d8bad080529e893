import type { ApiRequest } from '../../api/connection.ts';
import { apiVersionOf, KINDS, type KindName } from '../../api/kinds.ts';

/** What a call to the API server is about. */
export interface RequestTarget {
  kind: KindName;
  namespace?: string;
  /** Undefined for a collection. */
  name?: string;
  subresource?: string;
}

const PATH =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)\/(?:namespaces\/(?<namespace>[^/]+)\/)?(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?$/;

const BY_RESOURCE: ReadonlyMap<string, KindName> = new Map(
  (Object.keys(KINDS) as KindName[]).map((kind) => [`${apiVersionOf(kind)} ${KINDS[kind].plural}`, kind]),
);

/** Reads the path of a call; undefined when it is about no kind that the operator handles. */
export function parseTarget({ path }: Pick<ApiRequest, 'path'>): RequestTarget | undefined {
  const { group, version = '', plural = '', ...rest } = PATH.exec(path)?.groups ?? {};
  const kind = BY_RESOURCE.get(`${group === undefined ? version : `${group}/${version}`} ${plural}`);
  if (kind === undefined) return undefined;
  const parts = Object.entries(rest).flatMap(([part, text]) =>
    typeof text === 'string' ? [[part, decodeURIComponent(text)]] : [],
  );
  return { kind, ...(Object.fromEntries(parts) as Omit<RequestTarget, 'kind'>) };
}
