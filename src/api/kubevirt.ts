import type { Json, JsonObject, ObjectMeta } from './objects.ts';

/** Phases of an installation (spec/reconcile.md §2.2). */
export type KubeVirtPhase = 'Deploying' | 'Deployed' | 'Deleting' | 'Deleted';

/** Types of conditions on a KubeVirt object (spec/reconcile.md §2.3). */
export type ConditionType = 'Synchronized' | 'Created' | 'Available' | 'Progressing' | 'Degraded';

/** Reasons of conditions (spec/reconcile.md §2.3). */
export type ConditionReason =
  | 'ExistingDeployment'
  | 'DeploymentFailed'
  | 'DeletionFailed'
  | 'AllResourcesCreated'
  | 'AllComponentsReady'
  | 'DeploymentInProgress'
  | 'UpdateInProgress'
  | 'DeletionInProgress';

/** One condition of a KubeVirt object; times are RFC 3339. */
export interface KubeVirtCondition {
  type: ConditionType;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

/** The generation of an object as it was after our last write of it (spec/apply.md §3). */
export interface GenerationStatus {
  group: string;
  resource: string;
  namespace?: string;
  name: string;
  lastGeneration: number;
  hash?: string;
}

/** `status` of a KubeVirt object. Fields that others write are kept by the index signature. */
export interface KubeVirtStatus {
  phase?: KubeVirtPhase;
  conditions?: KubeVirtCondition[];
  operatorVersion?: string;
  targetKubeVirtRegistry?: string;
  targetKubeVirtVersion?: string;
  targetDeploymentID?: string;
  targetDeploymentConfig?: string;
  observedKubeVirtRegistry?: string;
  observedKubeVirtVersion?: string;
  observedDeploymentID?: string;
  observedDeploymentConfig?: string;
  observedGeneration?: number;
  defaultArchitecture?: string;
  generations?: GenerationStatus[];
  synchronizationAddresses?: string[] | null;
  [field: string]: unknown;
}

/** `nodePlacement` of a component. */
export interface NodePlacement {
  nodeSelector?: Record<string, string>;
  affinity?: JsonObject;
  tolerations?: JsonObject[];
}

/** `spec.infra` and `spec.workloads`. */
export interface ComponentConfig {
  nodePlacement?: NodePlacement;
  /** 1…255; 0 is refused by admission. */
  replicas?: number;
}

/** One patch of `spec.customizeComponents.patches`. */
export interface CustomizePatch {
  resourceName: string;
  resourceType: string;
  patch: string;
  /** `json`, `merge` or `strategic`; anything else is refused by the customizer. */
  type: string;
}

/** `spec.customizeComponents`. */
export interface CustomizeComponents {
  patches?: CustomizePatch[];
  flags?: {
    api?: Record<string, string>;
    controller?: Record<string, string>;
    handler?: Record<string, string>;
  };
}

/** Go duration strings of one certificate group. */
export interface CertificateDurations {
  duration?: string;
  renewBefore?: string;
}

/** `spec.certificateRotateStrategy` (spec/certificates.md §2). */
export interface CertificateRotateStrategy {
  selfSigned?: {
    caRotateInterval?: string;
    certRotateInterval?: string;
    caOverlapInterval?: string;
    ca?: CertificateDurations;
    server?: CertificateDurations;
  };
}

/** `spec.configuration`: the fields that the operator reads; operands read the rest. */
export interface KubeVirtConfiguration {
  developerConfiguration?: {
    featureGates?: string[];
    disabledFeatureGates?: string[];
    logVerbosity?: { virtOperator?: number; nodeVerbosity?: Record<string, number>; [component: string]: unknown };
    clusterProfiler?: boolean;
    useEmulation?: boolean;
    [field: string]: unknown;
  };
  migrations?: { network?: string; [field: string]: unknown };
  tlsConfiguration?: { minTLSVersion?: string; ciphers?: string[] };
  commonInstancetypesDeployment?: { enabled?: boolean };
  persistentReservationConfiguration?: { enabled?: boolean };
  virtTemplateDeployment?: { enabled?: boolean };
  roleAggregationStrategy?: string;
  hypervisors?: { name: string }[];
  virtualMachineInstancesPerNode?: number;
  architectureConfiguration?: { defaultArchitecture?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** `spec` of a KubeVirt object. */
export interface KubeVirtSpec {
  imageTag?: string;
  imageRegistry?: string;
  imagePullPolicy?: string;
  imagePullSecrets?: { name?: string }[];
  monitorNamespace?: string;
  serviceMonitorNamespace?: string;
  monitorAccount?: string;
  workloadUpdateStrategy?: JsonObject;
  uninstallStrategy?: string;
  certificateRotateStrategy?: CertificateRotateStrategy;
  productVersion?: string;
  productName?: string;
  productComponent?: string;
  synchronizationPort?: string;
  configuration?: KubeVirtConfiguration;
  infra?: ComponentConfig;
  workloads?: ComponentConfig;
  customizeComponents?: CustomizeComponents;
}

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
