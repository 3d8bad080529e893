import type { ApiObject } from '../api-object.ts';

/** The fields of a pod that matter to whoever runs it. */
export interface Pod extends ApiObject {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: {
    nodeName?: string;
    serviceAccountName?: string;
    automountServiceAccountToken?: boolean;
    restartPolicy?: 'Always' | 'OnFailure' | 'Never';
    initContainers?: Container[];
    containers: [Container, ...Container[]];
    volumes?: Volume[];
  };
  status?: { phase?: string };
}

/** The fields of a container that matter here. */
export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: EnvVariable[];
  ports?: { name: string; containerPort: number }[];
  readinessProbe?: { httpGet?: { path: string } };
  volumeMounts?: { name: string; mountPath: string }[];
}

/** A variable with a value, or one whose value is a key of a Secret. */
export interface EnvVariable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } };
}

/** A volume; those of other sources than a ConfigMap stay empty. */
interface Volume {
  name: string;
  configMap?: { name: string };
}

/** Label selector of the pods of the chart that run our own image; stages/stages.yaml leaves them alone. */
export const OWN_PODS = 'app.kubernetes.io/name=virt-operator';

/** Label of the pods behind the Service kubevirt-operator-webhook (design decision 12). */
const WEBHOOK_LABEL = { name: 'kubevirt.io', value: 'virt-operator' };

/** Whether a pod answers admission requests. */
export function servesWebhooks({ metadata }: Pod): boolean {
  return metadata.labels?.[WEBHOOK_LABEL.name] === WEBHOOK_LABEL.value;
}

/** Loopback ports of one pod: no two pods of this machine can have those of their template. */
export interface PodPorts {
  metrics: number;
  webhooks: number;
  dashboard: number;
}

/** Flags behind those of a role, of which the last one counts. A container without ports is a command, which has none of them. */
export function portFlags({ ports = [] }: Container, given: PodPorts): string[] {
  if (ports.length === 0) return [];
  return [
    '--listen=127.0.0.1',
    `--port=${given.metrics}`,
    `--webhook-port=${given.webhooks}`,
    '--dashboard-listen=127.0.0.1',
    `--dashboard-port=${given.dashboard}`,
  ];
}

/** How far a pod is. */
export interface PodState {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  ready: boolean;
  /** Init containers that have ended well. */
  prepared: number;
  restarts: number;
  /** What the container that failed last has said. */
  message?: string;
  startedAt: string;
  ip: string;
}

/** The status that a kubelet would write. Pure. */
export function buildStatus({ spec }: Pod, state: PodState): object {
  const { initContainers = [], containers } = spec;
  const condition = (type: string, value: boolean) => ({
    type,
    status: value ? 'True' : 'False',
    lastTransitionTime: state.startedAt,
  });
  return {
    phase: state.phase,
    startTime: state.startedAt,
    podIP: state.ip,
    podIPs: [{ ip: state.ip }],
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', state.prepared === initContainers.length),
      condition('Ready', state.ready),
      condition('ContainersReady', state.ready),
    ],
    initContainerStatuses: initContainers.map((container, index) =>
      describeContainer(container, state, { isDone: index < state.prepared, isTurn: index === state.prepared }),
    ),
    containerStatuses: containers.map((container) =>
      describeContainer(container, state, {
        isDone: ['Succeeded', 'Failed'].includes(state.phase),
        isTurn: state.phase === 'Running',
      }),
    ),
  };
}

function describeContainer(
  { name, image }: Container,
  { ready, restarts, startedAt, phase, message = '' }: PodState,
  { isDone, isTurn }: { isDone: boolean; isTurn: boolean },
): object {
  const end = (exitCode: number) => ({
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message, startedAt, finishedAt: startedAt },
  });
  const common = { name, image, imageID: '', started: isTurn };
  if (isDone) {
    const isGood = phase !== 'Failed';
    return { ...common, ready: isGood, restartCount: 0, state: end(isGood ? 0 : 1) };
  }
  if (!isTurn) return { ...common, ready: false, restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } };
  const lastState = message === '' ? {} : { lastState: end(1) };
  return { ...common, ready, restartCount: restarts, state: { running: { startedAt } }, ...lastState };
}
