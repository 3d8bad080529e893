import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  monitorNamespaceCandidates,
  productLabels,
  pullSecretsOf,
  synchronizationPortOf,
} from '../../../src/strategy/target-properties.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { target } from './builders.ts';

const withProperties = (properties: Record<string, string>, kubeVirtVersion = 'v1.9.0'): TargetDeployment => ({
  ...target(),
  kubeVirtVersion,
  additionalProperties: properties,
});

describe('productLabels', () => {
  const long = 'a'.repeat(64);
  const rows: { name: string; properties: Record<string, string>; version?: string; want: Record<string, string> }[] = [
    { name: 'the version of KubeVirt', properties: {}, want: { 'app.kubernetes.io/version': 'v1.9.0' } },
    { name: 'no digest as version', properties: {}, version: 'v1@sha256:ab', want: {} },
    { name: 'a present empty version', properties: { productVersion: '' }, want: {} },
    {
      name: 'all three',
      properties: { productName: 'n', productVersion: '1', productComponent: 'c' },
      want: { 'app.kubernetes.io/part-of': 'n', 'app.kubernetes.io/version': '1', 'app.kubernetes.io/component': 'c' },
    },
    {
      name: 'the names of a CR are other ones',
      properties: { ProductName: 'n' },
      want: { 'app.kubernetes.io/version': 'v1.9.0' },
    },
    {
      name: 'over-long and invalid ones are left out',
      properties: { productName: long, productVersion: '-x', productComponent: 'ok' },
      want: { 'app.kubernetes.io/component': 'ok' },
    },
  ];
  for (const { name, properties, version, want } of rows) {
    test(name, () => {
      assert.deepEqual(productLabels(withProperties(properties, version)), want);
    });
  }
});

test('synchronizationPortOf falls back on what is no integer', () => {
  const ports = ['', '9999', '+80', 'x', '1.5'].map((text) =>
    synchronizationPortOf(withProperties({ SynchronizationPort: text })),
  );
  assert.deepEqual(ports, [9185, 9999, 80, 9185, 9185]);
});

test('pull secrets that cannot be read are none', () => {
  const secrets = ['null', '[]', '[{"name":"a"}]', '{', '{}'].map((text) =>
    pullSecretsOf(withProperties({ ImagePullSecrets: text })),
  );
  assert.deepEqual(secrets, [[], [], [{ name: 'a' }], [], []]);
});

test('monitoring is looked for where the CR says, else in the usual places', () => {
  assert.deepEqual(monitorNamespaceCandidates(target()), ['openshift-monitoring', 'monitoring']);
  assert.deepEqual(monitorNamespaceCandidates(target({ monitorNamespace: 'm' })), ['m']);
});
