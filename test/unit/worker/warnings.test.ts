import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClusterFeatures } from '../../../src/api/features.ts';
import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { Monitoring } from '../../../src/observe/monitor-namespace.ts';
import { buildInstallStrategy } from '../../../src/strategy/install-strategy.ts';
import { findMonitoringGap, findUnmatchedPatches } from '../../../src/worker/warnings.ts';

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
  monitoring?: Monitoring;
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
    name: 'B35: a name that is not there',
    spec: patches(patch('*', '*'), patch('Deployment', 'virt-apii')),
    want: [/patches\[1\].*Deployment virt-apii.*generation 4/],
  },
  {
    name: 'B35: a kind that cannot be customized',
    spec: patches(patch('ServiceMonitor', '*')),
    want: [/patches\[0\].*ServiceMonitor/],
  },
  {
    name: 'B35: each patch that matches nothing, and no other',
    spec: patches(patch('DaemonSet', 'virt-api'), patch('Deployment', 'virt-api'), patch('*', 'nobody')),
    want: [/patches\[0\].*DaemonSet virt-api/, /patches\[2\].*\* nobody/],
  },
  {
    name: 'B67: monitoring asked for on a cluster without its APIs',
    spec: { monitorNamespace: 'm' },
    want: [/does not serve ServiceMonitor and PrometheusRule/],
  },
  {
    name: 'B67: one API of monitoring is missing',
    spec: { monitorAccount: 'a' },
    features: { ...SERVED, prometheusRule: false },
    want: [/does not serve PrometheusRule of/],
  },
  {
    name: 'B67: the other API of monitoring is missing',
    spec: { serviceMonitorNamespace: 's' },
    features: { ...SERVED, serviceMonitor: false },
    want: [/does not serve ServiceMonitor of/],
  },
  { name: 'monitoring served and found', features: SERVED, monitoring: { namespace: 'monitoring' }, want: [] },
  { name: 'no API of monitoring, and nobody asks', want: [] },
  {
    name: 'B67: the account is missing',
    objects: [object('Deployment', 'virt-api')],
    features: SERVED,
    spec: { monitorAccount: 'prom', monitorNamespace: 'm' },
    monitoring: { namespace: '', missing: 'account' },
    want: [/there is no service account prom in namespace m \(generation 4\)/],
  },
  {
    name: 'B67: the namespace is missing',
    objects: [object('Deployment', 'virt-api')],
    features: SERVED,
    spec: { monitorNamespace: 'm' },
    monitoring: { namespace: '', missing: 'namespace' },
    want: [/there is no namespace m for service account prometheus-k8s/],
  },
  {
    name: 'B67: a strategy of another release has no monitors, and nobody knows why',
    objects: [object('Deployment', 'virt-api')],
    features: SERVED,
    spec: { monitorNamespace: 'm' },
    want: [/no service account prometheus-k8s in namespace m, or no such namespace/],
  },
];

for (const { name, spec = {}, objects = MONITORED, features = NOTHING, monitoring, want } of ROWS) {
  test(name, () => {
    const kubeVirt = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'KubeVirt' as const,
      metadata: { name: 'kubevirt', namespace: 'kubevirt', uid: 'u', generation: 4 },
      spec,
    };
    const facts = { kubeVirt, strategy: buildInstallStrategy(objects), features, monitoring };
    const events = [...findUnmatchedPatches(facts), ...findMonitoringGap(facts)];
    assert.equal(events.length, want.length, JSON.stringify(events));
    for (const [index, pattern] of want.entries()) assert.match(events[index]?.message ?? '', pattern);
    for (const { about, type, once } of events)
      assert.deepEqual([about.kind, about.uid, type, once], ['KubeVirt', 'u', 'Warning', true]);
  });
}
