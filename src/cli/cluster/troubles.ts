import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import type { World } from '../../plan/types.ts';

/** A workload, and why it is not ready. */
interface Trouble {
  title: string;
  reason: string;
}

/** Reasons for waiting that pass by themselves. */
const PASSING = ['ContainerCreating', 'PodInitializing'];
/** Longest message of others that is told whole. */
const LONGEST = 240;

/**
 * Why workloads are not ready, as far as their pods and the scheduler tell: a sentence for each workload and reason. Says nothing of what is merely on its
 * way. Pure.
 */
export function findTroubles(world: World): string[] {
  const workloads = [...world.list('Deployment'), ...world.list('DaemonSet')];
  const pods = world.list('Pod');
  const counts = new Map<string, number>();
  for (const { title, reason } of workloads.flatMap((workload) => judgeWorkload(workload, pods))) {
    const text = `${title}: ${reason}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} pods)`));
}

function judgeWorkload(workload: KubernetesObject, pods: readonly KubernetesObject[]): Trouble[] {
  const { kind, metadata, status = {} } = workload;
  const title = `${kind} ${metadata.name ?? ''}`;
  if (kind === 'DaemonSet' && status['desiredNumberScheduled'] === 0) {
    return [{ title, reason: `no node takes its pods${describeSelector(workload)}` }];
  }
  return pods
    .filter((pod) => isPodOf(pod, workload) && !isReady(pod))
    .flatMap((pod) => judgePod(pod).map((reason) => ({ title, reason })));
}

function isPodOf({ metadata }: KubernetesObject, workload: KubernetesObject): boolean {
  const { name = '', namespace } = workload.metadata;
  return metadata.namespace === namespace && metadata.name?.startsWith(`${name}-`) === true;
}

function isReady({ status = {} }: KubernetesObject): boolean {
  return listOf(status['conditions']).some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
}

function describeSelector({ spec = {} }: KubernetesObject): string {
  const { spec: podSpec } = (spec['template'] ?? {}) as { spec?: { nodeSelector?: Record<string, string> } };
  const labels = Object.entries(podSpec?.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? '' : `; they have to bear ${labels.join(', ')}`;
}

/** Why a pod does not run, in the words of scheduler and kubelet. */
function judgePod({ status = {} }: KubernetesObject): string[] {
  const unscheduled = listOf(status['conditions']).find(({ type, status: holds, reason }) => {
    return type === 'PodScheduled' && holds === 'False' && reason === 'Unschedulable';
  });
  if (unscheduled !== undefined) return [sentence('Unschedulable', unscheduled['message'])];
  const containers = [...listOf(status['initContainerStatuses']), ...listOf(status['containerStatuses'])];
  return containers.flatMap(({ name, state }) => judgeContainer(name as string, (state ?? {}) as JsonObject));
}

function judgeContainer(name: string, { waiting, terminated }: JsonObject): string[] {
  const { reason, message } = (waiting ?? {}) as { reason?: string; message?: string };
  if (reason !== undefined && !PASSING.includes(reason)) return [`container ${name}: ${sentence(reason, message)}`];
  const { exitCode = 0, reason: end } = (terminated ?? {}) as { exitCode?: number; reason?: string };
  return exitCode === 0 ? [] : [`container ${name}: ${end ?? 'Error'}, exit code ${exitCode}`];
}

function sentence(reason: string, message: unknown): string {
  const text = typeof message === 'string' ? message.trim() : '';
  if (text === '') return reason;
  return `${reason}: ${text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text}`;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}
