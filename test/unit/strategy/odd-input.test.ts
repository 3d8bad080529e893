/** What becomes of odd images, versions, labels and gates in the objects that are installed (spec/resources.md §2, spec/startup.md §2.2). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { environment, generateInput, target } from './builders.ts';

interface Row {
  name: string;
  env?: Record<string, string>;
  spec?: KubeVirtSpec;
  /** Image of virt-api, image that virt-controller gives to virt-launcher pods, and the version label of both. */
  want: [api: string, launcher: string, version: string | undefined];
}

const operator = (image: string, more: Record<string, string> = {}): Record<string, string> => ({
  VIRT_OPERATOR_IMAGE: image,
  ...more,
});

function podOf(objects: readonly KubernetesObject[], name: string): { image: string; args: string[] } {
  const found = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  const { template } = found?.spec as unknown as {
    template: { spec: { containers: { image: string; args: string[] }[] } };
  };
  return template.spec.containers[0] ?? assert.fail(`${name} has no container`);
}

const versionOf = (objects: readonly KubernetesObject[]): string | undefined =>
  objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'virt-api')?.metadata.labels?.[
    'app.kubernetes.io/version'
  ];

describe('images and versions', () => {
  const long = 'v'.repeat(64);
  const rows: Row[] = [
    {
      name: 'a port in the registry',
      env: operator('registry.example:5000/kv/virt-operator:v1.9.0'),
      want: ['registry.example:5000/kv/virt-api:v1.9.0', 'registry.example:5000/kv/virt-launcher:v1.9.0', 'v1.9.0'],
    },
    {
      name: 'a prefix before the names',
      env: operator('acme.example/kubevirt/my-virt-operator:v1'),
      want: ['acme.example/kubevirt/my-virt-api:v1', 'acme.example/kubevirt/my-virt-launcher:v1', 'v1'],
    },
    {
      name: 'a registry that is called like the image',
      env: operator('virt-operator/virt-operator:v1'),
      want: ['virt-operator/virt-api:v1', 'virt-operator/virt-launcher:v1', 'v1'],
    },
    {
      name: 'no registry',
      env: operator('virt-operator:v1', { KUBEVIRT_VERSION: 'v7' }),
      want: ['/virt-api:v7', '/virt-launcher:v7', 'v7'],
    },
    {
      name: 'no tag',
      env: operator('r/virt-operator'),
      want: ['r/virt-api:latest', 'r/virt-launcher:latest', 'latest'],
    },
    {
      name: 'a digest, and the version beside it',
      env: operator('r/virt-operator@sha256:ab', { KUBEVIRT_VERSION: 'v1.9.0' }),
      want: ['r/virt-api:v1.9.0', 'r/virt-launcher:v1.9.0', 'v1.9.0'],
    },
    {
      name: 'a digest alone',
      env: operator('r/virt-operator@sha256:ab'),
      want: ['r/virt-api:latest', 'r/virt-launcher:latest', 'latest'],
    },
    {
      name: 'a digest of one component',
      env: operator('r/virt-operator:v1', { VIRT_API_IMAGE: 'mirror:1/x@sha256:cd' }),
      want: ['mirror:1/x@sha256:cd', 'r/virt-launcher:v1', 'v1'],
    },
    {
      name: 'a tag and a digest: the version is no label value',
      env: operator('r/virt-operator:v1@sha256:ab'),
      want: ['r/virt-api:v1@sha256:ab', 'r/virt-launcher:v1@sha256:ab', undefined],
    },
    {
      name: 'a version too long for a label',
      spec: { imageTag: long },
      want: [`quay.io/kubevirt/virt-api:${long}`, `quay.io/kubevirt/virt-launcher:${long}`, undefined],
    },
    {
      name: 'a name that has nothing to do with it',
      env: operator('blabla'),
      want: ['/virt-api:latest', '/virt-launcher:latest', 'latest'],
    },
    {
      name: 'registry and tag of the CR, images of the environment first',
      env: operator('r/my-virt-operator:v1', { VIRT_LAUNCHER_IMAGE: 'own/launcher' }),
      spec: { imageRegistry: 'moved:1/x', imageTag: 'v2' },
      want: ['moved:1/x/my-virt-api:v2', 'own/launcher', 'v2'],
    },
  ];
  for (const { name, env = {}, spec = {}, want } of rows) {
    test(name, () => {
      const { objects } = generateStrategy(generateInput({}, { target: target(spec, env) }));
      const launcher = podOf(objects, 'virt-controller').args[1];
      assert.deepEqual([podOf(objects, 'virt-api').image, launcher, versionOf(objects)], want);
    });
  }
});

describe('what leaves the objects as they are', () => {
  const plain = JSON.stringify(generateStrategy(generateInput()).objects);
  const rows: { name: string; spec: KubeVirtSpec }[] = [
    {
      name: 'unknown gates, and gates named twice or on both lists',
      spec: {
        configuration: {
          developerConfiguration: {
            featureGates: ['Nonsense', '', 'Template', 'Template'],
            disabledFeatureGates: ['Template', 'OtherNonsense'],
          },
        },
      },
    },
    {
      name: 'product fields, whether they can be labels or not',
      spec: { productName: '-', productVersion: 'a'.repeat(64), productComponent: 'a b' },
    },
    { name: 'a synchronization port that is none', spec: { synchronizationPort: 'many' } },
    { name: 'an empty list of pull secrets', spec: { imagePullSecrets: [] } },
    { name: 'an unknown hypervisor', spec: { configuration: { hypervisors: [{ name: 'xen' as 'kvm' }] } } },
  ];
  for (const { name, spec } of rows) {
    test(name, () => {
      assert.equal(JSON.stringify(generateStrategy(generateInput(spec)).objects), plain);
    });
  }
});

test('passed-through variables keep empty values, and lose what follows an equals sign as they do upstream', () => {
  const { passthroughEnv } = environment({ KV_IO_EXTRA_ENV_A: '', KV_IO_EXTRA_ENV_B: 'x=y', KV_IO_EXTRA_ENV_: 'n' });
  assert.deepEqual(passthroughEnv, { A: '', B: 'x' });
});
