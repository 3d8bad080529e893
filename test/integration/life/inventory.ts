import type { ApiClient } from '../../../sandbox/api-client.ts';
import { objectKey, type KubernetesObject } from '../../../src/api/objects.ts';

/** What comes and goes by itself, or tells of what has happened. */
const PASSING = new Set(['Event', 'Pod', 'ControllerRevision']);

interface Resource {
  name: string;
  kind: string;
  verbs: string[];
}

interface Group {
  name: string;
  preferredVersion: { groupVersion: string };
}

/**
 * Every object of the cluster that has a life of its own, of whatever kind, as `Kind namespace/name`, sorted: also what carries no label and is of a kind
 * that nobody thought of. Aggregated groups that are not served are passed over.
 */
export async function takeInventory(api: ApiClient): Promise<string[]> {
  const { groups } = (await api.expect('GET', '/apis')) as unknown as { groups: Group[] };
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found = await Promise.all(roots.map((root) => listGroup(api, root)));
  return [...new Set(found.flat())].sort();
}

async function listGroup(api: ApiClient, root: string): Promise<string[]> {
  const { status, body } = await api.call('GET', root);
  if (status === 404 || status === 503) return [];
  if (status !== 200) throw new Error(`${root} was answered ${status}`);
  const resources = ((body as unknown as { resources?: Resource[] }).resources ?? []).filter(
    ({ name, kind, verbs }) => verbs.includes('list') && !name.includes('/') && !PASSING.has(kind),
  );
  const lists = await Promise.all(resources.map((resource) => listResource(api, root, resource)));
  return lists.flat();
}

async function listResource(api: ApiClient, root: string, { name, kind }: Resource): Promise<string[]> {
  const { status, body } = await api.call('GET', `${root}/${name}`);
  // Its definition has gone between the two questions.
  if (status === 404) return [];
  if (status !== 200) throw new Error(`${root}/${name} was answered ${status}`);
  return (body['items'] as KubernetesObject[]).map(
    ({ metadata }) => `${kind} ${objectKey(metadata.name ?? '', metadata.namespace)}`,
  );
}
