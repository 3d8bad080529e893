import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { buildTargetAnnotations } from '../../../src/plan/metadata.ts';
import {
  isDaemonSetReady,
  isDeploymentReady,
  isPodCrashing,
  isPodReady,
  measureDaemonSet,
} from '../../../src/plan/rollout.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { MemoryCluster } from './memory-cluster.ts';

const target = { id: 'new', registry: 'quay.io/kubevirt', kubeVirtVersion: 'v1.9.0' } as TargetDeployment;

interface PodOptions {
  old?: boolean;
  ready?: boolean;
  phase?: string;
  namespace?: string;
  restarts?: number;
  status?: JsonObject;
}

const pod = (name: string, options: PodOptions = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: options.namespace ?? 'kubevirt',
    annotations: buildTargetAnnotations(options.old === true ? { ...target, id: 'old' } : target),
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'virt-handler', uid: 'u', controller: true }],
  },
  status: {
    phase: options.phase ?? 'Running',
    containerStatuses: [
      { name: 'c', ready: options.ready ?? true, restartCount: options.restarts ?? 0, ...options.status },
    ],
  },
});

const workload = (kind: 'Deployment' | 'DaemonSet', name: string, status: JsonObject): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'kubevirt', generation: 2 },
  status: { observedGeneration: 2, ...status },
});

describe('isDeploymentReady', () => {
  const full = { replicas: 2, readyReplicas: 2, updatedReplicas: 2 };
  const rows: { name: string; status: JsonObject | undefined; pods: KubernetesObject[]; want: boolean }[] = [
    { name: 'not there', status: undefined, pods: [], want: false },
    { name: 'all ready', status: full, pods: [pod('virt-api-a'), pod('virt-api-b')], want: true },
    {
      name: 'one of two ready',
      status: { ...full, readyReplicas: 1 },
      pods: [pod('virt-api-a'), pod('virt-api-b', { ready: false })],
      want: true,
    },
    {
      name: 'none ready',
      status: { ...full, readyReplicas: 0 },
      pods: [pod('virt-api-a', { ready: false })],
      want: false,
    },
    { name: 'no replicas', status: { replicas: 0, readyReplicas: 0 }, pods: [pod('virt-api-a')], want: false },
    {
      name: 'an outdated pod still runs',
      status: full,
      pods: [pod('virt-api-a'), pod('virt-api-b', { old: true })],
      want: false,
    },
    {
      name: 'an outdated pod that has ended',
      status: full,
      pods: [pod('virt-api-a'), pod('virt-api-b', { old: true, phase: 'Failed' })],
      want: true,
    },
    {
      name: 'an outdated pod of another workload',
      status: full,
      pods: [pod('virt-api-a'), pod('my-virt-api-b', { old: true })],
      want: true,
    },
    {
      name: 'an outdated pod elsewhere',
      status: full,
      pods: [pod('virt-api-a'), pod('virt-api-b', { old: true, namespace: 'x' })],
      want: true,
    },
    {
      name: 'a status from before the last change',
      status: { ...full, observedGeneration: 1 },
      pods: [pod('virt-api-a')],
      want: false,
    },
    {
      name: 'replicas of an older template',
      status: { ...full, updatedReplicas: 1 },
      pods: [pod('virt-api-a')],
      want: false,
    },
    { name: 'no pods in the caches yet', status: full, pods: [], want: false },
  ];
  for (const { name, status, pods, want } of rows) {
    it(`${name}: ${want}`, () => {
      const deployment = status === undefined ? undefined : workload('Deployment', 'virt-api', status);
      assert.equal(isDeploymentReady(deployment, new MemoryCluster({ objects: pods }), target), want);
    });
  }
});

describe('isDaemonSetReady', () => {
  const full = { desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 2 };
  const both = [pod('virt-handler-a'), pod('virt-handler-b')];
  const rows: { name: string; status: JsonObject | undefined; pods: KubernetesObject[]; want: boolean }[] = [
    { name: 'not there', status: undefined, pods: both, want: false },
    { name: 'a ready pod on every node', status: full, pods: both, want: true },
    { name: 'more ready pods than nodes', status: full, pods: [...both, pod('virt-handler-c')], want: true },
    { name: 'no node', status: { ...full, desiredNumberScheduled: 0, numberReady: 0 }, pods: [], want: false },
    {
      name: 'a pod that is not ready',
      status: { ...full, numberReady: 1 },
      pods: [pod('virt-handler-a'), pod('virt-handler-b', { ready: false })],
      want: false,
    },
    { name: 'an outdated pod', status: full, pods: [...both, pod('virt-handler-c', { old: true })], want: false },
    {
      name: 'a pod of an older template of the same target',
      status: { ...full, updatedNumberScheduled: 1 },
      pods: both,
      want: false,
    },
    {
      name: 'a status from before the last change',
      status: { ...full, observedGeneration: 1 },
      pods: both,
      want: false,
    },
  ];
  for (const { name, status, pods, want } of rows) {
    it(`${name}: ${want}`, () => {
      const daemonSet = status === undefined ? undefined : workload('DaemonSet', 'virt-handler', status);
      assert.equal(isDaemonSetReady(daemonSet, new MemoryCluster({ objects: pods }), target), want);
    });
  }
});

describe('pods', () => {
  const rows: { name: string; pod: KubernetesObject; ready: boolean; crashing: boolean }[] = [
    { name: 'ready', pod: pod('a'), ready: true, crashing: false },
    { name: 'ready after a restart long ago', pod: pod('a', { restarts: 3 }), ready: true, crashing: false },
    { name: 'starting', pod: pod('a', { ready: false }), ready: false, crashing: false },
    { name: 'restarted and not ready', pod: pod('a', { ready: false, restarts: 1 }), ready: false, crashing: true },
    {
      name: 'terminated',
      pod: pod('a', { ready: false, status: { state: { terminated: { exitCode: 1 } } } }),
      ready: false,
      crashing: true,
    },
    {
      name: 'terminated before',
      pod: pod('a', { ready: false, status: { lastState: { terminated: { exitCode: 1 } } } }),
      ready: false,
      crashing: true,
    },
    { name: 'pending', pod: pod('a', { phase: 'Pending' }), ready: false, crashing: false },
    {
      name: 'without containers yet',
      pod: { ...pod('a'), status: { phase: 'Running' } },
      ready: true,
      crashing: false,
    },
  ];
  for (const { name, pod: object, ready, crashing } of rows) {
    it(`${name}: ${ready ? 'ready' : 'not ready'}${crashing ? ', crashing' : ''}`, () => {
      assert.equal(isPodReady(object), ready);
      assert.equal(isPodCrashing(object), crashing);
    });
  }
});

describe('measureDaemonSet', () => {
  it('never counts more than the controller calls updated', () => {
    const world = new MemoryCluster({ objects: [pod('virt-handler-a'), pod('virt-handler-b')] });
    const daemonSet = workload('DaemonSet', 'virt-handler', { desiredNumberScheduled: 2, updatedNumberScheduled: 1 });
    assert.deepEqual(measureDaemonSet(daemonSet, world, target), { desired: 2, updatedReady: 1, isCrashing: false });
  });
  it('counts pods that the DaemonSet controls only', () => {
    const stray = pod('virt-handler-x');
    stray.metadata.ownerReferences = [];
    const world = new MemoryCluster({ objects: [stray] });
    const daemonSet = workload('DaemonSet', 'virt-handler', { desiredNumberScheduled: 1, updatedNumberScheduled: 1 });
    assert.equal(measureDaemonSet(daemonSet, world, target).updatedReady, 0);
  });
});
