import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isEverythingReady } from '../../../src/plan/components.ts';
import { countObjects } from '../../../src/plan/completeness.ts';
import { buildKubeVirt, Installation, type PassResult } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const all = (results: readonly PassResult[]): string[] => results.flatMap(({ writes }) => writes);
const indexOf = (writes: readonly string[], text: string): number => {
  const index = writes.findIndex((write) => write.includes(text));
  assert.notEqual(index, -1, `no write of ${text}`);
  return index;
};
/** Names of kinds in the order of their first write. */
const inOrder = (writes: readonly string[], texts: readonly string[]): string[] =>
  [...texts].sort((a, b) => indexOf(writes, a) - indexOf(writes, b));

async function deployed(spec = {}, nodes = 3): Promise<Installation> {
  const installation = new Installation(buildKubeVirt(spec), new MemoryCluster({ nodes }));
  await installation.converge();
  return installation;
}

describe('first install', () => {
  it('writes each object once, and nothing when it is healthy', async () => {
    const installation = new Installation();
    const results = await installation.converge();
    const writes = all(results);
    // 243 objects, the temporary webhook created and deleted, the namespace's label.
    assert.equal(writes.length, 246);
    assert.equal(new Set(writes).size, writes.length);
    const next = await installation.pass();
    assert.deepEqual([next.writes, next.isComplete, next.events], [[], true, []]);
    assert.ok(isEverythingReady(installation.context()));
  });

  it('keeps the order of upstream where something depends on it', async () => {
    const writes = all(await new Installation().converge());
    const wanted = [
      'create ValidatingWebhookConfiguration virt-operator-tmp-webhook',
      'create CustomResourceDefinition',
      'create ClusterRole kubevirt.io:default',
      'create Service virt-api',
      'create ValidatingAdmissionPolicy ',
      'create Secret kubevirt-ca',
      'create ClusterRoleBinding',
      'create ConfigMap kubevirt-ca',
      'create Secret kubevirt-operator-certs',
      'create ValidatingWebhookConfiguration virt-operator-validator',
      'create Deployment virt-api',
      'delete ValidatingWebhookConfiguration virt-operator-tmp-webhook',
      'create Deployment virt-controller',
      'create VirtualMachineClusterInstancetype',
      'merge Namespace kubevirt',
    ];
    assert.deepEqual(inOrder(writes, wanted), wanted);
  });

  it('stops at virt-api until it is ready, then at virt-handler', async () => {
    const installation = new Installation();
    const stops: (string | undefined)[] = [];
    const pass = async () => stops.push((await installation.pass()).stopped);
    await pass();
    await pass();
    installation.cluster.settle((workload) => workload !== 'virt-api');
    await pass();
    installation.cluster.settle();
    await pass();
    installation.cluster.settle((workload, index) => workload !== 'virt-handler' || index !== 1);
    await pass();
    installation.cluster.settle();
    await pass();
    assert.deepEqual(stops, [
      'virt-api: virt-api to be ready',
      'virt-api: virt-api to be ready',
      'virt-api: virt-api to be ready',
      'virt-handler rolled out: virt-handler to be rolled out',
      'infrastructure rolled out: all components to be ready',
      undefined,
    ]);
  });

  it('does not touch a DaemonSet whose first pods come up one by one', async () => {
    const installation = new Installation(buildKubeVirt(), new MemoryCluster({ nodes: 40 }));
    await installation.pass();
    installation.cluster.settle();
    await installation.pass();
    for (const ready of [1, 10, 39]) {
      installation.cluster.settle((workload, index) => workload !== 'virt-handler' || index < ready);
      assert.deepEqual((await installation.pass()).writes, [], `${ready} pods`);
    }
  });

  it('counts for display', async () => {
    const installation = new Installation();
    assert.deepEqual(countObjects(installation.context()), {
      present: 0,
      wanted: 240,
      workloadsReady: 0,
      workloads: 6,
    });
    await installation.converge();
    const { present, wanted, workloadsReady } = countObjects(installation.context());
    assert.deepEqual([present, wanted, workloadsReady], [240, 240, 6]);
  });

  it('does without what the cluster does not serve', async () => {
    const installation = new Installation();
    installation.features = {
      ...installation.features,
      validatingAdmissionPolicy: false,
      validatingAdmissionPolicyBinding: false,
    };
    const writes = all(await installation.converge());
    assert.deepEqual(
      writes.filter((write) => /Policy|Monitor|Prometheus|SecurityContext|Route/.test(write)),
      [],
    );
  });
});

describe('change of the configuration', () => {
  it('writes nothing when no rendered component changes', async () => {
    const installation = await deployed();
    installation.edit({ configuration: { developerConfiguration: { featureGates: ['Sidecar'] } } });
    const { writes, isComplete } = await installation.pass();
    assert.deepEqual([writes, isComplete], [[], true]);
  });

  it('writes the generation along with what differs', async () => {
    const installation = await deployed();
    installation.edit({ infra: { replicas: 3 } });
    await installation.converge();
    const annotation = (name: string) =>
      installation.cluster.get('Deployment', name, 'kubevirt')?.metadata.annotations?.['kubevirt.io/generation'];
    assert.equal(annotation('virt-controller'), '3');
    assert.equal(annotation('virt-template-controller'), '2');
  });

  const rows: { name: string; spec: Parameters<Installation['edit']>[0]; want: string[] }[] = [
    {
      name: 'infra replicas change three Deployments and their budgets, virt-api first',
      spec: { infra: { replicas: 3 } },
      want: [
        'patch Deployment virt-api',
        'patch PodDisruptionBudget virt-api-pdb',
        'patch Deployment virt-controller',
        'patch PodDisruptionBudget virt-controller-pdb',
        'patch Deployment virt-exportproxy',
        'patch PodDisruptionBudget virt-exportproxy-pdb',
      ],
    },
    {
      name: 'a single replica has no budget',
      spec: { infra: { replicas: 1 } },
      want: [
        'patch Deployment virt-api',
        'delete PodDisruptionBudget virt-api-pdb',
        'patch Deployment virt-controller',
        'delete PodDisruptionBudget virt-controller-pdb',
        'patch Deployment virt-exportproxy',
        'delete PodDisruptionBudget virt-exportproxy-pdb',
      ],
    },
    {
      name: 'a limit per node rolls virt-handler',
      spec: { configuration: { virtualMachineInstancesPerNode: 42 } },
      want: ['patch DaemonSet virt-handler'],
    },
    {
      name: 'TLS settings reach virt-template',
      spec: { configuration: { tlsConfiguration: { minTLSVersion: 'VersionTLS13' } } },
      want: ['patch Deployment virt-template-apiserver', 'patch Deployment virt-template-controller'],
    },
    {
      name: 'a gate adds the pod mutator',
      spec: { configuration: { developerConfiguration: { featureGates: ['ContainerPathVolumes'] } } },
      want: ['create MutatingWebhookConfiguration virt-launcher-pod-mutator'],
    },
    {
      name: 'a gate adds the synchronization controller',
      spec: { configuration: { developerConfiguration: { featureGates: ['DecentralizedLiveMigration'] } } },
      want: [
        'create Deployment virt-synchronization-controller',
        'create PodDisruptionBudget virt-synchronization-controller-pdb',
      ],
    },
    {
      name: 'placement of workloads rolls virt-handler',
      spec: { workloads: { nodePlacement: { nodeSelector: { zone: 'a' } } } },
      want: ['patch DaemonSet virt-handler'],
    },
  ];
  for (const { name, spec, want } of rows) {
    it(`${name}, and back`, async () => {
      const installation = await deployed();
      installation.edit(spec);
      assert.deepEqual(new Set(all(await installation.converge())), new Set(want));
      assert.deepEqual((await installation.pass()).writes, []);
      const { kubeVirt } = installation;
      installation.edit(Object.fromEntries(Object.keys(spec).map((key) => [key, undefined])));
      assert.equal(kubeVirt.spec.infra, spec.infra);
      await installation.converge();
      const fresh = await deployed();
      for (const kind of ['Deployment', 'DaemonSet', 'PodDisruptionBudget', 'MutatingWebhookConfiguration'] as const) {
        const contentOf = (of: Installation) =>
          of.cluster
            .list(kind)
            // The server's default for an update strategy without numbers.
            .map(({ metadata, spec: content }) => [
              metadata.name,
              { ...content, updateStrategy: content?.updateStrategy && 'RollingUpdate' },
            ])
            .sort();
        assert.deepEqual(contentOf(installation), contentOf(fresh));
      }
    });
  }

  it('B53: says once that infra replicas override the strategy', async () => {
    const installation = await deployed();
    installation.edit({ infra: { replicas: 3 } });
    const events = (await installation.converge()).flatMap((result) => result.events);
    assert.deepEqual(
      events.map(({ reason, about }) => [reason, about.name]),
      ['virt-api', 'virt-controller', 'virt-exportproxy'].map((name) => ['AdvancedFeatureUse', name]),
    );
  });

  it('removes common instance types that are switched off, and no others', async () => {
    const own = { kind: 'VirtualMachineClusterInstancetype', apiVersion: 'instancetype.kubevirt.io/v1beta1' };
    const cluster = new MemoryCluster({ objects: [{ ...own, metadata: { name: 'mine' }, spec: {} }] });
    const installation = new Installation(buildKubeVirt(), cluster);
    await installation.converge();
    installation.edit({ configuration: { commonInstancetypesDeployment: { enabled: false } } });
    await installation.converge();
    assert.deepEqual(
      cluster.list('VirtualMachineClusterInstancetype').map(({ metadata }) => metadata.name),
      ['mine'],
    );
    assert.equal(cluster.list('VirtualMachineClusterPreference').length, 0);
  });

  it('removes common instance types that are switched off in the edit that renames the product', async () => {
    const installation = await deployed();
    const configuration = { commonInstancetypesDeployment: { enabled: false } };
    installation.edit({ productComponent: 'storage', configuration });
    await installation.converge();
    assert.equal(installation.cluster.list('VirtualMachineClusterInstancetype').length, 0);
    assert.equal(installation.cluster.list('VirtualMachineClusterPreference').length, 0);
  });

  it('takes labels of a product back', async () => {
    const installation = await deployed({ productName: 'acme', productVersion: '4.2' });
    const labels = () => installation.cluster.get('Service', 'virt-api', 'kubevirt')?.metadata.labels;
    assert.equal(labels()?.['app.kubernetes.io/part-of'], 'acme');
    installation.edit({ productName: '', productVersion: '' });
    await installation.converge();
    assert.equal(labels()?.['app.kubernetes.io/part-of'], undefined);
    assert.equal(labels()?.['app.kubernetes.io/version'], undefined);
  });
});

describe('drift', () => {
  const rows: { name: string; harm: (cluster: MemoryCluster) => void; want: string[] }[] = [
    {
      name: 'a deleted Service',
      harm: (cluster) => {
        cluster.remove('Service', 'virt-api', 'kubevirt');
      },
      want: ['create Service virt-api'],
    },
    {
      name: 'a Service of another type',
      harm: (cluster) => {
        cluster.edit('Service', 'virt-api', ({ spec }) => Object.assign(spec ?? {}, { type: 'NodePort' }));
      },
      want: ['delete Service virt-api', 'create Service virt-api'],
    },
    {
      name: 'a changed rule',
      harm: (cluster) => {
        cluster.edit('ClusterRole', 'kubevirt-controller', (role) => (role.rules as unknown[]).pop());
      },
      want: ['replace ClusterRole kubevirt-controller'],
    },
    {
      name: 'an added subject',
      harm: (cluster) => {
        cluster.edit('ClusterRoleBinding', 'kubevirt-controller', (binding) =>
          (binding.subjects as unknown[]).push({ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }),
        );
      },
      want: ['replace ClusterRoleBinding kubevirt-controller'],
    },
    {
      name: 'a binding to another role, which cannot be changed',
      harm: (cluster) => {
        cluster.edit('RoleBinding', 'kubevirt-controller', ({ roleRef }) => {
          (roleRef as { name: string }).name = 'other';
        });
      },
      want: ['delete RoleBinding kubevirt-controller', 'create RoleBinding kubevirt-controller'],
    },
    {
      name: 'a lost label',
      harm: (cluster) => {
        cluster.edit('ServiceAccount', 'kubevirt-handler', ({ metadata }) => delete metadata.labels?.['kubevirt.io']);
      },
      want: ['patch ServiceAccount kubevirt-handler'],
    },
    {
      name: 'an edited Deployment',
      harm: (cluster) => {
        cluster.edit('Deployment', 'virt-controller', ({ spec }) => Object.assign(spec ?? {}, { replicas: 5 }));
      },
      want: ['patch Deployment virt-controller'],
    },
    {
      name: 'B15: an edited DaemonSet',
      harm: (cluster) => {
        cluster.edit('DaemonSet', 'virt-handler', ({ spec }) => {
          const { template } = spec as { template: { spec: { containers: Record<string, unknown>[] } } };
          Object.assign(template.spec.containers[0] ?? {}, { env: [{ name: 'DEBUG', value: '1' }] });
        });
      },
      want: ['patch DaemonSet virt-handler'],
    },
    {
      name: 'an emptied webhook configuration',
      harm: (cluster) => {
        cluster.edit('ValidatingWebhookConfiguration', 'virt-api-validator', (live) => {
          (live.webhooks as []).pop();
        });
      },
      want: ['patch ValidatingWebhookConfiguration virt-api-validator'],
    },
    {
      name: 'an edited policy',
      harm: (cluster) => {
        cluster.edit('ValidatingAdmissionPolicy', 'kubevirt-node-restriction-policy', ({ spec }) =>
          Object.assign(spec ?? {}, { failurePolicy: 'Ignore' }),
        );
      },
      want: ['patch ValidatingAdmissionPolicy kubevirt-node-restriction-policy'],
    },
    {
      name: 'a broken key pair',
      harm: (cluster) => {
        cluster.edit('Secret', 'kubevirt-virt-api-certs', (secret) => (secret.data = { 'tls.crt': 'AAAA' }));
      },
      want: ['patch Secret kubevirt-virt-api-certs'],
    },
    {
      name: 'a managed object that no strategy names',
      harm: (cluster) => {
        const metadata = { name: 'old', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } };
        cluster.add({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata });
      },
      want: ['delete ClusterRole old'],
    },
  ];
  for (const { name, harm, want } of rows) {
    it(`${name} is put right with ${want.length === 1 ? 'one write' : 'two writes'}`, async () => {
      const installation = await deployed();
      harm(installation.cluster);
      installation.cluster.settle();
      const { writes } = await installation.pass();
      assert.deepEqual(writes, want);
      installation.cluster.settle();
      const next = await installation.pass();
      assert.deepEqual([next.writes, next.isComplete], [[], true]);
    });
  }

  const foreign: { name: string; harm: (cluster: MemoryCluster) => void }[] = [
    {
      name: 'annotations of others',
      harm: (cluster) => {
        for (const { kind, metadata } of cluster.all().filter((object) => object.kind !== 'Pod')) {
          cluster.edit(
            kind as 'Service',
            metadata.name ?? '',
            (live) => {
              live.metadata.annotations = { ...live.metadata.annotations, 'policy.example/checked': 'yes' };
            },
            metadata.namespace,
          );
        }
      },
    },
    {
      name: 'tokens of ServiceAccounts',
      harm: (cluster) => {
        cluster.edit('ServiceAccount', 'kubevirt-handler', (account) => (account.secrets = [{ name: 'token' }]));
      },
    },
  ];
  for (const { name, harm } of foreign) {
    it(`${name} are left alone and survive our next write`, async () => {
      const installation = await deployed();
      harm(installation.cluster);
      assert.deepEqual((await installation.pass()).writes, []);
      installation.edit({ infra: { replicas: 3 } });
      await installation.converge();
      const kept = installation.cluster.get('Deployment', 'virt-controller', 'kubevirt')?.metadata.annotations;
      assert.equal(kept?.['policy.example/checked'], name.startsWith('annotations') ? 'yes' : undefined);
    });
  }
});
