import type { JsonObject } from '../../api/objects.ts';
import { componentImage } from '../images.ts';
import { productLabels, pullPolicyOf, pullSecretsOf } from '../target-properties.ts';
import type { ImageField } from '../images.table.ts';
import type { TargetDeployment } from '../types.ts';
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
  image: ImageField;
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

/** Fields of a probe but the question. All of this program's wait 15 seconds before they ask for the first time. */
interface ProbeTimes {
  timeoutSeconds?: number;
  periodSeconds?: number;
  failureThreshold?: number;
}

/** An HTTPS probe of the component's port. */
export function probe(path: string, times: ProbeTimes): JsonObject {
  return { httpGet: { path, port: HTTPS_PORT, scheme: 'HTTPS' }, initialDelaySeconds: 15, ...times };
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

/** What the containers of all long-running processes have in common; pull policy and passed-through variables are the target's. */
export function container(
  target: TargetDeployment,
  {
    name,
    image,
    command,
    args,
    env = [],
    ports,
  }: Pick<Component, 'name' | 'command' | 'args' | 'env' | 'ports'> & { image: string },
): JsonObject {
  const passthrough = Object.entries(target.passthroughEnv).map(([variable, value]) => envValue(variable, value));
  const variables = [...passthrough, ...env];
  return {
    name,
    image,
    imagePullPolicy: pullPolicyOf(target),
    ...TERMINATION,
    command: [...command],
    ...(args && { args: [...args] }),
    ...(variables.length > 0 && { env: variables }),
    ports: ports.map(([port, containerPort]) => ({ name: port, containerPort, protocol: 'TCP' })),
  };
}

/** Mounts of certificates, in order. */
export const readOnlyMounts = (mounts: Component['certificates']): JsonObject[] =>
  mounts.map(([name, mountPath]) => ({ name, mountPath, readOnly: true }));

/** The main container; security context and further mounts are the caller's. */
export function mainContainer(target: TargetDeployment, component: Component): JsonObject {
  const { name, containerName = name, readiness, liveness, requests } = component;
  return {
    ...container(target, { ...component, name: containerName, image: componentImage(target, component.image) }),
    readinessProbe: readiness,
    ...(liveness && { livenessProbe: liveness }),
    resources: { requests },
    volumeMounts: [
      ...readOnlyMounts(component.certificates),
      { name: PROFILE_VOLUME, mountPath: `/${PROFILE_VOLUME}` },
    ],
  };
}

const PROFILE_VOLUME = 'profile-data';

/** The pull secrets of a pod spec; no field without any. */
export function pullSecretsField(target: TargetDeployment): JsonObject {
  const secrets = pullSecretsOf(target);
  return secrets.length === 0 ? {} : { imagePullSecrets: secrets.map((secret) => ({ ...secret })) };
}

/** The pod spec around `containers`; security context, affinity and further volumes are the caller's. */
export function podSpec(target: TargetDeployment, component: Component, containers: JsonObject[]): JsonObject {
  return {
    serviceAccountName: component.account,
    priorityClassName: 'kubevirt-cluster-critical',
    tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    ...pullSecretsField(target),
    containers,
    volumes: [
      ...component.certificates.map(([name]) => ({ name, secret: { secretName: name, optional: true } })),
      { name: PROFILE_VOLUME, emptyDir: {} },
    ],
  };
}
