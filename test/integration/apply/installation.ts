import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

import { KINDS, resourcePath, type KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { generateInput } from '../../unit/strategy/builders.ts';
import { eventually } from '../fixtures/eventually.ts';
import { isWrite, NAMESPACE, readAudit, readKubeVirt, type Site } from '../install/harness.ts';
import { describeWrite } from '../life/harness.ts';

/** A rule of a role. */
export interface Rule {
  apiGroups?: string[];
  resources?: string[];
  verbs: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** What the operator does by itself: every verb on the kinds that it handles, but neither `escalate` nor `bind`. */
function managementRules(): Rule[] {
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  return Object.values(KINDS).map(({ group, plural }) => ({
    apiGroups: [group],
    resources: [plural, `${plural}/status`, `${plural}/finalizers`],
    verbs,
  }));
}

/** The rules of all roles of the release, which an operator must hold itself to be let create them; without those that name the resource. */
export function operatorRules(missingResource?: string): Rule[] {
  const { objects } = generateStrategy(generateInput({}, { monitorNamespace: 'monitoring' }));
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
  const granted = roles.flatMap((role) => (role as unknown as { rules: Rule[] | null }).rules ?? []);
  return [...managementRules(), ...granted].flatMap((rule) => {
    const resources = rule.resources?.filter((resource) => resource !== missingResource);
    if (resources === undefined) return [rule];
    // A rule of resource names counts for those names only; the operator may do it with any.
    const { apiGroups = [], verbs } = rule;
    return resources.length === 0 ? [] : [{ apiGroups, verbs, resources }];
  });
}

/** Applies the CRDs of a file of the sandbox. */
export async function applyCrds({ plane }: Site, file: string): Promise<void> {
  const text = readFileSync(new URL(`../../../sandbox/crds/${file}`, import.meta.url), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as KubernetesObject;
    if (object.kind === 'CustomResourceDefinition') await plane.api.expect('POST', resourcePath(object.kind), object);
  }
}

/** The first managed object of a kind, by name. */
export async function readFirst({ plane }: Site, kind: KindName): Promise<KubernetesObject | undefined> {
  const { items } = (await plane.api.expect(
    'GET',
    `${resourcePath(kind)}?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dvirt-operator`,
  )) as { items?: KubernetesObject[] };
  return items?.[0];
}

/** Resolves with the Synchronized condition when it is as wanted. */
export async function whenSynchronizedSays(site: Site, want: RegExp, timeoutMs = 60_000) {
  return eventually(
    async () => {
      const { status } = await readKubeVirt(site);
      return status?.conditions?.find(({ type }) => type === 'Synchronized');
    },
    (condition) => want.test(condition?.message ?? ''),
    timeoutMs,
  );
}

/** The operator's writes to operands after a moment of the audit log. */
export async function operandWrites(site: Site, mark: number): Promise<string[]> {
  const entries = (await readAudit(site)).slice(mark).filter(isWrite);
  return entries
    .filter(({ objectRef }) => !['events', 'kubevirts', 'configmaps'].includes(objectRef?.resource ?? ''))
    .map(describeWrite);
}

const HANDLER = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`;

interface Handler {
  spec: { template: { spec: { containers: { env?: { name: string }[] }[] } } };
  status: Record<string, number>;
  metadata: { generation: number };
}

/**
 * Adds a variable to virt-handler by hand, a second time while the rollout that this has caused is under way, and waits until neither is left
 * (spec/field-reports.md B15). Returns the milliseconds from the second edit until the specification was restored.
 */
export async function editDuringRollout({ plane }: Site, name: string): Promise<number> {
  const read = async () => (await plane.api.expect('GET', HANDLER)) as unknown as Handler;
  const addVariable = (variable: string) =>
    plane.api.expect(
      'PATCH',
      HANDLER,
      {
        spec: { template: { spec: { containers: [{ name: 'virt-handler', env: [{ name: variable, value: '1' }] }] } } },
      },
      'application/strategic-merge-patch+json',
    );
  await addVariable(`${name}_FIRST`);
  await eventually(read, isRolling, 60_000);
  const edited = performance.now();
  await addVariable(`${name}_SECOND`);
  await eventually(read, (handler) => !JSON.stringify(handler.spec).includes(name), 120_000);
  return performance.now() - edited;
}

/** Whether some nodes have left an older template and others have not. */
function isRolling({ status, metadata }: Handler): boolean {
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, observedGeneration = 0 } = status;
  return observedGeneration < metadata.generation || updatedNumberScheduled < desiredNumberScheduled;
}
