import type { ComponentConfig, KubeVirtSpec } from '../api/kubevirt.ts';

/** The Deployment whose replicas follow the number of nodes. */
export const VIRT_API = 'virt-api';
/** Nodes per replica of virt-api. */
const NODES_PER_REPLICA = 10;
const MINIMUM = 2;

/** Whether a Deployment belongs to virt-template, whose replicas `spec.infra.replicas` does not touch. */
export function isTemplateComponent(name: string): boolean {
  return name.startsWith('virt-template-');
}

/** virt-api replicas for a number of schedulable nodes: one on a single node, else one for ten nodes but two at least (spec/apply.md §4.3). */
export function decideApiReplicas(schedulableNodes: number): number {
  return schedulableNodes === 1 ? 1 : Math.max(MINIMUM, Math.floor(schedulableNodes / NODES_PER_REPLICA));
}

/** Replicas of a Deployment: what the administrator asks for, else what the cluster's size asks for, else the strategy's (spec/apply.md §4.3). */
export function decideReplicas(
  deployment: { name: string; replicas: number | undefined },
  spec: KubeVirtSpec,
  schedulableNodes: number,
): number | undefined {
  const asked = infraReplicas(spec.infra);
  if (asked !== undefined && !isTemplateComponent(deployment.name)) return asked;
  if (deployment.name === VIRT_API && !isApiReplicasCustomized(spec)) return decideApiReplicas(schedulableNodes);
  return deployment.replicas;
}

/** Whether `spec.infra.replicas` overrides the strategy's count: then upstream warns with an event (spec/apply.md §4.3). */
export function isReplicasOverridden(
  deployment: { name: string; replicas: number | undefined },
  spec: KubeVirtSpec,
): boolean {
  const asked = infraReplicas(spec.infra);
  return asked !== undefined && !isTemplateComponent(deployment.name) && asked !== deployment.replicas;
}

function infraReplicas(infra: ComponentConfig | undefined): number | undefined {
  return infra?.replicas;
}

/** Whether a customize patch named exactly `virt-api` is a JSON Patch with `replace /spec/replicas`: then the node count is not looked at. */
function isApiReplicasCustomized(spec: KubeVirtSpec): boolean {
  return (spec.customizeComponents?.patches ?? []).some(
    (patch) => patch.resourceName === VIRT_API && replacesReplicas(patch.patch),
  );
}

function replacesReplicas(patch: string): boolean {
  let operations: unknown;
  try {
    operations = JSON.parse(patch);
  } catch {
    // Not JSON at all: a strategic or merge patch may be YAML; the customizer is who reports broken ones.
    return false;
  }
  return (
    Array.isArray(operations) &&
    operations.some(
      (operation: { op?: unknown; path?: unknown } | null) =>
        operation?.op === 'replace' && operation.path === '/spec/replicas',
    )
  );
}
