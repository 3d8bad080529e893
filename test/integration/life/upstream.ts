import { readFileSync } from 'node:fs';

import type { ApiClient } from '../../../sandbox/api-client.ts';
import { generationIdentity, isSameGenerationIdentity } from '../../../src/api/generations.ts';
import { resourcePath, type KindName } from '../../../src/api/kinds.ts';
import type { GenerationStatus, KubeVirt, KubeVirtStatus } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { issueCertificate, type KeyPair } from '../../../src/apply/issue-certificate.ts';
import { AUTHORITIES, findAuthority, findLeaf, SIGNING_AUTHORITY } from '../../../src/plan/certificate-list.ts';
import { KUBEVIRT_PATH, NAMESPACE, type Site } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listManaged, readGoldenSnapshot, readGoldenSpec } from './snapshot.ts';

const GOLDEN = new URL('../../../../shared/golden/', import.meta.url);
const HOUR_MS = 3_600_000;

/** Kinds in an order in which each can be created: who admits others comes last. */
const ORDER: readonly KindName[] = [
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'Secret',
  'ConfigMap',
  'VirtualMachineClusterInstancetype',
  'VirtualMachineClusterPreference',
  'Deployment',
  'DaemonSet',
  'PodDisruptionBudget',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'APIService',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
];

/**
 * Rebuilds what upstream v1.9.0 leaves after `default.yaml`: its recorded objects, definitions, instance types and preferences from the pools, certificates of
 * the right shape, its strategy ConfigMap and the KubeVirt object with its status. Resolves when the components are ready.
 */
export async function installAsUpstream({ plane }: Site): Promise<void> {
  const { api } = plane;
  const { objects, namespaceLabels } = readGoldenSnapshot('default');
  const certificates = await mintCertificates();
  const recorded = Object.entries(objects as Record<string, KubernetesObject>).map(([, object]) => object);
  const labels = { metadata: { labels: namespaceLabels } };
  await api.expect('PATCH', `/api/v1/namespaces/${NAMESPACE}`, labels, 'application/merge-patch+json');
  const golden = objects[`KubeVirt/${NAMESPACE}/kubevirt`] as Pick<KubeVirt, 'metadata' | 'status'>;
  await createKubeVirt(api, golden.metadata);
  for (const kind of ORDER) {
    const ofKind = recorded.filter((object) => object.kind === kind);
    await Promise.all(ofKind.map((object) => create(api, kind, complete(object, certificates))));
    if (kind === 'CustomResourceDefinition') await whenServed(api);
  }
  await whenReady(api);
  const status = { ...golden.status, generations: await readGenerations(api, golden.status ?? {}) };
  await api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt/status`, { status }, 'application/merge-patch+json');
}

async function create(api: ApiClient, kind: KindName, object: KubernetesObject): Promise<void> {
  await eventually(
    () => api.call('POST', resourcePath(kind, object.metadata.namespace), object),
    ({ status, text }) => {
      // The storage of a definition that was just established is still being set up.
      if (status === 404 || status === 429) return false;
      if (status !== 201) throw new Error(`${kind} ${object.metadata.name ?? ''} was answered ${status}: ${text}`);
      return true;
    },
  );
}

/** Certificates of upstream's shape: every leaf is as old as the authority that signs it (spec/certificates.md §1.4). */
async function mintCertificates(): Promise<Map<string, KeyPair>> {
  const notBefore = new Date(Date.now() - HOUR_MS);
  const seconds = String(Math.floor(notBefore.getTime() / 1000));
  const pairs = new Map<string, KeyPair>();
  for (const { name, commonNamePrefix } of AUTHORITIES) {
    const notAfter = new Date(notBefore.getTime() + 168 * HOUR_MS);
    const subject = { commonName: `${commonNamePrefix}@${seconds}`, isCa: true, dnsNames: [] };
    pairs.set(name, await issueCertificate({ ...subject, notBefore, notAfter }));
  }
  const signer = pairs.get(SIGNING_AUTHORITY.name);
  if (signer === undefined) throw new Error('there is no authority to sign with');
  const secrets = Object.keys(readGoldenSnapshot('default').objects)
    .filter((key) => key.startsWith('Secret/'))
    .map((key) => key.split('/')[2] ?? '');
  for (const secret of secrets.filter((name) => findAuthority(name) === undefined)) {
    const notAfter = new Date(notBefore.getTime() + 24 * HOUR_MS);
    pairs.set(
      secret,
      await issueCertificate({ ...findLeaf(secret, NAMESPACE), isCa: false, notBefore, notAfter, signer }),
    );
  }
  return pairs;
}

/** A recorded object with what recordings leave out. */
function complete(object: KubernetesObject, certificates: ReadonlyMap<string, KeyPair>): KubernetesObject {
  const { kind, metadata } = object;
  const name = metadata.name ?? '';
  const encode = (text: string | undefined) => Buffer.from(text ?? '').toString('base64');
  const pemOf = (authority: string) => certificates.get(authority)?.certificatePem ?? '';
  if (kind === 'Secret') {
    const pair = certificates.get(name);
    return { ...object, data: { 'tls.crt': encode(pair?.certificatePem), 'tls.key': encode(pair?.privateKeyPem) } };
  }
  if (kind === 'ConfigMap') {
    return name === '(install strategy)' ? readStrategy(metadata) : { ...object, data: { 'ca-bundle': pemOf(name) } };
  }
  if (typeof object.spec === 'string') return { ...object, spec: readPool(kind).get(name) as never };
  const bundle = encode(pemOf(SIGNING_AUTHORITY.name));
  return JSON.parse(JSON.stringify(object).replaceAll('"<ca>"', JSON.stringify(bundle))) as KubernetesObject;
}

function readStrategy(metadata: KubernetesObject['metadata']): KubernetesObject {
  const file = readFileSync(new URL('configmaps/v1.9.0.json', GOLDEN), 'utf8');
  const { data } = JSON.parse(file) as { data: Record<string, string> };
  const rest = Object.fromEntries(Object.entries(metadata).filter(([field]) => field !== 'name'));
  const generateName = 'kubevirt-install-strategy-';
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...rest, generateName }, data };
}

/** Specs by the names of their objects. A description that the recording has emptied is some text again: the API server drops empty ones. */
function readPool(kind: string): Map<string, unknown> {
  const text = readFileSync(new URL(`pool-${kind}.json`, GOLDEN), 'utf8');
  const pool = JSON.parse(text, (key, value: unknown) =>
    key === 'description' && value === '' ? 'not recorded' : value,
  ) as Record<string, KubernetesObject>;
  return new Map(Object.values(pool).map(({ metadata, spec }) => [metadata.name ?? '', spec]));
}

async function whenServed(api: ApiClient): Promise<void> {
  await eventually(
    () => api.expect('GET', resourcePath('CustomResourceDefinition')),
    ({ items }) =>
      (items as { status?: { conditions?: { type: string; status: string }[] } }[]).every(({ status }) =>
        (status?.conditions ?? []).some(({ type, status: value }) => type === 'Established' && value === 'True'),
      ),
    60_000,
  );
}

/** All pods of all workloads run. */
async function whenReady(api: ApiClient): Promise<void> {
  interface Counts {
    observedGeneration?: number;
    readyReplicas?: number;
    replicas?: number;
    numberReady?: number;
    desiredNumberScheduled?: number;
  }
  await eventually(
    async () =>
      (await listManaged(api)).filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet') as {
        status?: Counts;
      }[],
    (workloads) =>
      workloads.every(({ status = {} }) => {
        const { readyReplicas, replicas, numberReady, desiredNumberScheduled } = status;
        const [ready, wanted] = [readyReplicas ?? numberReady ?? 0, replicas ?? desiredNumberScheduled ?? 0];
        return wanted > 0 && ready === wanted;
      }),
    60_000,
  );
}

/** The object at generation 2, as upstream's first write of it makes it; before anybody admits it. */
async function createKubeVirt(api: ApiClient, { annotations, finalizers }: KubeVirt['metadata']): Promise<void> {
  const object = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: NAMESPACE, annotations, finalizers },
  };
  await api.expect('POST', KUBEVIRT_PATH, { ...object, spec: {} });
  const patch = { spec: readGoldenSpec('default') };
  await api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt`, patch, 'application/merge-patch+json');
}

/** The generations of this very cluster in the place of the recorded ones. */
async function readGenerations(api: ApiClient, { generations = [] }: KubeVirtStatus): Promise<GenerationStatus[]> {
  const managed = await listManaged(api);
  return generations.map((entry) => {
    const live = managed.find(({ kind, metadata }) => {
      const identity = generationIdentity(kind as KindName, metadata);
      return identity !== undefined && isSameGenerationIdentity(identity, entry);
    });
    return { ...entry, lastGeneration: live?.metadata.generation ?? 0 };
  });
}
