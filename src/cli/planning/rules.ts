/** One rule of a role. */
export interface PolicyRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** One right: a single verb on a single resource or URL. */
interface Right {
  verb: string;
  group?: string;
  resource?: string;
  name?: string;
  url?: string;
}

/**
 * The rights of `wanted` that `held` does not contain, in words, as the API server counts when somebody creates a role: one has to hold what one gives
 * (spec/deployment.md §5).
 */
export function findMissingRights(wanted: readonly PolicyRule[], held: readonly PolicyRule[]): string[] {
  const missing = wanted.flatMap(splitRule).filter((right) => !held.some((rule) => covers(rule, right)));
  return [...new Set(missing.map(describeRight))].toSorted();
}

/** Whether the rules allow a verb on a resource. */
export function isAllowed(
  held: readonly PolicyRule[],
  right: Required<Pick<Right, 'verb' | 'group' | 'resource'>>,
): boolean {
  return held.some((rule) => covers(rule, right));
}

function splitRule(rule: PolicyRule): Right[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const onResources = verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({ verb, group, resource, ...(name === undefined ? {} : { name }) })),
      ),
    ),
  );
  return [...onResources, ...verbs.flatMap((verb) => nonResourceURLs.map((url) => ({ verb, url })))];
}

function covers(rule: PolicyRule, right: Right): boolean {
  if (!hasOrAll(rule.verbs ?? [], right.verb)) return false;
  const { url } = right;
  if (url === undefined) return coversObject(rule, right);
  return (rule.nonResourceURLs ?? []).some((held) => coversUrl(held, url));
}

function coversObject(rule: PolicyRule, { group = '', resource = '', name }: Right): boolean {
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  const isNamed = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return hasOrAll(apiGroups, group) && coversResource(resources, resource) && isNamed;
}

function hasOrAll(held: readonly string[], wanted: string): boolean {
  return held.includes('*') || held.includes(wanted);
}

/** `*` stands for everything, and `*` before a slash for that sub-resource of everything. */
function coversResource(held: readonly string[], wanted: string): boolean {
  const [, subresource] = wanted.split('/');
  return hasOrAll(held, wanted) || (subresource !== undefined && held.includes(`*/${subresource}`));
}

function coversUrl(held: string, wanted: string): boolean {
  return held === wanted || (held.endsWith('*') && wanted.startsWith(held.slice(0, -1)));
}

function describeRight({ verb, group = '', resource = '', name, url }: Right): string {
  if (url !== undefined) return `${verb} ${url}`;
  const title = group === '' ? resource : `${resource}.${group}`;
  return name === undefined ? `${verb} ${title}` : `${verb} ${title} "${name}"`;
}
