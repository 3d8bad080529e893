/** KubeVirt: one installation (kubevirt.io). */
import { atomic, int, int64, list, map, object, resource, string } from './dsl.ts';
import { KubeVirtConfiguration } from './configuration.ts';
import { Affinity, LocalObjectReference, ProbedCondition, Toleration } from './core.ts';

export const CertificateConfig = object({ duration: string, renewBefore: string });

export const SelfSignedConfiguration = object({
  ca: CertificateConfig,
  caOverlapInterval: string,
  caRotateInterval: string,
  certRotateInterval: string,
  server: CertificateConfig,
});

export const CertificateRotateStrategy = object({ selfSigned: SelfSignedConfiguration });

export const CustomizeFlags = object({
  api: map(string),
  controller: map(string),
  handler: map(string),
});

export const CustomizePatch = object({
  patch: string.required,
  resourceName: string.with({ minLength: 1 }).required,
  resourceType: string.with({ minLength: 1 }).required,
  type: string.required,
});

export const CustomizeComponents = object({
  flags: CustomizeFlags,
  patches: atomic(CustomizePatch),
});

export const NodePlacement = object({
  affinity: Affinity,
  nodeSelector: map(string),
  tolerations: list(Toleration),
});

export const ComponentConfig = object({ nodePlacement: NodePlacement, replicas: int });

export const WorkloadUpdateStrategy = object({
  batchEvictionInterval: string,
  batchEvictionSize: int,
  workloadUpdateMethods: atomic(string),
});

export const KubeVirtSpec = object({
  certificateRotateStrategy: CertificateRotateStrategy,
  configuration: KubeVirtConfiguration,
  customizeComponents: CustomizeComponents,
  imagePullPolicy: string,
  imagePullSecrets: atomic(LocalObjectReference),
  imageRegistry: string,
  imageTag: string,
  infra: ComponentConfig,
  monitorAccount: string,
  monitorNamespace: string,
  productComponent: string,
  productName: string,
  productVersion: string,
  serviceMonitorNamespace: string,
  synchronizationPort: string,
  uninstallStrategy: string,
  workloadUpdateStrategy: WorkloadUpdateStrategy,
  workloads: ComponentConfig,
});

export const GenerationStatus = object({
  group: string.required,
  hash: string,
  lastGeneration: int64.required,
  name: string.required,
  namespace: string,
  resource: string.required,
});

export const KubeVirtStatus = object({
  conditions: list(ProbedCondition),
  defaultArchitecture: string,
  generations: atomic(GenerationStatus),
  observedDeploymentConfig: string,
  observedDeploymentID: string,
  observedGeneration: int64,
  observedKubeVirtRegistry: string,
  observedKubeVirtVersion: string,
  operatorVersion: string,
  outdatedVirtualMachineInstanceWorkloads: int,
  phase: string,
  synchronizationAddresses: atomic(string),
  targetDeploymentConfig: string,
  targetDeploymentID: string,
  targetKubeVirtRegistry: string,
  targetKubeVirtVersion: string,
});

export const KubeVirt = resource({ spec: KubeVirtSpec.required, status: KubeVirtStatus });
