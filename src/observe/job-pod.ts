import type { ApiConnection } from '../api/connection.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';

/** Label by which the Job controller marks the pods of a Job. */
const JOB_NAME_LABEL = 'job-name';
/** A container that waits for these reasons is on its way. */
const STARTING: readonly unknown[] = [undefined, 'ContainerCreating', 'PodInitializing'];
/** The kubelet changes between these, from try to try. */
const UNPULLABLE: readonly unknown[] = ['ErrImagePull', 'ImagePullBackOff'];

/** What is asked. */
export interface JobPodRequest {
  job: KubernetesObject;
  connection: Pick<ApiConnection, 'request'>;
  signal: AbortSignal;
  log: Log;
}

/**
 * Why a pod of the Job does not start, as a sentence that stays the same while the reason does: a Job whose image cannot be pulled never
 * fails. Undefined when nothing is known; asks the API server, and never rejects.
 */
export async function findPodTrouble({ job, connection, signal, log }: JobPodRequest): Promise<string | undefined> {
  const { name = '', namespace = '' } = job.metadata;
  try {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const query = { labelSelector: `${JOB_NAME_LABEL}=${name}` };
    const { items } = await connection.request({ method: 'GET', path, query, signal });
    const pods = (Array.isArray(items) ? items : []) as KubernetesObject[];
    if (pods.length === 0) return 'it has no pod, its Events say why';
    return pods.map(describeTrouble).find((trouble) => trouble !== undefined);
  } catch (error) {
    log.warn({ reason: errorText(error) }, `the pods of Job ${name} cannot be listed`);
    return undefined;
  }
}

interface PodStatus {
  conditions?: { type: string; status: string; message?: string }[];
  containerStatuses?: ContainerStatus[];
}

interface ContainerStatus {
  image: string;
  state?: { waiting?: { reason?: string; message?: string } };
}

function describeTrouble({ metadata, status }: KubernetesObject): string | undefined {
  const { conditions, containerStatuses } = (status ?? {}) as PodStatus;
  const unscheduled = conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  );
  const held = containerStatuses?.find(({ state }) => !STARTING.includes(state?.waiting?.reason));
  const trouble = unscheduled === undefined ? describeHeld(held) : `is not scheduled: ${unscheduled.message ?? ''}`;
  return trouble === undefined ? undefined : `Pod ${metadata.name ?? ''} ${trouble}`;
}

function describeHeld(container: ContainerStatus | undefined): string | undefined {
  const waiting = container?.state?.waiting;
  if (container === undefined || waiting === undefined) return undefined;
  if (UNPULLABLE.includes(waiting.reason)) return `cannot pull image ${container.image}`;
  return `does not start: ${[waiting.reason, waiting.message].join(' ').trim()}`;
}
