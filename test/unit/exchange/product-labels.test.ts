import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindName } from '../../../src/api/kinds.ts';
import { buildStrategyConfigMap } from '../../../src/exchange/config-map.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { buildKubeVirt, Installation } from '../plan/drive.ts';
import { generateInput } from '../strategy/builders.ts';

const SPEC = { productName: 'acme', productVersion: '4.2', productComponent: 'compute' };
const WANTED = {
  'app.kubernetes.io/part-of': 'acme',
  'app.kubernetes.io/version': '4.2',
  'app.kubernetes.io/component': 'compute',
  'app.kubernetes.io/managed-by': 'virt-operator',
};

test('B10: every object of an installation carries the labels of the product, and so do the pods of its workloads', async () => {
  const installation = new Installation(buildKubeVirt(SPEC));
  await installation.converge();
  const { objects } = generateStrategy(generateInput(SPEC));
  // Not all are created in every cluster.
  const created = objects.flatMap(
    ({ kind, metadata }) => installation.cluster.get(kind as KindName, metadata.name ?? '', metadata.namespace) ?? [],
  );
  assert.ok(created.length > 200, String(created.length));
  for (const { kind, metadata, spec } of created) {
    const labels = { ...metadata.labels };
    assert.deepEqual({ ...labels, ...WANTED }, labels, `${kind} ${metadata.name ?? ''}`);
    if (!['Deployment', 'DaemonSet'].includes(kind)) continue;
    const template = spec?.['template'] as { metadata: { labels: Record<string, string> } };
    const ofPods = template.metadata.labels;
    assert.deepEqual({ ...ofPods, ...WANTED }, ofPods, `pods of ${metadata.name ?? ''}`);
  }
});

test('B10: the strategy ConfigMap has the labels of v1.9.0 and no others', () => {
  const input = generateInput(SPEC);
  assert.deepEqual(buildStrategyConfigMap(input.target, generateStrategy(input)).metadata.labels, {
    'app.kubernetes.io/managed-by': 'virt-operator',
    'kubevirt.io/install-strategy': '',
  });
});
