/** Our CRDs on a real API server: it accepts them as structural, explains them, and judges objects by them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildCustomResourceDefinitions } from '../../../src/strategy/components/crds.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import type { ApiAnswer, ApiClient } from '../../../sandbox/api-client.ts';
import { requireBinaries, startOwnControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const target = { additionalProperties: { VirtTemplateDeploymentEnabled: '' } } as unknown as TargetDeployment;
const crds = [buildKubeVirtCrd(), ...buildCustomResourceDefinitions({ target })];
const nameOf = (crd: KubernetesObject): string => crd.metadata.name ?? '';

interface Condition {
  type: string;
  status: string;
  message?: string;
}

const plane = await startOwnControlPlane({ nodes: 1 });
const { api } = plane;

const readConditions = async (name: string): Promise<Condition[]> => {
  const crd = await api.expect('GET', `${CRDS}/${name}`);
  return (crd['status'] as { conditions?: Condition[] } | undefined)?.conditions ?? [];
};

const isEstablished = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ type, status }) => type === 'Established' && status === 'True');

/** Resolves when the API server serves the CRD; fails with its conditions when it does not. */
const waitForEstablished = (name: string): Promise<Condition[]> =>
  eventually(() => readConditions(name), isEstablished);

const explain = async (...args: string[]): Promise<string> => {
  const kubectl = join(requireBinaries(), 'kubectl');
  const { stdout } = await promisify(execFile)(kubectl, ['--kubeconfig', plane.kubeconfig, 'explain', ...args]);
  return stdout;
};

before(async () => {
  await Promise.all(crds.map((crd) => api.expect('POST', CRDS, crd)));
  await Promise.all(crds.map((crd) => waitForEstablished(nameOf(crd))));
});

describe('every CRD is established and structural', () => {
  for (const crd of crds) {
    test(nameOf(crd), async () => {
      const conditions = await waitForEstablished(nameOf(crd));
      const faults = conditions.filter(({ type }) => type !== 'Established' && type !== 'NamesAccepted');
      assert.deepEqual(faults, []);
    });
  }
});

const disk = { name: 'root', disk: { bus: 'virtio' } };
const domain = {
  devices: { disks: [disk], interfaces: [{ name: 'default', masquerade: {} }] },
  memory: { guest: '1Gi' },
};
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    domain,
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'root', containerDisk: { image: 'quay.io/containerdisks/fedora:latest' } }],
    terminationGracePeriodSeconds: 30,
  },
};
const dataVolumeTemplates = [
  {
    metadata: { name: 'data' },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
  },
];

interface Candidate {
  resource: string;
  object: { apiVersion: string; kind: string; spec: object };
}

const virtualMachine = (spec: object): Candidate => ({
  resource: 'kubevirt.io/v1/namespaces/default/virtualmachines',
  object: { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', spec },
});
const vmTemplate = (changes: object): Candidate =>
  virtualMachine({ runStrategy: 'Always', template: { ...template, spec: { ...template.spec, ...changes } } });
const vmDomain = (changes: object): Candidate => vmTemplate({ domain: { ...domain, ...changes } });
const instancetype = (spec: object): Candidate => ({
  resource: 'instancetype.kubevirt.io/v1beta1/namespaces/default/virtualmachineinstancetypes',
  object: { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', spec },
});
const migrationPolicy = (spec: object): Candidate => ({
  resource: 'migrations.kubevirt.io/v1alpha1/migrationpolicies',
  object: { apiVersion: 'migrations.kubevirt.io/v1alpha1', kind: 'MigrationPolicy', spec },
});
const kubeVirt = (spec: object): Candidate => ({
  resource: 'kubevirt.io/v1/namespaces/default/kubevirts',
  object: { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', spec },
});
const backup = (spec: object): Candidate => ({
  resource: 'backup.kubevirt.io/v1alpha1/namespaces/default/virtualmachinebackups',
  object: { apiVersion: 'backup.kubevirt.io/v1alpha1', kind: 'VirtualMachineBackup', spec },
});

const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };
const selectors = { namespaceSelector: { team: 'a' } };

/** Creates the object on trial: nothing is stored. */
const createDry = (client: ApiClient, { resource, object }: Candidate): Promise<ApiAnswer> =>
  client.call('POST', `/apis/${resource}?dryRun=All&fieldValidation=Strict`, {
    ...object,
    metadata: { name: 'candidate' },
  });

describe('accepted', () => {
  const rows: { name: string; candidate: Candidate }[] = [
    { name: 'a virtual machine', candidate: vmTemplate({}) },
    {
      name: 'a virtual machine with a data volume template',
      candidate: virtualMachine({ runStrategy: 'Always', template, dataVolumeTemplates }),
    },
    { name: 'a reboot policy', candidate: vmDomain({ rebootPolicy: 'Terminate' }) },
    { name: 'an instance type', candidate: instancetype({ cpu: { guest: 2 }, memory: { guest: '4Gi' } }) },
    { name: 'a memory size without a unit', candidate: instancetype({ cpu: { guest: 1 }, memory: { guest: 1024 } }) },
    {
      name: 'a migration policy',
      candidate: migrationPolicy({ selectors, allowAutoConverge: true, maxDowntimeMs: 300 }),
    },
    { name: 'an empty KubeVirt', candidate: kubeVirt({}) },
    {
      name: 'a configured KubeVirt',
      candidate: kubeVirt({
        imagePullPolicy: 'IfNotPresent',
        configuration: {
          developerConfiguration: { featureGates: ['Snapshot'] },
          vmRolloutStrategy: 'Stage',
          instancetype: null,
        },
        infra: { nodePlacement: { tolerations: [{ key: 'infra', operator: 'Exists' }] }, replicas: 3 },
      }),
    },
    { name: 'a backup', candidate: backup({ source, pvcName: 'target' }) },
  ];
  for (const { name, candidate } of rows) {
    test(name, async () => {
      const answer = await createDry(api, candidate);
      assert.equal(answer.status, 201, answer.text);
    });
  }
});

describe('refused', () => {
  const rows: { name: string; candidate: Candidate; want: RegExp }[] = [
    { name: 'a virtual machine without template', candidate: virtualMachine({}), want: /spec\.template: Required/ },
    {
      name: 'text for a number of cores',
      candidate: vmDomain({ cpu: { cores: 'two' } }),
      want: /cores.*must be.*integer/,
    },
    {
      name: 'an unknown reboot policy',
      candidate: vmDomain({ rebootPolicy: 'Later' }),
      want: /rebootPolicy: Unsupported/,
    },
    { name: 'memory that is no quantity', candidate: vmDomain({ memory: { guest: 'much' } }), want: /memory\.guest/ },
    { name: 'an unknown field', candidate: vmDomain({ colour: 'red' }), want: /unknown field.*colour/ },
    {
      name: 'a path that leads upwards',
      candidate: vmTemplate({ volumes: [{ name: 'root', containerPath: { path: '/a/../b' } }] }),
      want: /path must not lead upwards/,
    },
    {
      name: 'text for the processors of an instance type',
      candidate: instancetype({ cpu: { guest: 'two' }, memory: { guest: '1Gi' } }),
      want: /cpu\.guest.*must be.*integer/,
    },
    {
      name: 'an instance type without memory',
      candidate: instancetype({ cpu: { guest: 2 } }),
      want: /memory: Required/,
    },
    {
      name: 'overcommit above 100 %',
      candidate: instancetype({ cpu: { guest: 2 }, memory: { guest: '1Gi', overcommitPercent: 101 } }),
      want: /overcommitPercent/,
    },
    {
      name: 'a downtime of zero',
      candidate: migrationPolicy({ selectors, maxDowntimeMs: 0 }),
      want: /maxDowntimeMs.*greater than or equal to 1/,
    },
    {
      name: 'an unknown compression',
      candidate: migrationPolicy({ selectors, experimental: { compression: 'zip' } }),
      want: /compression: Unsupported/,
    },
    { name: 'a policy for text', candidate: migrationPolicy({ selectors: 'all' }), want: /selectors.*must be.*object/ },
    {
      name: 'an unknown role strategy',
      candidate: kubeVirt({ configuration: { roleAggregationStrategy: 'Sometimes' } }),
      want: /roleAggregationStrategy: Unsupported/,
    },
    {
      name: 'a patch without resource name',
      candidate: kubeVirt({
        customizeComponents: { patches: [{ resourceName: '', resourceType: 'Service', patch: '{}', type: 'merge' }] },
      }),
      want: /resourceName/,
    },
    { name: 'a backup without target', candidate: backup({ source }), want: /pvcName is needed/ },
    {
      name: 'a backup of something else',
      candidate: backup({ source: { ...source, kind: 'Pod' }, pvcName: 'target' }),
      want: /the source is a VirtualMachine/,
    },
  ];
  for (const { name, candidate, want } of rows) {
    test(name, async () => {
      const answer = await createDry(api, candidate);
      assert.ok(answer.status === 422 || answer.status === 400, `answered ${answer.status}: ${answer.text}`);
      assert.match(answer.text, want);
    });
  }
});

describe('kubectl explain', () => {
  test('lists the devices of a virtual machine', async () => {
    const text = await explain('vm.spec.template.spec.domain.devices');
    assert.match(text, /DESCRIPTION:\s+Disks, interfaces and all other devices\./);
    for (const field of [
      'disks\t<[]Object>',
      'Disks, CD drives and SCSI units.',
      'interfaces\t<[]Object>',
      'autoattachSerialConsole\t<boolean>',
    ]) {
      assert.ok(text.includes(field), `${field} is missing in:\n${text}`);
    }
  });

  test('shows the values of an enumeration', async () => {
    const text = await explain('kubevirt.spec.configuration.vmRolloutStrategy');
    assert.match(text, /LiveUpdate/);
  });
});
