import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClusterFeatures } from '../../../src/api/features.ts';
import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { buildInstallStrategy } from '../../../src/strategy/install-strategy.ts';
import { findWarnings } from '../../../src/worker/warnings.ts';

const object = (kind: string, name: string): KubernetesObject => ({ apiVersion: 'v1', kind, metadata: { name } });
const MONITORED = [object('Deployment', 'virt-api'), object('ServiceMonitor', 'prometheus-kubevirt-rules')];
const NOTHING: ClusterFeatures = {
  openshift: false,
  serviceMonitor: false,
  prometheusRule: false,
  validatingAdmissionPolicy: true,
  validatingAdmissionPolicyBinding: true,
};
const SERVED = { ...NOTHING, serviceMonitor: true, prometheusRule: true };

const patch = (resourceType: string, resourceName: string) => ({
  resourceType,
  resourceName,
  type: 'json',
  patch: '[]',
});
const patches = (...list: ReturnType<typeof patch>[]): KubeVirtSpec => ({ customizeComponents: { patches: list } });

const ROWS: {
  name: string;
  spec?: KubeVirtSpec;
  objects?: KubernetesObject[];
  features?: ClusterFeatures;
  want: RegExp[];
}[] = [
  { name: 'nothing asked, nothing missing', want: [] },
  {
    name: 'patches that match, whatever their case',
    spec: patches(patch('deployment', 'VIRT-API'), patch('*', '*')),
    want: [],
  },
  { name: 'a patch of the dump Job', spec: patches(patch('Job', 'virt-operator-install-strategy')), want: [] },
  {
    name: 'a name that is not there',
    spec: patches(patch('*', '*'), patch('Deployment', 'virt-apii')),
    want: [/patches\[1\].*virt-apii.*generation 4/],
  },
  { name: 'a kind that cannot be customized', spec: patches(patch('ServiceMonitor', '*')), want: [/patches\[0\]/] },
  {
    name: 'monitoring asked for on a cluster without its APIs',
    spec: { monitorNamespace: 'm' },
    want: [/does not serve/],
  },
  { name: 'monitoring served and found', features: SERVED, want: [] },
  {
    name: 'monitoring served and not found',
    objects: [object('Deployment', 'virt-api')],
    features: SERVED,
    spec: { monitorAccount: 'prom', monitorNamespace: 'm' },
    want: [/service account prom in namespace m/],
  },
];

for (const { name, spec = {}, objects = MONITORED, features = NOTHING, want } of ROWS) {
  test(name, () => {
    const kubeVirt = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'KubeVirt' as const,
      metadata: { name: 'kubevirt', namespace: 'kubevirt', uid: 'u', generation: 4 },
      spec,
    };
    const events = findWarnings({ kubeVirt, strategy: buildInstallStrategy(objects), features });
    assert.equal(events.length, want.length, JSON.stringify(events));
    for (const [index, pattern] of want.entries()) assert.match(events[index]?.message ?? '', pattern);
    for (const { about, type } of events) assert.deepEqual([about.kind, about.uid, type], ['KubeVirt', 'u', 'Warning']);
  });
}
