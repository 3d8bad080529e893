import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';

import { parse } from 'yaml';

import type { KubeVirt } from '../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { isWhatWasWanted } from '../../src/plan/equality.ts';
import { Installation } from '../unit/plan/drive.ts';
import { MemoryCluster } from '../unit/plan/memory-cluster.ts';

const GOLDEN = new URL('../../../shared/golden/', import.meta.url);
const skip = existsSync(GOLDEN) ? false : 'no golden data beside the repository';

/** Kinds whose specs stand in a snapshot as hashes only. */
const HASHED = new Set([
  'CustomResourceDefinition',
  'VirtualMachineClusterInstancetype',
  'VirtualMachineClusterPreference',
]);

const readKubeVirt = (name: string): KubeVirt => {
  const kubeVirt = parse(readFileSync(new URL(`cluster/${name}.yaml`, GOLDEN), 'utf8')) as KubeVirt;
  // Upstream's first write of the object, the version annotations, made its generation 2.
  return { ...kubeVirt, metadata: { ...kubeVirt.metadata, generation: 2 } };
};

/** What upstream left on a cluster, by `Kind/namespace/name`, and the status of its KubeVirt object. */
const readSnapshot = (name: string) => {
  const file = JSON.parse(readFileSync(new URL(`cluster/${name}.json`, GOLDEN), 'utf8')) as {
    objects: Record<string, KubernetesObject>;
  };
  const all = Object.entries(file.objects);
  const isManaged = (key: string) => !key.startsWith('KubeVirt/') && !key.includes('(install strategy)');
  return {
    objects: new Map(all.filter(([key]) => isManaged(key))),
    status: all.find(([key]) => key.startsWith('KubeVirt/'))?.[1].status as NonNullable<KubeVirt['status']>,
  };
};

const keyOf = ({ kind, metadata }: KubernetesObject) =>
  [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');

const managedOf = (cluster: MemoryCluster) =>
  new Map(
    cluster
      .all()
      .filter(({ kind }) => kind !== 'Pod' && kind !== 'Namespace')
      .map((object) => [keyOf(object), object]),
  );

/** An object as snapshots show it: no prose, no bundles, of Secrets the keys only. */
function normalize(object: KubernetesObject): { metadata: unknown; content: unknown } {
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (['caBundle', 'ca-bundle', 'destinationCACertificate'].includes(key)) return '<ca>';
    if (key === 'message' || key === 'messageExpression') return undefined;
    return /(^|\/)description$/.test(key) ? '' : value;
  });
  const { metadata, ...content } = JSON.parse(text) as KubernetesObject;
  delete content.status;
  if (HASHED.has(object.kind)) delete content.spec;
  if (object.kind === 'Secret' && !Array.isArray(content.data)) {
    return { metadata: describe(metadata), content: { ...content, data: Object.keys(content.data ?? {}) } };
  }
  return { metadata: describe(metadata), content };
}

const describe = ({ name, namespace, labels = {}, annotations = {} }: KubernetesObject['metadata']) => ({
  name,
  namespace,
  labels,
  annotations,
});

for (const name of ['default', 'rich']) {
  test(`an installation of ${name}.yaml holds the objects that upstream's holds`, { skip }, async () => {
    const installation = new Installation(readKubeVirt(name));
    await installation.converge();
    const ours = managedOf(installation.cluster);
    const { objects } = readSnapshot(name);
    assert.deepEqual([...ours.keys()].sort(), [...objects.keys()].sort());
    for (const [key, golden] of objects) {
      const [own, theirs] = [normalize(ours.get(key) ?? golden), normalize(golden)];
      assert.deepEqual(own.metadata, theirs.metadata, key);
      assert.ok(isWhatWasWanted(own.content, theirs.content), `${key}: ${JSON.stringify(own.content)}`);
    }
  });

  test(`an installation of ${name}.yaml by upstream is taken over without a write`, { skip }, async () => {
    const own = new Installation(readKubeVirt(name));
    await own.converge();
    const { objects, status } = readSnapshot(name);
    const adopted = [...managedOf(own.cluster)].map(([key, object]) =>
      asUpstreamLeft(objects.get(key) ?? object, object),
    );
    const others = own.cluster.all().filter(({ kind }) => kind === 'Namespace' || kind === 'Pod');
    const theirs = new Installation(
      { ...readKubeVirt(name), status },
      new MemoryCluster({ objects: [...adopted, ...others] }),
    );
    theirs.generations = status.generations ?? [];
    const result = await theirs.pass();
    assert.deepEqual(result.writes, []);
    assert.equal(result.stopped, undefined);
  });
}

/** The object in the cluster as upstream and the API server's defaults made it; what a snapshot leaves out comes from our own. */
function asUpstreamLeft(golden: KubernetesObject, own: KubernetesObject): KubernetesObject {
  const copy = withOmitted(golden, own) as KubernetesObject;
  return {
    ...copy,
    // The memory cluster counts one up.
    metadata: { ...copy.metadata, generation: 0 },
    ...(HASHED.has(own.kind) ? { spec: own.spec } : {}),
    ...(own.kind === 'Secret' ? { data: own.data } : {}),
    ...(own.status === undefined ? {} : { status: { ...own.status, observedGeneration: 1 } }),
  };
}

/** A golden value with the bundles and the prose of our own put back where the snapshot tool took upstream's out. */
function withOmitted(golden: unknown, own: unknown): unknown {
  if (golden === '<ca>' || (golden === '' && typeof own === 'string')) return own;
  if (Array.isArray(golden)) {
    return golden.map((item, index): unknown => withOmitted(item, Array.isArray(own) ? own[index] : undefined));
  }
  if (typeof golden !== 'object' || golden === null) return golden;
  const ours = (own ?? {}) as Record<string, unknown>;
  const kept = Object.entries(golden).map(([key, value]) => [key, withOmitted(value, ours[key])] as const);
  const prose = ['message', 'messageExpression'].filter((key) => typeof ours[key] === 'string' && !(key in golden));
  return Object.fromEntries([...kept, ...prose.map((key) => [key, ours[key]] as const)]);
}
