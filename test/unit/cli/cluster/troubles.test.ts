import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { findTroubles } from '../../../../src/cli/cluster/troubles.ts';

function workload(kind: 'Deployment' | 'DaemonSet', status: object = {}, nodeSelector?: object): KubernetesObject {
  const spec = { template: { spec: nodeSelector === undefined ? {} : { nodeSelector } } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'virt-x', namespace: 'kv' },
    spec,
    status,
  } as KubernetesObject;
}

function pod(status: object, { name = 'virt-x-1', namespace = 'kv' } = {}): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, status } as KubernetesObject;
}

const waiting = (reason: string, message?: string) => ({
  containerStatuses: [{ name: 'main', state: { waiting: { reason, message } } }],
});
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

const rows: { name: string; objects: KubernetesObject[]; want: string[] }[] = [
  {
    name: 'all is well',
    objects: [workload('Deployment'), pod({ ...waiting('CrashLoopBackOff'), ...ready })],
    want: [],
  },
  {
    name: 'pods on their way',
    objects: [workload('Deployment'), pod(waiting('ContainerCreating')), pod({})],
    want: [],
  },
  {
    name: 'an image that is not there, of several pods',
    objects: [
      workload('Deployment'),
      pod(waiting('ImagePullBackOff', 'Back-off pulling image "x"')),
      pod(waiting('ImagePullBackOff', 'Back-off pulling image "x"'), { name: 'virt-x-2' }),
    ],
    want: ['Deployment virt-x: container main: ImagePullBackOff: Back-off pulling image "x" (2 pods)'],
  },
  {
    name: 'an init container that ends badly',
    objects: [
      workload('DaemonSet', { desiredNumberScheduled: 1 }),
      pod({ initContainerStatuses: [{ name: 'init', state: { terminated: { exitCode: 2, reason: 'OOMKilled' } } }] }),
    ],
    want: ['DaemonSet virt-x: container init: OOMKilled, exit code 2'],
  },
  {
    name: 'one that has ended well',
    objects: [
      workload('Deployment'),
      pod({ initContainerStatuses: [{ name: 'init', state: { terminated: { exitCode: 0 } } }] }),
    ],
    want: [],
  },
  {
    name: 'a pod that fits nowhere',
    objects: [
      workload('Deployment'),
      pod({
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
        ],
      }),
    ],
    want: ['Deployment virt-x: Unschedulable: 0/3 nodes are available'],
  },
  {
    name: 'a DaemonSet that no node takes',
    objects: [workload('DaemonSet', { desiredNumberScheduled: 0 }, { no: 'where', os: 'linux' })],
    want: ['DaemonSet virt-x: no node takes its pods; they have to bear no=where, os=linux'],
  },
  { name: 'a DaemonSet that nobody has counted yet', objects: [workload('DaemonSet')], want: [] },
  {
    name: 'pods of others',
    objects: [
      workload('Deployment'),
      pod(waiting('ErrImagePull'), { name: 'other-1' }),
      pod(waiting('ErrImagePull'), { namespace: 'other' }),
    ],
    want: [],
  },
];

describe('findTroubles', () => {
  for (const { name, objects, want } of rows) {
    test(name, () => {
      const list = (kind: string) => objects.filter((object) => object.kind === kind);
      assert.deepEqual(findTroubles({ get: () => undefined, list }), want);
    });
  }

  test('long messages are cut', () => {
    const objects = [workload('Deployment'), pod(waiting('Bad', 'x'.repeat(1000)))];
    const [text = ''] = findTroubles({ get: () => undefined, list: (kind) => objects.filter((o) => o.kind === kind) });
    assert.ok(text.length < 300 && text.endsWith('…'), text);
  });
});
