import assert from 'node:assert/strict';
import { it } from 'node:test';

import fc from 'fast-check';

import type { CustomizePatch, KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { objectKey, type KubernetesObject } from '../../../src/api/objects.ts';
import { buildKubeVirt, Installation } from './drive.ts';

const patch = (resourceName: string, type: CustomizePatch['type'], text: string): CustomizePatch => ({
  resourceType: 'Deployment',
  resourceName,
  type,
  patch: text,
});

/** Wishes that an administrator may have, by field of the spec; the first of each is to have none. */
const spec: fc.Arbitrary<KubeVirtSpec> = fc.record({
  imageTag: fc.constantFrom('', 'v1.8.4', 'v1.9.1', 'devel'),
  imageRegistry: fc.constantFrom('', 'mirror.local/kv'),
  productName: fc.constantFrom('', 'product'),
  productComponent: fc.constantFrom('', 'storage'),
  infra: fc.constantFrom({}, { replicas: 1 }, { replicas: 3 }, { nodePlacement: { nodeSelector: { zone: 'a' } } }),
  workloads: fc.constantFrom({}, { nodePlacement: { tolerations: [{ key: 'x', operator: 'Exists' }] } }),
  customizeComponents: fc.constantFrom(
    {},
    { flags: { api: { v: '5' } } },
    { patches: [patch('virt-controller', 'strategic', '{"metadata":{"annotations":{"example.com/mine":"1"}}}')] },
    { patches: [patch('*', 'merge', '{"spec":{"template":{"metadata":{"labels":{"mine":"1"}}}}}')] },
  ),
  configuration: fc.record({
    virtualMachineInstancesPerNode: fc.constantFrom(undefined, 7),
    virtTemplateDeployment: fc.constantFrom({}, { enabled: false }),
    commonInstancetypesDeployment: fc.constantFrom({}, { enabled: false }),
    tlsConfiguration: fc.constantFrom({}, { minTLSVersion: 'VersionTLS13' }),
    developerConfiguration: fc.constantFrom(
      {},
      { featureGates: ['DecentralizedLiveMigration', 'Plugins'] },
      { featureGates: ['ContainerPathVolumes', 'VMStatsCollector'] },
    ),
  }) as fc.Arbitrary<NonNullable<KubeVirtSpec['configuration']>>,
});

/** Everything that is installed, by key; without what is random, counted or left by the way that was gone. */
function contentOf({ cluster }: Installation): Record<string, unknown> {
  const objects = cluster.all().filter(({ kind }) => kind !== 'Pod' && kind !== 'Namespace');
  return Object.fromEntries(
    objects.map((object) => [
      `${object.kind} ${objectKey(object.metadata.name ?? '', object.metadata.namespace)}`,
      withoutChance(object),
    ]),
  );
}

const CHANCE = new Set([
  'caBundle',
  'data',
  'status',
  'uid',
  'resourceVersion',
  'generation',
  'kubevirt.io/generation',
]);

function withoutChance(object: KubernetesObject): unknown {
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (CHANCE.has(key)) return undefined;
    // The way of a canary ends with the API server's default spelt out.
    return key === 'updateStrategy' ? undefined : value;
  });
  return JSON.parse(text);
}

it('whatever was asked for before, an installation ends as if it had been asked for the last at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spec, { minLength: 2, maxLength: 4 }), async (specs) => {
      const travelled = new Installation(buildKubeVirt(specs[0]));
      await travelled.converge();
      for (const each of specs.slice(1)) {
        travelled.edit(each);
        await travelled.converge(40);
      }
      const fresh = new Installation(buildKubeVirt(specs.at(-1)));
      await fresh.converge();
      assert.deepEqual(contentOf(travelled), contentOf(fresh));
      assert.deepEqual((await travelled.pass()).writes, []);
    }),
    { numRuns: 3 },
  );
});
