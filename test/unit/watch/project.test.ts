import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import * as project from '../../../src/watch/project.ts';

const metadata = {
  name: 'x',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '5',
  generation: 2,
  creationTimestamp: 'then',
  selfLink: '/old',
  labels: { l: '1' },
  annotations: { 'kubevirt.io/install-strategy-version': 'v1', 'other/large': 'x'.repeat(1000) },
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'du' }],
  finalizers: ['f'],
  managedFields: [{ manager: 'm' }],
};
const identity = {
  name: 'x',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '5',
  generation: 2,
  creationTimestamp: 'then',
};

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every((field) => isDeeplyFrozen(field));
}

const pod: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...metadata,
    annotations: {
      ...metadata.annotations,
      'k8s.v1.cni.cncf.io/network-status': '[]',
      'k8s.v1.cni.cncf.io/networks': 'n',
    },
  },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
  status: {
    phase: 'Running',
    podIP: '1.2.3.4',
    podIPs: [{ ip: '1.2.3.4' }],
    hostIP: '9.9.9.9',
    conditions: [{ type: 'Ready' }],
    containerStatuses: [
      {
        name: 'c',
        ready: false,
        restartCount: 3,
        imageID: 'sha256:…',
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'long' } },
        lastState: { terminated: { exitCode: 1, reason: 'Error', containerID: 'c://1' } },
      },
      { name: 'd', ready: true, restartCount: 0, state: { running: { startedAt: 'then' } } },
    ],
  },
};

const crd: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata,
  spec: {
    group: 'g',
    scope: 'Namespaced',
    names: { plural: 'ps', kind: 'P' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} }, subresources: { status: {} } },
    ],
  },
  status: {
    conditions: [{ type: 'Established', status: 'True' }],
    storedVersions: ['v1'],
    acceptedNames: { plural: 'ps' },
  },
};

const rows: { name: string; got: KubernetesObject; want: KubernetesObject }[] = [
  {
    name: 'whole: everything but managedFields, and the kind that items of a list lack',
    got: project.projectWhole('Secret', { metadata, data: { a: 'b' } } as unknown as KubernetesObject),
    want: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== 'managedFields')),
      data: { a: 'b' },
    },
  },
  {
    name: 'metadata',
    got: project.projectMetadata('KubeVirt', { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }),
    want: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'KubeVirt',
      metadata: {
        ...identity,
        labels: metadata.labels,
        annotations: metadata.annotations,
        ownerReferences: metadata.ownerReferences,
        finalizers: metadata.finalizers,
      },
    },
  },
  {
    name: 'identity',
    got: project.projectIdentity('Node', { apiVersion: 'v1', kind: 'Node', metadata, status: {} }),
    want: { apiVersion: 'v1', kind: 'Node', metadata: identity },
  },
  {
    name: 'labels',
    got: project.projectLabels('Namespace', { apiVersion: 'v1', kind: 'Namespace', metadata, status: {} }),
    want: { apiVersion: 'v1', kind: 'Namespace', metadata: { ...identity, labels: { l: '1' } } },
  },
  {
    name: 'pod',
    got: project.projectPod('Pod', pod),
    want: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...identity,
        labels: { l: '1' },
        ownerReferences: metadata.ownerReferences,
        annotations: { 'kubevirt.io/install-strategy-version': 'v1', 'k8s.v1.cni.cncf.io/network-status': '[]' },
      },
      spec: { nodeName: 'n1' },
      status: {
        phase: 'Running',
        podIP: '1.2.3.4',
        podIPs: [{ ip: '1.2.3.4' }],
        containerStatuses: [
          {
            name: 'c',
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
          { name: 'd', ready: true, restartCount: 0, state: {}, lastState: {} },
        ],
      },
    },
  },
  {
    name: 'CRD: no schema',
    got: project.projectCrd('CustomResourceDefinition', crd),
    want: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        ...identity,
        labels: metadata.labels,
        annotations: metadata.annotations,
        ownerReferences: metadata.ownerReferences,
        finalizers: metadata.finalizers,
      },
      spec: {
        group: 'g',
        scope: 'Namespaced',
        names: { plural: 'ps', kind: 'P' },
        versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} } }],
      },
      status: {
        conditions: [{ type: 'Established', status: 'True' }],
        storedVersions: ['v1'],
        acceptedNames: { plural: 'ps' },
      },
    },
  },
];

for (const { name, got, want } of rows) {
  test(`projection: ${name}`, () => {
    assert.deepEqual(got, want);
    assert.ok(isDeeplyFrozen(got), 'cached objects cannot be changed');
  });
}

test('projection: an object without spec and status is no problem', () => {
  const bare: KubernetesObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } };
  assert.deepEqual(project.projectPod('Pod', bare).status, {});
  assert.deepEqual(project.projectCrd('CustomResourceDefinition', bare).spec, { versions: [] });
  assert.deepEqual(project.projectLease('Lease', bare).spec, {});
});
