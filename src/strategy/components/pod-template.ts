import type { JsonObject } from '../../api/objects.ts';
import { componentImage } from '../images.ts';
import { productLabels, pullPolicyOf, pullSecretsOf } from '../target-properties.ts';
import type { ComponentImages, TargetDeployment } from '../types.ts';
import { APP_LABEL, CLUSTER_SERVICES_LABEL, HTTPS_PORT, PROMETHEUS_LABEL } from './names.ts';

/** Arguments that set the verbosity of a component; constant (spec/resources.md §0.11). */
export const VERBOSITY = ['-v', '2'] as const;

/** Port of the console server of virt-api and virt-handler. */
export const CONSOLE_SERVER_PORT = '8186';

/** Container field shared by all: a crash leaves the end of its log as the reason. */
export const TERMINATION = { terminationMessagePolicy: 'FallbackToLogsOnError' } as const;

/** The pod and main container of one component: what differs between components, and nothing else (spec/resources.md §3). */
export interface Component {
  name: string;
  /** Default: the component's name. */
  containerName?: string;
  image: keyof ComponentImages;
  account: string;
  command: readonly string[];
  args?: readonly string[];
  /** Named TCP ports in order. */
  ports: readonly (readonly [name: string, port: number])[];
  readiness: JsonObject;
  liveness?: JsonObject;
  requests: { cpu: string; memory: string };
  /** Secrets and the directories at which they are mounted, in order. */
  certificates: readonly (readonly [secret: string, directory: string])[];
  /** Variables behind the ones passed through. */
  env?: readonly JsonObject[];
}

/** An HTTPS probe of the component's port; times are in seconds. */
export function probe(
  path: string,
  times: { delay: number; timeout?: number; period?: number; failures?: number },
): JsonObject {
  return {
    httpGet: { path, port: HTTPS_PORT, scheme: 'HTTPS' },
    initialDelaySeconds: times.delay,
    ...(times.timeout === undefined ? {} : { timeoutSeconds: times.timeout }),
    ...(times.period === undefined ? {} : { periodSeconds: times.period }),
    ...(times.failures === undefined ? {} : { failureThreshold: times.failures }),
  };
}

/** A variable with a fixed value. */
export function envValue(name: string, value: string): JsonObject {
  return { name, value };
}

/** A variable whose value is a field of the pod. */
export function envField(name: string, fieldPath: string): JsonObject {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/** Labels of a component's pods. */
export function podLabels(target: TargetDeployment, name: string): Record<string, string> {
  return {
    ...productLabels(target),
    [APP_LABEL]: name,
    [CLUSTER_SERVICES_LABEL]: 'true',
    [PROMETHEUS_LABEL]: 'true',
  };
}

/** The main container; security context and further mounts are the caller's. */
export function mainContainer(target: TargetDeployment, component: Component): JsonObject {
  const passthrough = Object.entries(target.passthroughEnv).map(([name, value]) => envValue(name, value));
  const env = [...passthrough, ...(component.env ?? [])];
  return {
    name: component.containerName ?? component.name,
    image: componentImage(target, component.image),
    imagePullPolicy: pullPolicyOf(target),
    ...TERMINATION,
    command: [...component.command],
    ...(component.args === undefined ? {} : { args: [...component.args] }),
    ...(env.length === 0 ? {} : { env }),
    ports: component.ports.map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })),
    readinessProbe: component.readiness,
    ...(component.liveness === undefined ? {} : { livenessProbe: component.liveness }),
    resources: { requests: component.requests },
    volumeMounts: [
      ...component.certificates.map(([name, mountPath]) => ({ name, mountPath, readOnly: true })),
      { name: PROFILE_VOLUME, mountPath: `/${PROFILE_VOLUME}` },
    ],
  };
}

const PROFILE_VOLUME = 'profile-data';

/** The pod spec around `containers`; security context, affinity and further volumes are the caller's. */
export function podSpec(target: TargetDeployment, component: Component, containers: JsonObject[]): JsonObject {
  const pullSecrets = pullSecretsOf(target);
  return {
    serviceAccountName: component.account,
    priorityClassName: 'kubevirt-cluster-critical',
    tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
    containers,
    volumes: [
      ...component.certificates.map(([name]) => ({ name, secret: { secretName: name, optional: true } })),
      { name: PROFILE_VOLUME, emptyDir: {} },
    ],
  };
}
