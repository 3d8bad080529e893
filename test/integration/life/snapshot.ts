import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

import { parse } from 'yaml';

import type { ApiClient } from '../../../sandbox/api-client.ts';
import { apiVersionOf, KINDS, resourcePath, type KindName } from '../../../src/api/kinds.ts';
import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { MANAGED_SELECTOR } from '../../../src/api/names.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';

const GOLDEN = new URL('../../../../shared/golden/cluster/', import.meta.url);

/** The `skip` option of a test: a sentence where the golden data are missing. */
export const noGolden: string | false = existsSync(GOLDEN) ? false : 'no golden data beside the repository';

/** A cluster as an installer left it: what it manages, without what differs from cluster to cluster. */
export interface Snapshot {
  /** By `Kind/namespace/name`. */
  objects: Record<string, unknown>;
  /** Pods by workload. */
  pods: Record<string, number>;
  namespaceLabels: Record<string, string>;
}

/** A recorded snapshot of upstream. */
export function readGoldenSnapshot(name: string): Snapshot {
  return JSON.parse(readFileSync(new URL(`${name}.json`, GOLDEN), 'utf8')) as Snapshot;
}

/** The spec of a KubeVirt object that upstream was recorded with. */
export function readGoldenSpec(name: string): KubeVirtSpec {
  return (parse(readFileSync(new URL(`${name}.yaml`, GOLDEN), 'utf8')) as { spec: KubeVirtSpec }).spec;
}

/** The recorded writes of upstream in their order, each as `verb resource name`. */
export function readGoldenWrites(name: string): string[] {
  const lines = readFileSync(new URL(`${name}.writes`, GOLDEN), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => line.trim().split(/\s+/).slice(1, 4).join(' '));
}

/** Kinds that may carry the label of managed objects. */
const MANAGED: readonly KindName[] = (Object.keys(KINDS) as KindName[]).filter(
  (kind) => !['KubeVirt', 'Namespace', 'Node', 'Lease', 'Event'].includes(kind),
);

/** Everything in the cluster that carries the label of managed objects; kinds that the cluster does not serve have none. */
export async function listManaged(api: ApiClient): Promise<KubernetesObject[]> {
  const lists = await Promise.all(
    MANAGED.map(async (kind) => {
      const { status, body } = await api.call(
        'GET',
        `${resourcePath(kind)}?labelSelector=${encodeURIComponent(MANAGED_SELECTOR)}`,
      );
      if (status === 404) return [];
      if (status !== 200) throw new Error(`the list of ${kind} was answered ${status}`);
      return (body['items'] as KubernetesObject[]).map((item) => ({ ...item, apiVersion: apiVersionOf(kind), kind }));
    }),
  );
  return lists.flat();
}

/** The cluster now, in the form of the recorded snapshots. */
export async function takeSnapshot(api: ApiClient, namespace: string): Promise<Snapshot> {
  const managed = await listManaged(api);
  const kubeVirts = (await api.expect('GET', resourcePath('KubeVirt')))['items'] as KubernetesObject[];
  const { metadata } = await api.expect('GET', `/api/v1/namespaces/${namespace}`);
  const pods = managed.filter(({ kind }) => kind === 'Pod').map(ownerOf);
  return {
    objects: Object.fromEntries([
      ...managed.filter(({ kind }) => kind !== 'Pod').map((object) => entryOf(normalize(object))),
      ...kubeVirts.map((object) => entryOf({ ...object, kind: 'KubeVirt' }, normalizeKubeVirt(object))),
    ]),
    pods: Object.fromEntries([...new Set(pods)].map((owner) => [owner, pods.filter((each) => each === owner).length])),
    namespaceLabels: metadata?.labels ?? {},
  };
}

function ownerOf({ metadata }: KubernetesObject): string {
  const name = metadata.ownerReferences?.[0]?.name ?? metadata.name ?? '';
  return name.replace(/-[^-]*$/, '');
}

function entryOf(object: KubernetesObject, content: unknown = object): [string, unknown] {
  const { name, namespace } = object.metadata;
  return [[object.kind, namespace, name].filter((part) => part !== undefined).join('/'), content];
}

const VOLATILE = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation']);
const COUNTED = new Set(['deployment.kubernetes.io/revision', 'deprecated.daemonset.template.generation']);
const HASHED = new Set<string>([
  'CustomResourceDefinition',
  'VirtualMachineClusterInstancetype',
  'VirtualMachineClusterPreference',
]);

function normalize(live: KubernetesObject): KubernetesObject {
  const { kind, metadata, ...rest } = withoutProse(live) as KubernetesObject;
  const isStrategy = kind === 'ConfigMap' && 'kubevirt.io/install-strategy' in (metadata.labels ?? {});
  const named = isStrategy ? { ...metadata, name: '(install strategy)' } : metadata;
  const left = isStrategy ? [...VOLATILE, 'generateName'] : VOLATILE;
  const content = Object.entries(rest)
    .filter(([field]) => field !== 'status')
    .map(([field, value]): [string, unknown] => [field, normalizeField(isStrategy ? 'Secret' : kind, field, value)]);
  return {
    ...Object.fromEntries(content),
    kind,
    metadata: normalizeMetadata(named, new Set(left)),
  } as KubernetesObject;
}

/** What is compared of a field: of data that differ from cluster to cluster the keys, of large specs a hash. */
function normalizeField(kind: string, field: string, value: unknown): unknown {
  if (field === 'data') return kind === 'Secret' ? Object.keys(value ?? {}).sort() : value;
  if (field !== 'spec') return value;
  if (kind === 'Service') return withoutAddresses(value as object);
  return HASHED.has(kind) ? hash(value) : value;
}

function normalizeMetadata(metadata: KubernetesObject['metadata'], left: ReadonlySet<string>): object {
  const kept = Object.entries(metadata).filter(([field]) => !left.has(field));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !COUNTED.has(name));
  return {
    ...Object.fromEntries(kept),
    ...(metadata.annotations === undefined ? {} : { annotations: Object.fromEntries(annotations) }),
  };
}

function withoutAddresses(spec: object): object {
  const isNone = (value: unknown) => value === 'None' || (Array.isArray(value) && value[0] === 'None');
  const kept = Object.entries(spec).filter(
    ([field, value]) => !['clusterIP', 'clusterIPs'].includes(field) || isNone(value),
  );
  return Object.fromEntries(kept);
}

/** As the recording tool made it: JSON with sorted keys and Python's spaces. */
function hash(spec: unknown): string {
  return `sha256:${createHash('sha256').update(sortedJson(spec)).digest('hex')}`;
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, member]) => `${asciiJson(key)}: ${sortedJson(member)}`).join(', ')}}`;
  }
  return asciiJson(value);
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const BUNDLES = new Set(['caBundle', 'ca-bundle', 'destinationCACertificate']);

/** Sentences are ours (design decision 10), certificates those of this very cluster. */
function withoutProse(value: unknown, isSchema = false): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutProse(member, isSchema));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      if (BUNDLES.has(key)) return [[key, '<ca>']];
      if (typeof member !== 'string') return [[key, withoutProse(member, isSchema || key === 'openAPIV3Schema')]];
      if (key === 'message' || key === 'messageExpression') return [];
      if (key !== 'description' && key !== 'summary' && !key.endsWith('/description')) return [[key, member]];
      return isSchema ? [] : [[key, '']];
    }),
  );
}

function normalizeKubeVirt({ metadata, status = {} }: KubernetesObject): object {
  const { annotations, finalizers, labels } = metadata;
  const conditions = (status['conditions'] ?? []) as Record<string, unknown>[];
  const generations = (status['generations'] ?? []) as Record<string, unknown>[];
  const kept = Object.entries(annotations ?? {}).filter(
    ([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration',
  );
  return {
    metadata: {
      annotations: annotations === undefined ? null : Object.fromEntries(kept),
      finalizers: finalizers ?? null,
      labels: labels ?? null,
    },
    status: {
      ...status,
      conditions: conditions.map(({ type, status: value, reason }) => ({ type, status: value, reason })),
      generations: generations.map((generation) => without(generation, 'hash')),
    },
  };
}

/** Every difference between two snapshots, one line each; none when they are equal. What tells an object's age is left out on both sides. */
export function compareSnapshots(want: Snapshot, got: Snapshot): string[] {
  const [left, right] = [comparable(want), comparable(got)];
  return differences(left, right, '');
}

function comparable({ objects, pods, namespaceLabels }: Snapshot): unknown {
  const entries = Object.entries(objects).map(([key, object]) => [key, withoutAge(object)] as const);
  return JSON.parse(JSON.stringify({ objects: Object.fromEntries(entries), pods, namespaceLabels }));
}

function withoutAge(object: unknown): unknown {
  const copy = structuredClone(object) as {
    metadata: { annotations?: Record<string, string> | null };
    status?: Status;
  };
  delete copy.metadata.annotations?.['kubevirt.io/generation'];
  if (copy.status === undefined) return copy;
  const status: Status = without(copy.status, 'operatorVersion', 'observedGeneration');
  const nameOf = ({ group, resource, name }: Record<string, unknown>) => [group, resource, name].map(String).join(' ');
  return {
    ...copy,
    status: {
      ...status,
      generations: (status.generations ?? []).map(nameOf).sort(),
      conditions: [...(status.conditions ?? [])].sort((a, b) => (String(a['type']) < String(b['type']) ? -1 : 1)),
    },
  };
}

interface Status {
  operatorVersion?: string;
  observedGeneration?: number;
  generations?: Record<string, unknown>[];
  conditions?: Record<string, unknown>[];
  [field: string]: unknown;
}

function differences(want: unknown, got: unknown, path: string): string[] {
  if (isContainer(want) && isContainer(got) && Array.isArray(want) === Array.isArray(got)) {
    const keys = [...new Set([...Object.keys(want), ...Object.keys(got)])].sort();
    return keys.flatMap((key) => {
      const [wanted, gotten] = [want[key], got[key]];
      if (gotten === undefined) return [`${path}/${key}: missing`];
      if (wanted === undefined) return [`${path}/${key}: not wanted`];
      return differences(wanted, gotten, `${path}/${key}`);
    });
  }
  return want === got ? [] : [`${path}: want ${JSON.stringify(want)} got ${JSON.stringify(got)}`.slice(0, 400)];
}

function without(object: object, ...fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
