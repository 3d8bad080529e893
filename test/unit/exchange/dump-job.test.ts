import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import type { JsonObject } from '../../../src/api/objects.ts';
import { attemptOf, buildDumpJob, type DumpJobInput } from '../../../src/exchange/dump-job.ts';
import { target } from '../strategy/builders.ts';

const input = (changes: Partial<DumpJobInput> = {}): DumpJobInput => ({
  target: target({ imageTag: 'v1.8.4' }),
  operatorNamespace: 'operator',
  spec: {},
  attempt: 1,
  ...changes,
});

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: JsonObject & { containers: [JsonObject & { env: { name: string; value: string }[] }] };
}
const podOf = (changes: Partial<DumpJobInput> = {}): Pod =>
  buildDumpJob(input(changes)).spec?.['template'] as unknown as Pod;

describe('buildDumpJob', () => {
  test('metadata', () => {
    const { id } = input().target;
    assert.deepEqual(buildDumpJob(input()).metadata, {
      name: `virt-operator-install-strategy-${id.slice(0, 12)}-1`,
      namespace: 'operator',
      labels: {
        'kubevirt.io': '',
        'app.kubernetes.io/managed-by': 'virt-operator',
        'kubevirt.io/install-strategy': '',
      },
      annotations: {
        'kubevirt.io/install-strategy-version': 'v1.8.4',
        'kubevirt.io/install-strategy-registry': 'quay.io/kubevirt',
        'kubevirt.io/install-strategy-identifier': id,
        'kubevirt.io/install-strategy-attempt': '1',
        'kubevirt.io/customizer-identifier': 'bf21a9e8fbc5a3846fb05b4fa0859e0917b2202f',
      },
    });
  });

  test('the name of a late attempt fits', () => {
    const job = buildDumpJob(input({ attempt: 99_999 }));
    assert.ok((job.metadata.name ?? '').length <= 63, job.metadata.name);
    assert.equal(attemptOf(job), 99_999);
  });

  test('a Job of upstream counts as the first attempt', () => {
    assert.equal(attemptOf({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' } }), 1);
  });

  test('the container runs the release itself', () => {
    const wanted = input().target;
    const { spec, metadata } = podOf();
    const [container] = spec.containers;
    assert.deepEqual(metadata.labels, {
      'kubevirt.io': 'virt-operator-strategy-dumper',
      'np.kubevirt.io/allow-access-cluster-services': 'true',
    });
    assert.equal(spec['serviceAccountName'], 'kubevirt-operator');
    assert.equal(spec['restartPolicy'], 'Never');
    assert.equal(container['image'], 'quay.io/kubevirt/virt-operator:v1.8.4');
    assert.deepEqual(container['command'], ['virt-operator', '--dump-install-strategy']);
    assert.deepEqual(container.env, [
      { name: 'VIRT_OPERATOR_IMAGE', value: 'quay.io/kubevirt/virt-operator:v1.8.4' },
      { name: 'TARGET_INSTALL_NAMESPACE', value: 'kubevirt' },
      { name: 'TARGET_IMAGE_PULL_POLICY', value: 'IfNotPresent' },
      { name: 'TARGET_DEPLOYMENT_CONFIG', value: wanted.json },
    ]);
  });

  const images: { name: string; spec?: KubeVirt['spec']; env?: Record<string, string>; want: string }[] = [
    { name: 'a tag', spec: { imageTag: 'v1.8.4' }, want: 'quay.io/kubevirt/virt-operator:v1.8.4' },
    {
      name: 'a tag and a registry with a port',
      spec: { imageTag: 'v1.8.4', imageRegistry: 'mirror.local:5000/kv' },
      want: 'mirror.local:5000/kv/virt-operator:v1.8.4',
    },
    {
      name: 'a digest of another release',
      env: { VIRT_OPERATOR_IMAGE: 'mirror.local/virt-operator@sha256:ab', KUBEVIRT_VERSION: 'v1.8.4' },
      want: 'mirror.local/virt-operator@sha256:ab',
    },
    {
      name: 'a prefix, which a moved image loses as it does upstream',
      spec: { imageTag: 'v1.8.4' },
      env: { VIRT_OPERATOR_IMAGE: 'mirror.local/dev-virt-operator:v1.9.0' },
      want: 'mirror.local/virt-operator:v1.8.4',
    },
  ];
  for (const { name, spec = {}, env = {}, want } of images) {
    test(`the image of ${name}`, () => {
      const [container] = podOf({ target: target(spec, env) }).spec.containers;
      assert.equal(container['image'], want);
      assert.deepEqual(container.env[0], { name: 'VIRT_OPERATOR_IMAGE', value: want });
    });
  }

  test('without an operator image, registry and prefix make one', () => {
    const wanted = target({}, { VIRT_OPERATOR_IMAGE: 'r/dev-virt-operator:v1' });
    const bare = { ...wanted, images: { ...wanted.images, virtOperatorImage: '' } };
    assert.equal(podOf({ target: bare }).spec.containers[0]['image'], 'r/dev-virt-operator:v1');
  });

  test('passed-through variables lose their prefix; secrets and policy are those of the CR', () => {
    const wanted = target(
      { imagePullSecrets: [{ name: 's' }], imagePullPolicy: 'Always' },
      { KV_IO_EXTRA_ENV_B: '2', KV_IO_EXTRA_ENV_A: '1' },
    );
    const { spec } = podOf({ target: wanted });
    assert.deepEqual(spec['imagePullSecrets'], [{ name: 's' }]);
    assert.equal(spec.containers[0]['imagePullPolicy'], 'Always');
    assert.deepEqual(spec.containers[0].env.slice(4), [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ]);
  });

  test('placement and customization apply', () => {
    const patches = [
      {
        resourceType: 'Job',
        resourceName: 'virt-operator-install-strategy',
        type: 'json' as const,
        patch: '[{"op":"add","path":"/spec/template/spec/containers/0/resources","value":{"limits":{"cpu":"1"}}}]',
      },
    ];
    const infra = { nodePlacement: { nodeSelector: { zone: 'a' } } };
    const { spec } = podOf({ spec: { infra, customizeComponents: { patches } } });
    assert.deepEqual(spec['nodeSelector'], { 'kubernetes.io/os': 'linux', zone: 'a' });
    assert.deepEqual(spec.containers[0]['resources'], { limits: { cpu: '1' } });
    assert.equal(podOf().spec['tolerations'] === undefined, false, 'control-plane tolerations by default');
  });

  test('B07: the pod carries the node selector, affinity and tolerations of spec.infra, whole, and no default besides', () => {
    const nodePlacement = {
      nodeSelector: { zone: 'a', 'kubernetes.io/os': 'other' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'infra', operator: 'Exists' }] }],
          },
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: {} } },
          ],
        },
      },
      tolerations: [
        { key: 'infra', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'other', operator: 'Equal', value: 'x', effect: 'NoExecute', tolerationSeconds: 60 },
      ],
    };
    const { spec } = podOf({ spec: { infra: { nodePlacement } } });
    assert.deepEqual(
      { nodeSelector: spec['nodeSelector'], affinity: spec['affinity'], tolerations: spec['tolerations'] },
      nodePlacement,
    );
  });

  test('B09: whatever the version, the name or the customization of the Job, its pod has one label to select it by, and the operator has another', () => {
    const rename = { resourceType: 'Job', resourceName: '*', type: 'merge' as const };
    const patches = [{ ...rename, patch: '{"metadata":{"generateName":"another-name-"}}' }];
    const jobs = [
      podOf(),
      podOf({ target: target({ imageTag: 'v1.7.0', imageRegistry: 'r' }) }),
      podOf({ target: target({ productName: 'p', productVersion: '1', productComponent: 'c', imageTag: 'latest' }) }),
      podOf({ attempt: 7 }),
      podOf({ spec: { customizeComponents: { patches } } }),
    ];
    for (const { metadata } of jobs) assert.equal(metadata.labels['kubevirt.io'], 'virt-operator-strategy-dumper');
    // What Services, budgets and policies select the operator's pods by (spec/deployment.md).
    assert.notEqual(jobs[0]?.metadata.labels['kubevirt.io'], 'virt-operator');
  });
});
