import assert from 'node:assert/strict';

import { HAND_PLAYED_NODE } from '../../../sandbox/nodes.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { Site } from '../install/harness.ts';

/** A kubelet that starts only the pods that it is told to. */
export interface Kubelet {
  /** Name of its node, which a test has to create. */
  readonly node: string;
  /** Pods that it has not started, oldest first. */
  readonly refused: readonly KubernetesObject[];
  /** Starts those, and from now on all. */
  allowAll(): Promise<void>;
  stop(): Promise<void>;
}

/** Plays the kubelet of the node whose pods kwok leaves alone: a pod that `isAllowed` is running and ready as soon as it is scheduled. */
export function startKubelet({ plane: { api } }: Site, isAllowed: (pod: KubernetesObject) => boolean): Kubelet {
  const ending = new AbortController();
  const refused: KubernetesObject[] = [];
  let allowsAll = false;
  const start = async ({ metadata, spec }: KubernetesObject) => {
    const containers = spec?.['containers'] as { name: string; image: string }[];
    const state = { running: { startedAt: new Date().toISOString() } };
    const containerStatuses = containers.map(({ name, image }) => {
      return { name, image, imageID: '', ready: true, started: true, restartCount: 0, state };
    });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const path = `/api/v1/namespaces/${metadata.namespace ?? ''}/pods/${metadata.name ?? ''}/status`;
    const status = { phase: 'Running', conditions, containerStatuses };
    const answer = await api.call('PATCH', path, { status }, 'application/strategic-merge-patch+json');
    // A pod that was refused may have been replaced meanwhile.
    assert.ok(answer.status === 200 || answer.status === 404, answer.text);
  };
  const seen = new Set<string>();
  const take = async (pod: KubernetesObject) => {
    const uid = pod.metadata.uid ?? '';
    if (seen.has(uid)) return;
    seen.add(uid);
    if (allowsAll || isAllowed(pod)) await start(pod);
    else refused.push(pod);
  };
  const follow = async () => {
    const path = `/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3D${HAND_PLAYED_NODE}`;
    for await (const { type, object } of api.watch(path, ending.signal)) {
      if (type !== 'DELETED') await take(object as unknown as KubernetesObject);
    }
  };
  const following = follow();
  return {
    node: HAND_PLAYED_NODE,
    refused,
    allowAll: async () => {
      allowsAll = true;
      for (const pod of refused) await start(pod);
    },
    stop: async () => {
      ending.abort();
      await following;
    },
  };
}
