/** `spec.configuration` of a KubeVirt object. */
import {
  anyObject,
  atomic,
  bool,
  int,
  int32,
  int64,
  keyed,
  list,
  map,
  number,
  object,
  oneOf,
  quantity,
  setOf,
  string,
} from './dsl.ts';
import { ContainerResources, LabelSelector } from './core.ts';
import { MigrationConfiguration } from './migration.ts';

export const TokenBucketRateLimiter = object({ burst: int.required, qps: number.required });

export const RateLimiter = object({ tokenBucketRateLimiter: TokenBucketRateLimiter });

export const RESTClientConfiguration = object({ rateLimiter: RateLimiter });

export const ReloadableComponentConfiguration = object({ restClient: RESTClientConfiguration });

export const ArchSpecificConfiguration = object({
  emulatedMachines: atomic(string),
  machineType: string,
  ovmfPath: string,
});

export const ArchitectureConfiguration = object({
  amd64: ArchSpecificConfiguration,
  arm64: ArchSpecificConfiguration,
  defaultArchitecture: string,
  ppc64le: ArchSpecificConfiguration,
  s390x: ArchSpecificConfiguration,
});

export const ChangedBlockTrackingLabelSelectors = object({
  namespaceLabelSelector: LabelSelector,
  virtualMachineLabelSelector: LabelSelector,
});

export const OptionalDeployment = object({ enabled: bool.nullable });

export const PersistentReservationConfiguration = object({ enabled: bool.nullable });

export const TDXAttestationConfiguration = object({
  enforced: bool.default(false),
  qgsSocketPath: string.default('/var/run/tdx-qgs/qgs.socket'),
});

export const TDXConfiguration = object({ attestation: TDXAttestationConfiguration });

export const ConfidentialComputeConfiguration = object({ tdx: TDXConfiguration.nullable });

export const DiskVerification = object({ memoryLimit: quantity.required });

export const LogVerbosity = object({
  nodeVerbosity: map(int),
  virtAPI: int,
  virtController: int,
  virtHandler: int,
  virtLauncher: int,
  virtOperator: int,
  virtSynchronizationController: int,
});

export const DeveloperConfiguration = object({
  clusterProfiler: bool,
  cpuAllocationRatio: int,
  disabledFeatureGates: atomic(string),
  diskVerification: DiskVerification,
  featureGates: atomic(string),
  logVerbosity: LogVerbosity,
  memoryOvercommit: int.with({ minimum: 10 }),
  minimumClusterTSCFrequency: int64,
  minimumReservePVCBytes: int64,
  nodeSelectors: map(string),
  pvcTolerateLessSpaceUpToPercent: int,
  useEmulation: bool,
});

export const HypervisorConfiguration = object({ name: oneOf('kvm', 'hyperv-direct') });

export const InstancetypeConfiguration = object({
  referencePolicy: oneOf('reference', 'expand', 'expandAll').nullable,
});

export const KSMConfiguration = object({ nodeLabelSelector: LabelSelector });

export const LiveUpdateConfiguration = object({
  maxCpuSockets: int32,
  maxGuest: quantity,
  maxHotplugRatio: int32,
});

export const NodeMediatedDeviceTypes = object({
  mediatedDeviceTypes: atomic(string),
  mediatedDevicesTypes: atomic(string),
  nodeSelector: map(string).required,
});

export const MediatedDevicesConfiguration = object({
  enabled: bool,
  mediatedDeviceTypes: atomic(string),
  mediatedDevicesTypes: atomic(string),
  nodeMediatedDeviceTypes: atomic(NodeMediatedDeviceTypes),
});

export const InterfaceBindingMigration = object({ method: string });

export const InterfaceBindingPlugin = object({
  computeResourceOverhead: ContainerResources,
  domainAttachmentType: string,
  downwardAPI: string,
  migration: InterfaceBindingMigration,
  networkAttachmentDefinition: string,
  sidecarImage: string,
});

export const NetworkConfiguration = object({
  binding: map(InterfaceBindingPlugin),
  defaultNetworkInterface: string,
  permitBridgeInterfaceOnPodNetwork: bool,
  permitSlirpInterface: bool,
});

export const MediatedHostDevice = object({
  externalResourceProvider: bool,
  mdevNameSelector: string.required,
  resourceName: string.required,
});

export const PciHostDevice = object({
  externalResourceProvider: bool,
  pciVendorSelector: string.required,
  resourceName: string.required,
});

export const USBSelector = object({ product: string.required, vendor: string.required });

export const USBHostDevice = object({
  externalResourceProvider: bool,
  resourceName: string.required,
  selectors: atomic(USBSelector),
});

export const PermittedHostDevices = object({
  mediatedDevices: atomic(MediatedHostDevice),
  pciHostDevices: atomic(PciHostDevice),
  usb: atomic(USBHostDevice),
});

export const CustomProfile = object({ localhostProfile: string, runtimeDefaultProfile: bool });

export const VirtualMachineInstanceProfile = object({ customProfile: CustomProfile });

export const SeccompConfiguration = object({
  virtualMachineInstanceProfile: VirtualMachineInstanceProfile,
});

export const SMBiosConfiguration = object({
  family: string,
  manufacturer: string,
  product: string,
  sku: string,
  version: string,
});

export const SupportContainerResources = object({
  resources: ContainerResources.required,
  type: string.required,
});

export const TLSConfiguration = object({
  ciphers: setOf(string),
  minTLSVersion: oneOf('VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'),
});

export const VirtualMachineOptions = object({
  disableFreePageReporting: anyObject,
  disableSerialConsoleLog: anyObject,
});

export const KubeVirtConfiguration = object({
  additionalGuestMemoryOverheadRatio: string,
  apiConfiguration: ReloadableComponentConfiguration,
  architectureConfiguration: ArchitectureConfiguration,
  autoCPULimitNamespaceLabelSelector: LabelSelector,
  changedBlockTrackingLabelSelectors: ChangedBlockTrackingLabelSelectors.nullable,
  commonInstancetypesDeployment: OptionalDeployment.nullable,
  confidentialCompute: ConfidentialComputeConfiguration.nullable,
  controllerConfiguration: ReloadableComponentConfiguration,
  cpuModel: string,
  cpuRequest: quantity,
  defaultRuntimeClass: string,
  developerConfiguration: DeveloperConfiguration,
  emulatedMachines: list(string),
  evictionStrategy: string,
  handlerConfiguration: ReloadableComponentConfiguration,
  hypervisors: atomic(HypervisorConfiguration).with({ maxItems: 1 }),
  imagePullPolicy: string,
  instancetype: InstancetypeConfiguration.nullable,
  ksmConfiguration: KSMConfiguration,
  liveUpdateConfiguration: LiveUpdateConfiguration,
  machineType: string,
  mediatedDevicesConfiguration: MediatedDevicesConfiguration,
  memBalloonStatsPeriod: int32,
  migrations: MigrationConfiguration,
  minCPUModel: string,
  network: NetworkConfiguration,
  obsoleteCPUModels: map(bool),
  ovmfPath: string,
  permittedHostDevices: PermittedHostDevices,
  persistentReservationConfiguration: PersistentReservationConfiguration.nullable,
  roleAggregationStrategy: oneOf('AggregateToDefault', 'Manual'),
  seccompConfiguration: SeccompConfiguration,
  selinuxLauncherType: string,
  smbios: SMBiosConfiguration,
  supportContainerResources: keyed(['type'], SupportContainerResources),
  supportedGuestAgentVersions: list(string),
  tlsConfiguration: TLSConfiguration,
  virtTemplateDeployment: OptionalDeployment.nullable,
  virtualMachineInstancesPerNode: int,
  virtualMachineOptions: VirtualMachineOptions,
  vmRolloutStrategy: oneOf('Stage', 'LiveUpdate').nullable,
  vmStateStorageClass: string,
  webhookConfiguration: ReloadableComponentConfiguration,
});
