import assert from 'node:assert/strict';
import { it } from 'node:test';

import fc from 'fast-check';

import type { KindName } from '../../../src/api/kinds.ts';
import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { buildKubeVirt, Installation } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const installed = new Installation();
await installed.converge();
const managed = installed.cluster
  .all()
  .filter(({ kind }) => kind !== 'Pod' && kind !== 'Namespace' && kind !== 'ConfigMap');

/** What somebody may do to an object: delete it, or take away or change a part of it. */
type Harm = { index: number; how: 'delete' | 'unlabel' | 'empty' | 'extend' };

const harms = fc.array(
  fc.record<Harm>({
    index: fc.nat(managed.length - 1),
    how: fc.constantFrom('delete', 'unlabel', 'empty', 'extend'),
  }),
  { maxLength: 12 },
);

function afflict(cluster: MemoryCluster, { index, how }: Harm): void {
  const victim = managed[index];
  assert.ok(victim);
  const kind = victim.kind as KindName;
  const { name = '', namespace } = victim.metadata;
  if (cluster.get(kind, name, namespace) === undefined) return;
  if (how === 'delete') cluster.remove(kind, name, namespace);
  else
    cluster.edit(
      kind,
      name,
      (live) => {
        damage(live, how);
      },
      namespace,
    );
}

function damage(live: KubernetesObject, how: Harm['how']): void {
  if (how === 'unlabel') live.metadata.labels = { 'app.kubernetes.io/managed-by': 'virt-operator' };
  if (how === 'empty') empty(live);
  if (how === 'extend' && live.spec !== undefined && live.kind !== 'CustomResourceDefinition')
    live.spec = { ...live.spec, extra: 'x' };
}

function empty(live: KubernetesObject): void {
  const content = (live.spec ?? live) as JsonObject;
  Reflect.deleteProperty(content, LISTS[live.kind] ?? '');
  if (live.kind !== 'Deployment' && live.kind !== 'DaemonSet') return;
  // No API server lets a workload be without a template.
  const { metadata = {} } = content['template'] as JsonObject;
  content['template'] = { metadata, spec: { containers: [] } };
}

/** The part whose loss matters most. */
const LISTS: Readonly<Record<string, string>> = {
  Role: 'rules',
  ClusterRole: 'rules',
  RoleBinding: 'subjects',
  ClusterRoleBinding: 'subjects',
  Service: 'ports',
  ValidatingWebhookConfiguration: 'webhooks',
  MutatingWebhookConfiguration: 'webhooks',
  APIService: 'service',
  Secret: 'data',
};

const contentOf = (cluster: MemoryCluster): unknown[] =>
  managed.map(({ kind, metadata: { name = '', namespace } }) => {
    const live = cluster.get(kind as KindName, name, namespace);
    const { labels, annotations } = live?.metadata ?? {};
    const content = { ...live, metadata: undefined, status: undefined, data: undefined };
    // Bundles and keys differ between installations; the server's default of the update strategy may be spelled out.
    const text = JSON.stringify([kind, name, labels, annotations, content], (key, value: unknown) =>
      key === 'caBundle' || key === 'updateStrategy' ? undefined : value,
    );
    return JSON.parse(text) as unknown;
  });

it('whatever is done to an installation, it becomes what it was, and then nothing is left to do', async () => {
  const wanted = contentOf(installed.cluster);
  await fc.assert(
    fc.asyncProperty(harms, async (list) => {
      const installation = new Installation(buildKubeVirt(), new MemoryCluster());
      await installation.converge();
      list.forEach((harm) => {
        afflict(installation.cluster, harm);
      });
      installation.cluster.settle();
      await installation.converge();
      assert.deepEqual((await installation.pass()).writes, []);
      assert.deepEqual(contentOf(installation.cluster), wanted);
    }),
    { numRuns: 12 },
  );
});
