import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { hasTargetAnnotations, hasTargetRelease } from './metadata.ts';
import type { World } from './types.ts';

/** The numbers of a workload's status that rollouts are judged by; missing ones read as 0. */
function statusNumber(workload: KubernetesObject, field: string): number {
  const value = workload.status?.[field];
  return typeof value === 'number' ? value : 0;
}

/** Whether the controller of a workload has seen its present spec: its status speaks of it. */
export function isStatusCurrent(workload: KubernetesObject): boolean {
  const { generation } = workload.metadata;
  const observed = workload.status?.observedGeneration;
  return generation === undefined || (typeof observed === 'number' && observed >= generation);
}

/** Running pods of a workload, old and new. Upstream matches by a part of the name; we match `<workload>-` at its start, in the same namespace. */
function findPods(world: World, workload: KubernetesObject): KubernetesObject[] {
  const { name = '', namespace } = workload.metadata;
  return world
    .list('Pod')
    .filter(
      (pod) =>
        pod.status?.phase === 'Running' &&
        pod.metadata.namespace === namespace &&
        pod.metadata.name?.startsWith(`${name}-`) === true,
    );
}

/** Whether a pod was made from this target's template (spec/reconcile.md §5). */
function isPodCurrent(pod: KubernetesObject, target: TargetDeployment): boolean {
  return hasTargetAnnotations(pod.metadata.annotations, target);
}

function containerStatuses(pod: KubernetesObject): readonly JsonObject[] {
  const statuses = pod.status?.containerStatuses;
  return Array.isArray(statuses) ? (statuses as JsonObject[]) : [];
}

/** Running, and every container ready; none listed counts as ready (spec/reconcile.md §5). */
export function isPodReady(pod: KubernetesObject): boolean {
  return pod.status?.phase === 'Running' && containerStatuses(pod).every(({ ready }) => ready === true);
}

/** Whether a container of a pod that is not ready has terminated or was restarted (spec/reconcile.md §5). */
export function isPodCrashing(pod: KubernetesObject): boolean {
  return !isPodReady(pod) && containerStatuses(pod).some(hasCrashed);
}

function hasCrashed(status: JsonObject): boolean {
  const state = status.state as JsonObject | undefined;
  const lastState = status.lastState as JsonObject | undefined;
  return (
    (state?.terminated ?? undefined) !== undefined ||
    (lastState?.terminated ?? undefined) !== undefined ||
    (typeof status.restartCount === 'number' && status.restartCount > 0)
  );
}

/**
 * A Deployment is rolled out: it has replicas, at least one is ready, and no running pod is outdated. Beyond upstream, whose check cannot see a change
 * that leaves the deployment ID as it is: its controller has seen the present spec and no replica of an older template is left.
 */
export function isDeploymentReady(
  deployment: KubernetesObject | undefined,
  world: World,
  target: TargetDeployment,
): boolean {
  if (deployment === undefined) return false;
  const replicas = statusNumber(deployment, 'replicas');
  if (replicas === 0 || statusNumber(deployment, 'readyReplicas') === 0) return false;
  if (!isStatusCurrent(deployment) || statusNumber(deployment, 'updatedReplicas') < replicas) return false;
  const pods = findPods(world, deployment);
  return pods.every((pod) => isPodCurrent(pod, target)) && pods.some(isPodReady);
}

/** A DaemonSet is rolled out: on every node that it is for, a pod of the present template is ready (spec/reconcile.md §5). */
export function isDaemonSetReady(
  daemonSet: KubernetesObject | undefined,
  world: World,
  target: TargetDeployment,
): boolean {
  if (daemonSet === undefined) return false;
  const desired = statusNumber(daemonSet, 'desiredNumberScheduled');
  if (desired === 0 || statusNumber(daemonSet, 'numberReady') !== desired) return false;
  if (!isStatusCurrent(daemonSet) || statusNumber(daemonSet, 'updatedNumberScheduled') < desired) return false;
  const pods = findPods(world, daemonSet);
  return pods.every((pod) => isPodCurrent(pod, target)) && pods.filter(isPodReady).length >= desired;
}

/** Whether a pod of the workload was made for another release than the target's, whatever its settings. */
export function runsOtherRelease(workload: KubernetesObject, world: World, target: TargetDeployment): boolean {
  return findPods(world, workload).some(({ metadata }) => !hasTargetRelease(metadata.annotations, target));
}

/** How far a DaemonSet has rolled its present template. */
export interface DaemonSetProgress {
  /** Nodes that it is for. */
  desired: number;
  /** Nodes with a ready pod of the present template. */
  updatedReady: number;
  /** A pod of the present template is there but crashes. */
  isCrashing: boolean;
}

/**
 * Counts pods that the DaemonSet controls, by their annotations, and never more than its controller says are updated: pods from before a change that
 * leaves the deployment ID as it is carry the same annotations.
 */
export function measureDaemonSet(
  daemonSet: KubernetesObject,
  world: World,
  target: TargetDeployment,
): DaemonSetProgress {
  const current = world.list('Pod').filter((pod) => isControlledBy(pod, daemonSet) && isPodCurrent(pod, target));
  const updated = isStatusCurrent(daemonSet) ? statusNumber(daemonSet, 'updatedNumberScheduled') : 0;
  return {
    desired: statusNumber(daemonSet, 'desiredNumberScheduled'),
    updatedReady: Math.min(updated, current.filter(isPodReady).length),
    isCrashing: current.some(isPodCrashing),
  };
}

function isControlledBy(pod: KubernetesObject, daemonSet: KubernetesObject): boolean {
  return (
    pod.metadata.namespace === daemonSet.metadata.namespace &&
    (pod.metadata.ownerReferences ?? []).some(
      (owner) => owner.controller === true && owner.kind === 'DaemonSet' && owner.name === daemonSet.metadata.name,
    )
  );
}
