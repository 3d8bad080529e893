import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { decideApiReplicas, decideReplicas, isReplicasOverridden } from '../../../src/plan/replicas.ts';

const patch = (text: string, resourceName = 'virt-api'): KubeVirtSpec => ({
  customizeComponents: { patches: [{ resourceName, resourceType: 'Deployment', type: 'json', patch: text }] },
});
const REPLACE = '[{"op":"replace","path":"/spec/replicas","value":7}]';

describe('decideApiReplicas', () => {
  for (const [nodes, want] of [
    [0, 2],
    [1, 1],
    [2, 2],
    [29, 2],
    [30, 3],
    [99, 9],
    [5000, 500],
  ] as const) {
    it(`${nodes} nodes: ${want}`, () => {
      assert.equal(decideApiReplicas(nodes), want);
    });
  }
});

describe('decideReplicas', () => {
  const rows: {
    name: string;
    deployment: string;
    spec: KubeVirtSpec;
    nodes?: number;
    want: number;
    overridden?: boolean;
  }[] = [
    { name: "the strategy's count", deployment: 'virt-controller', spec: {}, nodes: 100, want: 2 },
    { name: 'virt-api follows the nodes', deployment: 'virt-api', spec: {}, nodes: 100, want: 10 },
    {
      name: 'virt-api as asked for',
      deployment: 'virt-api',
      spec: { infra: { replicas: 4 } },
      nodes: 100,
      want: 4,
      overridden: true,
    },
    { name: 'asked for what it is', deployment: 'virt-controller', spec: { infra: { replicas: 2 } }, want: 2 },
    {
      name: 'virt-template keeps its own',
      deployment: 'virt-template-apiserver',
      spec: { infra: { replicas: 4 } },
      want: 2,
    },
    { name: 'virt-api with customised replicas', deployment: 'virt-api', spec: patch(REPLACE), nodes: 100, want: 2 },
    {
      name: 'a patch that replaces something else',
      deployment: 'virt-api',
      spec: patch('[{"op":"add","path":"/spec/replicas","value":7}]'),
      nodes: 100,
      want: 10,
    },
    {
      name: 'a patch of all Deployments does not count',
      deployment: 'virt-api',
      spec: patch(REPLACE, '*'),
      nodes: 100,
      want: 10,
    },
    {
      name: 'a strategic patch does not count',
      deployment: 'virt-api',
      spec: patch('{"spec":{"replicas":7}}'),
      nodes: 100,
      want: 10,
    },
    { name: 'a patch that is no JSON', deployment: 'virt-api', spec: patch('spec: {}'), nodes: 100, want: 10 },
    { name: 'a patch with odd items', deployment: 'virt-api', spec: patch('[null, 1]'), nodes: 100, want: 10 },
  ];
  for (const { name, deployment, spec, nodes = 3, want, overridden = false } of rows) {
    it(name, () => {
      assert.equal(decideReplicas({ name: deployment, replicas: 2 }, spec, nodes), want);
      assert.equal(isReplicasOverridden({ name: deployment, replicas: 2 }, spec), overridden);
    });
  }
});
