import type { JsonObject } from '../../api/objects.ts';
import { rowsOf, wordsOf } from '../text-table.ts';

/**
 * Names of frequent verb lists. The order of verbs counts: it is upstream's, and a role with another order would be written again on a takeover.
 */
const VERBS: Readonly<Record<string, string>> = {
  read: 'get list watch',
  full: 'get delete create update patch list watch',
  'full+collection': 'get delete create update patch list watch deletecollection',
};

/**
 * Reads a table of RBAC rules, one per line: `group | resources | verbs` and optionally `| resource names`.
 * `core` is the core group; resources are separated by blanks, `vm/{start,stop}` stands for `vm/start vm/stop`; verbs are a list or a name of one.
 */
export function rules(table: string): JsonObject[] {
  return rowsOf(table).map(rule);
}

function rule([group = '', resources = '', verbs = '', names]: string[]): JsonObject {
  return {
    apiGroups: [group === 'core' ? '' : group],
    resources: wordsOf(resources).flatMap(expand),
    verbs: wordsOf(VERBS[verbs] ?? verbs),
    ...(names !== undefined && { resourceNames: wordsOf(names) }),
  };
}

function expand(resource: string): string[] {
  const match = /^(.*)\{(.*)\}$/.exec(resource);
  if (match === null) return [resource];
  const [, stem = '', endings = ''] = match;
  return endings.split(',').map((ending) => stem + ending);
}
