import type { ApiConnection } from '../api/connection.ts';
import { resourcePath } from '../api/kinds.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { withPatience, type Patience } from './patience.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';

/** What a namespace of KubeVirt bears: virt-handler is privileged, and policies know the namespace by the other one (spec/field-reports.md B72). */
const WANTED: Readonly<Record<string, string>> = { 'kubevirt.io': '', [ENFORCE]: 'privileged' };

/** Labels that are missing, to be added. Throws with the way out when somebody has decided that no privileged pod may run. Pure. */
export function decideNamespaceLabels({ metadata }: KubernetesObject): Record<string, string> {
  const { name = '', labels = {} } = metadata;
  const enforced = labels[ENFORCE];
  if (enforced !== undefined && enforced !== 'privileged') {
    throw new Error(
      `the namespace ${name} admits only pods of level ${enforced}, and virt-handler is privileged; allow them: kubectl label namespace ${name} --overwrite ${ENFORCE}=privileged`,
    );
  }
  return Object.fromEntries(Object.entries(WANTED).filter(([label]) => !(label in labels)));
}

/** Adds the labels that KubeVirt needs to its namespace. Rejects when they contradict those that are there, or with what the API server says. */
export async function labelNamespace(connection: ApiConnection, name: string, patience: Patience): Promise<void> {
  const { signal, tell } = patience;
  const path = resourcePath('Namespace', undefined, name);
  const read = () => connection.request({ method: 'GET', path, signal });
  const labels = decideNamespaceLabels((await withPatience(read, patience)) as unknown as KubernetesObject);
  if (Object.keys(labels).length === 0) return;
  const body: JsonObject = { metadata: { labels } };
  const contentType = 'application/merge-patch+json';
  await withPatience(() => connection.request({ method: 'PATCH', path, contentType, body, signal }), patience);
  tell(`the namespace ${name} is labelled ${Object.keys(labels).join(' and ')}`);
}
