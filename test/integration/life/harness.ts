import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';

import { RECORDED_STRATEGIES, startDumper, type Dumper, type DumperOptions } from '../../../sandbox/dumper.ts';
import { generationIdentity, isSameGenerationIdentity } from '../../../src/api/generations.ts';
import { resourcePath, type KindName } from '../../../src/api/kinds.ts';
import type { KubeVirt, KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { objectKey, type KubernetesObject } from '../../../src/api/objects.ts';
import {
  isWrite,
  KUBEVIRT_PATH,
  NAMESPACE,
  readAudit,
  readKubeVirt,
  startOperator,
  startSite,
  type AuditEntry,
  type Operator,
  type Site,
} from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listManaged } from './snapshot.ts';

/** The account of the operator's pods: dump Jobs run with it. */
const ACCOUNT = 'kubevirt-operator';

/** A site with the operator's account and a kubelet for dump Jobs. */
export interface LifeSite extends Site {
  dumper: Dumper;
}

/** Starts a site where other releases can be installed too: `recorded` strategies of theirs, else our own dump under their version. */
export async function startLifeSite(
  options: Omit<DumperOptions, 'plane'> & { owner?: Parameters<typeof startSite>[0]; nodes?: number } = {},
): Promise<LifeSite> {
  const { owner, nodes, ...how } = options;
  const site = await startSite(owner, nodes);
  const { plane } = site;
  await plane.api.expect('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: ACCOUNT, namespace: NAMESPACE },
  });
  await plane.api.expect('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }],
  });
  const dumper = startDumper({ plane, ...how });
  site.atEnd(() => dumper.stop());
  return { ...site, dumper };
}

/** Folder of recorded strategies; undefined when there is none. */
export const recordedStrategies: string | undefined = existsSync(RECORDED_STRATEGIES) ? RECORDED_STRATEGIES : undefined;

/** Starts role `all` and waits until it leads and answers admission. */
export async function startLeader(site: Site, more: readonly string[] = []): Promise<Operator> {
  const operator = await startOperator(site, 'all', more);
  site.plane.setWebhookPorts([operator.webhookPort]);
  await operator.said('started leading');
  return operator;
}

/** Replaces the spec of the KubeVirt object; again when the operator was faster with its status. */
export async function replaceSpec({ plane }: Site, spec: KubeVirtSpec): Promise<void> {
  await eventually(
    async () => {
      const kubeVirt = await plane.api.expect('GET', `${KUBEVIRT_PATH}/kubevirt`);
      return plane.api.call('PUT', `${KUBEVIRT_PATH}/kubevirt`, { ...kubeVirt, spec });
    },
    ({ status }) => status === 200,
    60_000,
  );
}

/** Puts a merge patch on the KubeVirt object. */
export async function editKubeVirt({ plane }: Site, patch: object): Promise<void> {
  await plane.api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt`, patch, 'application/merge-patch+json');
}

/** Deletes the KubeVirt object and resolves when it is gone. */
export async function deleteKubeVirt(site: Site, timeoutMs = 120_000): Promise<void> {
  await site.plane.api.expect('DELETE', `${KUBEVIRT_PATH}/kubevirt`);
  await whenGone(site, timeoutMs);
}

/** Resolves when the KubeVirt object is gone. */
export async function whenGone({ plane }: Site, timeoutMs = 120_000): Promise<void> {
  await eventually(
    () => plane.api.call('GET', `${KUBEVIRT_PATH}/kubevirt`),
    ({ status }) => status === 404,
    timeoutMs,
  );
}

/** The operator's writes after a moment of the audit log: what `markAudit` has returned. */
export async function writesSince(site: Site, mark: number): Promise<AuditEntry[]> {
  return (await readAudit(site))
    .slice(mark)
    .filter(isWrite)
    .filter(({ objectRef }) => objectRef?.resource !== 'events');
}

/** How many entries the audit log has now. */
export async function markAudit(site: Site): Promise<number> {
  return (await readAudit(site)).length;
}

/** A write in words, as the recorded ones are written: `patch deployments virt-api`. */
export function describeWrite({ verb, objectRef }: AuditEntry): string {
  const { resource = '', subresource, name = '' } = objectRef ?? {};
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${name}`;
}

/** Resolves when the operator has sent nothing but watches for `ms` milliseconds; fails when that takes longer than two minutes. */
export async function whenQuiet(site: Site, ms = 1500): Promise<void> {
  let seen = -1;
  let since = 0;
  const count = async () => (await readAudit(site)).filter(({ verb }) => verb !== 'watch').length;
  await eventually(
    count,
    (requests) => {
      if (requests !== seen) since = performance.now();
      seen = requests;
      return performance.now() - since >= ms;
    },
    120_000,
  );
}

/** Status of one condition of the KubeVirt object. */
export async function readCondition(site: Site, type: string) {
  const { status } = await readKubeVirt(site);
  return (status?.conditions ?? []).find((condition) => condition.type === type);
}

/** Fails when the text of the condition does not match all patterns. */
export function assertSays(condition: { message?: string } | undefined, ...patterns: readonly RegExp[]): void {
  for (const pattern of patterns) assert.match(condition?.message ?? '', pattern);
}

/**
 * Fails when anything of the installation remains; the KubeVirt CRD and what came before the operator are no part of it. Pods go a moment after what they belong
 * to, the more of them the later: the cluster's garbage collector takes them.
 */
export async function assertNothingLeft(site: Site, timeoutMs = 60_000): Promise<void> {
  const left = await listLeftovers(site);
  assert.deepEqual(
    left.filter((object) => !object.startsWith('Pod ')),
    [],
  );
  await eventually(
    () => listLeftovers(site),
    ({ length }) => length === 0,
    timeoutMs,
  );
}

/** What remains, as `Kind namespace/name`. */
async function listLeftovers(site: Site): Promise<string[]> {
  const { api } = site.plane;
  const managed = await listManaged(api);
  const crds = (await api.expect('GET', resourcePath('CustomResourceDefinition')))['items'] as KubernetesObject[];
  const ours = crds.filter(
    ({ metadata }) => /(^|\.)kubevirt\.io$/.test(metadata.name ?? '') && metadata.name !== 'kubevirts.kubevirt.io',
  );
  return [...managed, ...ours]
    .filter(({ kind, metadata }) => kind !== 'Pod' || metadata.deletionTimestamp === undefined)
    .map(({ kind, metadata }) => `${kind} ${objectKey(metadata.name ?? '', metadata.namespace)}`);
}

/** What in `status.generations` is not as the objects themselves are: an entry without an object, or with another generation than it has. */
export async function findWrongGenerations({ plane }: Site, { status }: KubeVirt): Promise<string[]> {
  const managed = await listManaged(plane.api);
  return (status?.generations ?? []).flatMap((entry) => {
    const live = managed.find(({ kind, metadata }) => {
      const identity = generationIdentity(kind as KindName, metadata);
      return identity !== undefined && isSameGenerationIdentity(identity, entry);
    });
    const generation = live?.metadata.generation;
    const isRight = generation === entry.lastGeneration;
    return isRight ? [] : [`${entry.resource} ${entry.name}: ${entry.lastGeneration}, not ${String(generation)}`];
  });
}

/** Has the API server ask the webhooks of the operator and of virt-api; returns what was not answered as it should be. */
export async function probeAdmission({ plane: { api } }: Site): Promise<string[]> {
  const edit = { spec: { configuration: { cpuModel: 'host-model' } } };
  const answers = await Promise.all([
    api.call('PATCH', `${KUBEVIRT_PATH}/kubevirt?dryRun=All`, edit, 'application/merge-patch+json'),
    api.call('POST', '/apis/kubevirt.io/v1/namespaces/default/virtualmachines?dryRun=All', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { generateName: 'probe-' },
      spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
    }),
  ]);
  return answers.filter(({ status }) => status >= 300).map(({ status, text }) => `${status} ${text.slice(0, 400)}`);
}
