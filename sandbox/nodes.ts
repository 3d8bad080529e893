import type { ApiObject } from './api-object.ts';

/** How many of the nodes are labelled as control plane; KubeVirt's infra components are placed there. */
const CONTROL_PLANE_NODES = 3;

/** Pods on a node of this name are left alone (stages/stages.yaml): a test plays its kubelet. */
export const HAND_PLAYED_NODE = 'node-by-hand';

/** Node number `index`, from 0: plenty of room, the labels a kubelet sets, the first three belong to the control plane. */
export function buildNode(index: number): ApiObject {
  const name = `node-${String(index + 1).padStart(2, '0')}`;
  const size = { cpu: '64', memory: '256Gi', pods: '250', 'ephemeral-storage': '500Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        // What kwok's own tool gives its nodes, for placements that ask for fake ones.
        type: 'kwok',
        ...(index < CONTROL_PLANE_NODES
          ? { 'node-role.kubernetes.io/control-plane': '' }
          : { 'node-role.kubernetes.io/worker': '' }),
      },
    },
    status: { capacity: size, allocatable: size },
  };
}
