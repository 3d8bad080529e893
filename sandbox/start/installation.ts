import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { buildKubeVirtCrd } from '../../src/strategy/components/kubevirt-crd.ts';
import type { ApiClient } from '../api-client.ts';
import type { ApiObject } from '../api-object.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The part of a client that installing needs. */
export type Installer = Pick<ApiClient, 'call' | 'expect'>;

/**
 * Plural names of the kinds that are installed. What else the chart has belongs to pods (Deployments, Services, budgets, network policies): here the
 * operator is a process.
 */
const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  PriorityClass: 'priorityclasses',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  CustomResourceDefinition: 'customresourcedefinitions',
  KubeVirt: 'kubevirts',
};

const POLL_MS = 50;

/** An object with everything that its address needs. */
export interface Manifest extends ApiObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** Path of an object of the kinds above. Throws for another kind. */
export function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const plural = PLURALS[kind];
  if (plural === undefined) throw new Error(`no plural known for kind ${kind}`);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${scope}/${plural}/${metadata.name}`;
}

/** Creates or updates the object by server-side apply. */
export async function apply(api: Installer, object: Manifest): Promise<void> {
  const query = 'fieldManager=virt-operator-start&force=true';
  await api.expect('PATCH', `${pathOf(object)}?${query}`, object, 'application/apply-patch+yaml');
}

/** What the chart installs besides the operator's pods: namespace, priority class, accounts and rights. Rendered by helm, so that there is no second copy. */
async function renderChart(helm: string): Promise<Manifest[]> {
  const chart = join(ROOT, 'charts', 'virt-operator');
  const args = ['template', 'virt-operator', chart, '--namespace', 'kubevirt', '--no-hooks'];
  const { stdout } = await promisify(execFile)(helm, args, { maxBuffer: 16 * 1024 * 1024 });
  return parseManifests(stdout).filter(({ kind }) => kind in PLURALS);
}

/** The objects of a YAML text with several documents. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return (document.toJS() as Manifest | null) ?? [];
  });
}

/** Installs the chart's objects, the namespace first, and the CRD of KubeVirt; resolves when KubeVirt objects can be created. */
export async function installPrerequisites(api: Installer, helm: string): Promise<void> {
  const objects = await renderChart(helm);
  const isNamespace = ({ kind }: Manifest) => kind === 'Namespace';
  for (const namespace of objects.filter(isNamespace)) await apply(api, namespace);
  const crd = buildKubeVirtCrd() as unknown as Manifest;
  await Promise.all([crd, ...objects.filter((object) => !isNamespace(object))].map((object) => apply(api, object)));
  await waitForDefinition(api, crd);
}

/** Installs one of the files in sandbox/crds: APIs that some clusters have, and what the operator looks for beside them. */
export async function installExtras(api: Installer, name: 'openshift' | 'monitoring'): Promise<void> {
  const objects = parseManifests(await readFile(join(ROOT, 'sandbox', 'crds', `${name}.yaml`), 'utf8'));
  for (const object of objects) await apply(api, object);
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  await Promise.all(definitions.map((crd) => waitForDefinition(api, crd)));
}

/** The KubeVirt object of examples/kubevirt.yaml. */
export async function readExample(): Promise<Manifest> {
  return parse(await readFile(join(ROOT, 'examples', 'kubevirt.yaml'), 'utf8')) as Manifest;
}

/** Waits until the API of a definition is served; established comes a moment before. */
async function waitForDefinition(api: Installer, crd: Manifest): Promise<void> {
  const spec = crd['spec'] as {
    group: string;
    names: { plural: string };
    versions: { name: string; served: boolean }[];
  };
  const version = spec.versions.find(({ served }) => served)?.name ?? '';
  const path = `/apis/${spec.group}/${version}/${spec.names.plural}?limit=1`;
  while ((await api.call('GET', path)).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
