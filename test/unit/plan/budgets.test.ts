import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { buildKubeVirt, Installation } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

/** Every budget of an installation: the least number of pods that must stay up. */
function budgetsOf({ cluster }: Installation): Record<string, unknown> {
  return Object.fromEntries(
    cluster
      .list('PodDisruptionBudget')
      .map(({ metadata, spec }): [string, unknown] => [metadata.name ?? '', spec?.minAvailable]),
  );
}

async function deployed(spec: KubeVirtSpec, nodes = 3): Promise<Installation> {
  const installation = new Installation(buildKubeVirt(spec), new MemoryCluster({ nodes }));
  await installation.converge();
  return installation;
}

const WITH_SYNCHRONIZATION = { developerConfiguration: { featureGates: ['DecentralizedLiveMigration'] } };
const all = (minAvailable: number) => ({
  'virt-api-pdb': minAvailable,
  'virt-controller-pdb': minAvailable,
  'virt-exportproxy-pdb': minAvailable,
  'virt-synchronization-controller-pdb': minAvailable,
});

/** One pod may be missing; a Deployment of one pod has no budget, and so has virt-template (spec/apply.md §4.4). */
const ROWS: { name: string; infra: KubeVirtSpec['infra']; nodes?: number; want: Record<string, number> }[] = [
  { name: 'one infra replica', infra: { replicas: 1 }, want: {} },
  { name: 'two infra replicas', infra: { replicas: 2 }, want: all(1) },
  { name: 'three infra replicas', infra: { replicas: 3 }, want: all(2) },
  { name: 'none asked for', infra: {}, want: all(1) },
  { name: 'none asked for, fifty nodes', infra: {}, nodes: 50, want: { ...all(1), 'virt-api-pdb': 4 } },
];

describe('budgets', () => {
  for (const { name, infra, nodes, want } of ROWS) {
    it(`B52: ${name}`, async () => {
      const installation = await deployed({ ...(infra && { infra }), configuration: WITH_SYNCHRONIZATION }, nodes);
      assert.deepEqual(budgetsOf(installation), want);
      for (const { metadata, spec } of installation.cluster.list('PodDisruptionBudget')) {
        const deployment = installation.cluster.get(
          'Deployment',
          metadata.name?.replace(/-pdb$/, '') ?? '',
          'kubevirt',
        );
        assert.deepEqual(spec?.selector, deployment?.spec?.selector);
        assert.equal(metadata.labels?.['kubevirt.io'], metadata.name);
      }
    });
  }

  it('B52: follow the replicas up and down, and are removed where one replica is left', async () => {
    const installation = await deployed({ infra: { replicas: 3 }, configuration: WITH_SYNCHRONIZATION });
    for (const [replicas, want] of [
      [1, {}],
      [2, all(1)],
      [3, all(2)],
      [1, {}],
    ] as const) {
      installation.edit({ infra: { replicas } });
      await installation.converge();
      assert.deepEqual(budgetsOf(installation), want, `${replicas} replicas`);
      assert.deepEqual((await installation.pass()).writes, []);
    }
  });

  it('B52: are removed together with their Deployment, for every component that can be switched off', async () => {
    const three = (resourceName: string) => ({
      resourceType: 'Deployment',
      resourceName,
      type: 'merge' as const,
      patch: '{"spec":{"replicas":3}}',
    });
    const names = ['virt-template-apiserver', 'virt-template-controller'];
    const installation = await deployed({
      configuration: WITH_SYNCHRONIZATION,
      customizeComponents: { patches: names.map(three) },
    });
    const optional = [...names, 'virt-synchronization-controller'];
    for (const name of optional) {
      assert.ok(installation.cluster.get('Deployment', name, 'kubevirt'), name);
      assert.ok(installation.cluster.get('PodDisruptionBudget', `${name}-pdb`, 'kubevirt'), name);
    }
    installation.edit({
      configuration: { virtTemplateDeployment: { enabled: false } },
      customizeComponents: {},
    });
    const writes = (await installation.converge()).flatMap((result) => result.writes);
    for (const name of optional) {
      assert.ok(writes.includes(`delete Deployment ${name}`), name);
      assert.equal(installation.cluster.get('PodDisruptionBudget', `${name}-pdb`, 'kubevirt'), undefined, name);
    }
    assert.deepEqual((await installation.pass()).writes, []);
  });
});
