import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import { hasSwitch } from '../../../src/strategy/target-properties.ts';
import { environment, kubeVirt, target } from './builders.ts';

type Spec = KubeVirt['spec'];

describe('version, registry and operator image', () => {
  const digest = 'acme.com/kv/my-virt-operator@sha256:ab';
  const rows: { name: string; spec?: Spec; env?: Record<string, string>; want: [string, string, string, string] }[] = [
    { name: 'of the environment', want: ['quay.io/kubevirt', '', 'v1.9.0', 'quay.io/kubevirt/virt-operator:v1.9.0'] },
    {
      name: 'a tag of the CR',
      spec: { imageTag: 'v2' },
      want: ['quay.io/kubevirt', '', 'v2', 'quay.io/kubevirt/virt-operator:v2'],
    },
    {
      name: 'a registry of the CR',
      spec: { imageRegistry: 'r:1/x' },
      want: ['r:1/x', '', 'v1.9.0', 'r:1/x/virt-operator:v1.9.0'],
    },
    {
      name: 'empty wishes are none',
      spec: { imageTag: '', imageRegistry: '' },
      want: ['quay.io/kubevirt', '', 'v1.9.0', 'quay.io/kubevirt/virt-operator:v1.9.0'],
    },
    {
      name: 'a digest takes the version of the environment',
      env: { VIRT_OPERATOR_IMAGE: digest, KUBEVIRT_VERSION: 'v1.9.0' },
      want: ['acme.com/kv', 'my-', 'v1.9.0', digest],
    },
    {
      name: 'a digest without a version',
      env: { VIRT_OPERATOR_IMAGE: digest },
      want: ['acme.com/kv', 'my-', 'latest', digest],
    },
    {
      name: 'a moved operator image loses the prefix',
      spec: { imageTag: 'v2' },
      env: { VIRT_OPERATOR_IMAGE: digest },
      want: ['acme.com/kv', 'my-', 'v2', 'acme.com/kv/virt-operator:v2'],
    },
    {
      name: 'no tag is latest, whatever the environment says',
      env: { VIRT_OPERATOR_IMAGE: 'a/virt-operator', KUBEVIRT_VERSION: 'v1' },
      want: ['a', '', 'latest', 'a/virt-operator'],
    },
    {
      name: 'a name that cannot be parsed',
      env: { VIRT_OPERATOR_IMAGE: 'blabla', KUBEVIRT_VERSION: 'v1' },
      want: ['', '', 'v1', 'blabla'],
    },
  ];
  for (const { name, spec, env, want } of rows) {
    test(name, () => {
      const got = target(spec, env);
      assert.deepEqual([got.registry, got.imagePrefix, got.kubeVirtVersion, got.images.virtOperatorImage], want);
    });
  }
});

describe('switches', () => {
  const gates = (...featureGates: string[]): Spec => ({ configuration: { developerConfiguration: { featureGates } } });
  const disabled = (...disabledFeatureGates: string[]): Spec => ({
    configuration: { developerConfiguration: { disabledFeatureGates } },
  });
  const rows: { name: string; spec: Spec; switch: Parameters<typeof hasSwitch>[1]; want: boolean }[] = [
    { name: 'templates by default', spec: {}, switch: 'VirtTemplateDeploymentEnabled', want: true },
    {
      name: 'templates switched off',
      spec: { configuration: { virtTemplateDeployment: { enabled: false } } },
      switch: 'VirtTemplateDeploymentEnabled',
      want: false,
    },
    {
      name: 'templates without their gate',
      spec: disabled('Template'),
      switch: 'VirtTemplateDeploymentEnabled',
      want: false,
    },
    {
      name: 'reservation by its field',
      spec: { configuration: { persistentReservationConfiguration: { enabled: true } } },
      switch: 'PersistentReservationEnabled',
      want: true,
    },
    {
      name: 'reservation by a mention of its gate',
      spec: gates('PersistentReservation'),
      switch: 'PersistentReservationEnabled',
      want: true,
    },
    {
      name: 'reservation is not on though its gate is GA',
      spec: {},
      switch: 'PersistentReservationEnabled',
      want: false,
    },
    {
      name: 'the field of reservation wins over the mention',
      spec: {
        configuration: {
          ...gates('PersistentReservation').configuration,
          persistentReservationConfiguration: { enabled: false },
        },
      },
      switch: 'PersistentReservationEnabled',
      want: false,
    },
    {
      name: 'opting out of aggregation',
      spec: { configuration: { roleAggregationStrategy: 'Manual' } },
      switch: 'OptOutRoleAggregation',
      want: true,
    },
    {
      name: 'opting out needs the gate',
      spec: {
        configuration: { ...disabled('OptOutRoleAggregation').configuration, roleAggregationStrategy: 'Manual' },
      },
      switch: 'OptOutRoleAggregation',
      want: false,
    },
    { name: 'plugins', spec: gates('Plugins'), switch: 'PluginsEnabled', want: true },
  ];
  for (const row of rows) {
    test(row.name, () => {
      assert.equal(hasSwitch(target(row.spec), row.switch), row.want);
    });
  }

  test('the hypervisor needs its gate', () => {
    const configuration = { hypervisors: [{ name: 'hyperv-direct' as const }] };
    const withGate = { ...configuration, developerConfiguration: { featureGates: ['ConfigurableHypervisor'] } };
    assert.equal(target({ configuration }).additionalProperties['HypervisorName'], 'kvm');
    assert.equal(target({ configuration: withGate }).additionalProperties['HypervisorName'], 'hyperv-direct');
  });
});

describe('ID and JSON', () => {
  test('equal the worked example of the specification', () => {
    const { id, json } = target({ imagePullPolicy: 'IfNotPresent' });
    assert.equal(id, '7094f6e16396cf2ff9af28bc76abc121430fa6c0');
    assert.match(
      json,
      /^\{"id":"7094f6e16396cf2ff9af28bc76abc121430fa6c0","namespace":"kubevirt","registry":"quay\.io\/kubevirt",/,
    );
    assert.match(json, /"Configuration":"\\u003cv1\.KubeVirtConfiguration Value\\u003e"/);
  });
  test('escape as Go does', () => {
    const { json } = target({ productName: '<&>\u2028\u2029é"\\' });
    assert.match(json, /"ProductName":"\\u003c\\u0026\\u003e\\u2028\\u2029é\\"\\\\"/);
  });
  test('pull secrets escape twice, and absence differs from an empty list', () => {
    const property = (spec: Spec): string | undefined => target(spec).additionalProperties['ImagePullSecrets'];
    assert.equal(property({}), 'null');
    assert.equal(property({ imagePullSecrets: [] }), '[]');
    assert.equal(property({ imagePullSecrets: [{ name: 'a<b' }, {}] }), String.raw`[{"name":"a\u003cb"},{}]`);
  });
  test('do not depend on the status or on opaque fields', () => {
    const plain = kubeVirt({});
    const decorated = {
      ...kubeVirt({ infra: { replicas: 3 }, customizeComponents: { flags: { api: { v: '5' } } } }),
      status: { targetDeploymentID: 'x', observedKubeVirtVersion: 'v0' },
    };
    assert.deepEqual(decideTarget(decorated, environment()), decideTarget(plain, environment()));
  });
  test('order passed-through variables by bytes', () => {
    const env = { KV_IO_EXTRA_ENV_b: '1', KV_IO_EXTRA_ENV_A: 'x=y', KV_IO_EXTRA_ENV_a: '' };
    const got = target({}, env);
    assert.deepEqual(Object.entries(got.passthroughEnv), [
      ['A', 'x'],
      ['a', ''],
      ['b', '1'],
    ]);
    assert.match(got.json, /"passthroughEnvVars":\{"A":"x","a":"","b":"1"\}\}$/);
  });
});
