import type { KubeVirtSpec } from '../api/kubevirt.ts';
import type { JsonObject, KubernetesObject, ObjectMeta } from '../api/objects.ts';
import { injectPlacement } from '../customize/placement.ts';
import { describe } from './json-patch.ts';
import { buildMetadata, buildProductLabels, buildTargetAnnotations, type MetadataContext } from './metadata.ts';
import { decideReplicas, isTemplateComponent } from './replicas.ts';

/** What the pod templates of workloads are made from. */
export type WorkloadContext = MetadataContext & { schedulableNodes: number };

/** Containers of the virt-template Deployments that take TLS flags. */
const TEMPLATE_CONTAINERS: Readonly<Record<string, string>> = {
  'virt-template-apiserver': 'apiserver',
  'virt-template-controller': 'manager',
};
const DEFAULT_MIN_TLS_VERSION = 'VersionTLS12';
const HANDLER = 'virt-handler';

/** A Deployment as it is to be in the cluster: metadata, placement, replicas, TLS flags (spec/apply.md §5.5). */
export function buildDeployment(deployment: KubernetesObject, context: WorkloadContext): KubernetesObject {
  const { spec } = context.kubeVirt;
  const name = deployment.metadata.name ?? '';
  const pod = injectPlacement(podSpecOf(deployment), spec.infra, 'infra');
  const replicas = decideReplicas({ name, replicas: replicasOf(deployment) }, spec, context.schedulableNodes);
  return withTemplate(deployment, context, {
    pod: isTemplateComponent(name) ? withTlsArguments(pod, name, spec) : pod,
    spec: replicas === undefined ? {} : { replicas },
  });
}

/** The replicas that a Deployment asks for; undefined when it names none. */
export function replicasOf(deployment: KubernetesObject): number | undefined {
  const replicas = deployment.spec?.replicas;
  return typeof replicas === 'number' ? replicas : undefined;
}

/** A DaemonSet as it is to be in the cluster, but for what its rollout adds (spec/apply.md §5.6, src/plan/canary.ts). */
export function buildDaemonSet(daemonSet: KubernetesObject, context: WorkloadContext): KubernetesObject {
  const { spec } = context.kubeVirt;
  const pod = injectPlacement(podSpecOf(daemonSet), spec.workloads, 'workloads');
  const limit = spec.configuration?.virtualMachineInstancesPerNode;
  const isLimited = daemonSet.metadata.name === HANDLER && limit !== undefined;
  return withTemplate(daemonSet, context, {
    pod: isLimited ? appendTo(pod, HANDLER, 'command', ['--max-devices', String(limit)]) : pod,
    spec: {},
  });
}

function withTemplate(
  workload: KubernetesObject,
  context: WorkloadContext,
  parts: { pod: JsonObject; spec: JsonObject },
): KubernetesObject {
  const template = (workload.spec?.template ?? {}) as JsonObject;
  const metadata = (template.metadata ?? {}) as ObjectMeta;
  return {
    ...workload,
    metadata: buildMetadata(workload.metadata, context),
    spec: {
      ...workload.spec,
      ...parts.spec,
      template: {
        ...template,
        // No generation annotation here: an edit of the KubeVirt object must not restart pods (spec/apply.md §2).
        metadata: {
          ...(metadata as JsonObject),
          labels: { ...metadata.labels, ...buildProductLabels(context.kubeVirt.spec) },
          annotations: { ...metadata.annotations, ...buildTargetAnnotations(context.target) },
        },
        spec: parts.pod,
      },
    },
  };
}

/** The pod spec in a workload's template. */
export function podSpecOf(workload: KubernetesObject): JsonObject {
  const template = (workload.spec?.template ?? {}) as JsonObject;
  return (template.spec ?? {}) as JsonObject;
}

function withTlsArguments(pod: JsonObject, deployment: string, spec: KubeVirtSpec): JsonObject {
  const container = TEMPLATE_CONTAINERS[deployment];
  if (container === undefined) return pod;
  const { ciphers = [], minTLSVersion = DEFAULT_MIN_TLS_VERSION } = spec.configuration?.tlsConfiguration ?? {};
  const cipherArguments = ciphers.length === 0 ? [] : ['--tls-cipher-suites', ciphers.join(',')];
  const argumentsToAdd = [...cipherArguments, '--tls-min-version', minTLSVersion];
  return appendTo(pod, container, 'args', argumentsToAdd);
}

/**
 * What a workload lacks to be told of settings of the KubeVirt object, as a sentence: a customization may have renamed the container that is meant. It goes on
 * without them, and everything else as well (spec/field-reports.md B34). Undefined where nothing is lacking.
 */
export function describeUntold(workload: KubernetesObject, spec: KubeVirtSpec): string | undefined {
  const container = toldContainerOf(workload.metadata.name ?? '', spec);
  if (container === undefined || hasContainer(podSpecOf(workload), container)) return undefined;
  return `${describe(workload)} has no container ${container}, to which settings have to be passed`;
}

function toldContainerOf(workload: string, { configuration }: KubeVirtSpec): string | undefined {
  if (workload !== HANDLER) return TEMPLATE_CONTAINERS[workload];
  return configuration?.virtualMachineInstancesPerNode === undefined ? undefined : HANDLER;
}

function hasContainer(pod: JsonObject, container: string): boolean {
  return ((pod.containers ?? []) as JsonObject[]).some(({ name }) => name === container);
}

/** A copy of a pod spec with `items` at the end of a container's command or arguments; the same where there is no such container. */
function appendTo(pod: JsonObject, container: string, field: 'command' | 'args', items: readonly string[]): JsonObject {
  const containers = (pod.containers ?? []) as JsonObject[];
  return {
    ...pod,
    containers: containers.map((entry) =>
      entry.name === container ? { ...entry, [field]: [...((entry[field] ?? []) as string[]), ...items] } : entry,
    ),
  };
}
