import type { KubeVirtConfiguration as ConfigurationSchema } from '../strategy/schema/configuration.ts';
import type { ProbedCondition } from '../strategy/schema/core.ts';
import type { Infer } from '../strategy/schema/dsl.ts';
import type * as schema from '../strategy/schema/kubevirt.ts';
import type { Json, ObjectMeta } from './objects.ts';

/** Phases of an installation (spec/reconcile.md §2.2). */
type KubeVirtPhase = 'Deploying' | 'Deployed' | 'Deleting' | 'Deleted';

/**
 * Types of conditions on a KubeVirt object (spec/reconcile.md §2.3). The last three are ours; each is there only while it is true
 * (spec/field-reports.md B48, B39 and L09).
 */
export type ConditionType =
  | 'Synchronized'
  | 'Created'
  | 'Available'
  | 'Progressing'
  | 'Degraded'
  | 'CertificateSettingsInvalid'
  | 'CertificatesOutdated'
  | 'RedisUnusable';

/** Reasons of conditions (spec/reconcile.md §2.3); the last three are ours. */
export type ConditionReason =
  | 'ExistingDeployment'
  | 'DeploymentFailed'
  | 'DeletionFailed'
  | 'AllResourcesCreated'
  | 'AllComponentsReady'
  | 'DeploymentInProgress'
  | 'UpdateInProgress'
  | 'DeletionInProgress'
  | 'InconsistentLifetimes'
  | 'OutdatedCertificateServed'
  | 'QueueInMemory';

/** One condition of a KubeVirt object; times are RFC 3339. */
export interface KubeVirtCondition extends Infer<typeof ProbedCondition> {
  type: ConditionType;
  status: 'True' | 'False' | 'Unknown';
}

/** The generation of an object as it was after our last write of it (spec/apply.md §3). */
export type GenerationStatus = Infer<typeof schema.GenerationStatus>;

/** `status` of a KubeVirt object. Fields that a newer release knows are kept by the index signature. */
export interface KubeVirtStatus extends Infer<typeof schema.KubeVirtStatus> {
  phase?: KubeVirtPhase;
  conditions?: KubeVirtCondition[];
  [field: string]: unknown;
}

/** `nodePlacement` of a component. */
export type NodePlacement = Infer<typeof schema.NodePlacement>;

/** `spec.infra` and `spec.workloads`; zero replicas are refused by admission. */
export type ComponentConfig = Infer<typeof schema.ComponentConfig>;

/** One patch of `spec.customizeComponents.patches`; a type other than `json`, `merge` and `strategic` is refused by the customizer. */
export type CustomizePatch = Infer<typeof schema.CustomizePatch>;

/** `spec.customizeComponents`. */
export type CustomizeComponents = Infer<typeof schema.CustomizeComponents>;

/** `spec.configuration`: the operator reads a part, operands the rest. */
export type KubeVirtConfiguration = Infer<typeof ConfigurationSchema>;

/** `spec` of a KubeVirt object. */
export type KubeVirtSpec = Infer<typeof schema.KubeVirtSpec>;

/** A KubeVirt object: what an administrator asks for, and what was reached. */
export interface KubeVirt {
  apiVersion: string;
  kind: 'KubeVirt';
  metadata: ObjectMeta;
  spec: KubeVirtSpec;
  status?: KubeVirtStatus;
  [field: string]: unknown;
}

/** Reads a KubeVirt from an API server's answer, which its CRD has validated. A missing spec reads as empty. */
export function asKubeVirt(object: { apiVersion?: unknown; metadata?: unknown; spec?: unknown }): KubeVirt {
  const source = object as Partial<KubeVirt>;
  return {
    ...source,
    apiVersion: source.apiVersion ?? 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: source.metadata ?? {},
    spec: source.spec ?? {},
  };
}

/** A JSON view of a typed value, for patches and requests. */
export function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
