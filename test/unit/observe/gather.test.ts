import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { ObjectStore } from '../../../src/api/store.ts';
import { gather } from '../../../src/observe/gather.ts';

const object = (
  kind: KindName,
  namespace: string,
  name: string,
  labels?: Record<string, string>,
): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace, name, ...(labels === undefined ? {} : { labels }) },
});
const STRATEGY = { 'kubevirt.io/install-strategy': '' };

function storeOf(...objects: KubernetesObject[]): ObjectStore {
  const features = {
    openshift: true,
    serviceMonitor: false,
    prometheusRule: false,
    validatingAdmissionPolicy: true,
    validatingAdmissionPolicyBinding: true,
  };
  return {
    list: (kind: KindName) => objects.filter((each) => each.kind === kind),
    features: () => features,
    schedulableNodes: () => 3,
  } as unknown as ObjectStore;
}

test('the object of the key and all others are told apart by namespace and name', () => {
  const { kubeVirt, others } = gather(
    'b/kubevirt',
    storeOf(object('KubeVirt', 'a', 'kubevirt'), object('KubeVirt', 'b', 'kubevirt')),
  );
  assert.equal(kubeVirt?.metadata.namespace, 'b');
  assert.deepEqual(kubeVirt.spec, {}, 'a missing spec reads as empty');
  assert.deepEqual(
    others.map(({ metadata }) => metadata.namespace),
    ['a'],
  );
});

test('an object that is gone is undefined', () => {
  const { kubeVirt, others } = gather('a/kubevirt', storeOf());
  assert.equal(kubeVirt, undefined);
  assert.deepEqual(others, []);
});

test('strategies and their Jobs are found by label in any namespace', () => {
  const observed = gather(
    'a/kubevirt',
    storeOf(
      object('ConfigMap', 'a', 'strategy', STRATEGY),
      object('ConfigMap', 'x', 'other-strategy', STRATEGY),
      object('ConfigMap', 'a', 'kubevirt-ca', { 'app.kubernetes.io/managed-by': 'virt-operator' }),
      object('ConfigMap', 'a', 'plain'),
      object('Job', 'a', 'dump', STRATEGY),
      object('Job', 'a', 'plain'),
    ),
  );
  const names = (list: readonly KubernetesObject[]) => list.map(({ metadata }) => metadata.name);
  assert.deepEqual(names(observed.strategyConfigMaps), ['strategy', 'other-strategy']);
  assert.deepEqual(names(observed.strategyJobs), ['dump']);
  assert.equal(observed.schedulableNodes, 3);
  assert.equal(observed.features.openshift, true);
});
