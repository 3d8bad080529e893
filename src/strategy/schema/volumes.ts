/** Networks and volumes that a virtual machine connects to. */
import { anyObject, atomicObject, bool, list, object, quantity, string } from './dsl.ts';
import { ClaimSource, DownwardAPIVolumeFile, LocalObjectReference } from './core.ts';

export const MultusNetwork = object({ default: bool, networkName: string.required });

export const PodNetwork = object({ vmIPv6NetworkCIDR: string, vmNetworkCIDR: string });

export const ResourceClaimNetwork = object({ claimName: string, requestName: string });

export const Network = object({
  multus: MultusNetwork,
  name: string.required,
  pod: PodNetwork,
  resourceClaim: ResourceClaimNetwork,
});

export const UtilityVolume = object({
  claimName: string.required,
  name: string.required,
  readOnly: bool,
  type: string,
});

export const CloudInitConfigDriveSource = object({
  networkData: string,
  networkDataBase64: string,
  networkDataSecretRef: LocalObjectReference,
  secretRef: LocalObjectReference,
  userData: string,
  userDataBase64: string,
});

export const CloudInitNoCloudSource = object({ ...CloudInitConfigDriveSource.fields });

export const ConfigMapVolumeSource = atomicObject({
  name: string.default(''),
  optional: bool,
  volumeLabel: string,
});

export const ContainerDiskSource = object({
  image: string.required,
  imagePullPolicy: string,
  imagePullSecret: string,
  path: string,
});

export const ContainerPathVolumeSource = object({
  path: string
    .with({ maxLength: 4096 })
    .rules(["self.startsWith('/')", 'the path is absolute'], ["!self.contains('..')", 'the path must not lead upwards'])
    .required,
  readOnly: bool.default(true).rules(['self == true', 'the volume is read-only']),
});

export const DataVolumeReference = object({ hotpluggable: bool, name: string.required });

export const DownwardAPIVolumeSource = object({
  fields: list(DownwardAPIVolumeFile),
  volumeLabel: string,
});

export const EmptyDiskSource = object({ capacity: quantity.required });

export const EphemeralVolumeSource = object({ persistentVolumeClaim: ClaimSource });

export const HostDisk = object({
  capacity: quantity,
  path: string.required,
  shared: bool,
  type: string.required,
});

export const MemoryDumpVolumeSource = object({
  claimName: string.required,
  hotpluggable: bool,
  readOnly: bool,
});

export const PersistentVolumeClaimVolumeSource = object({ ...MemoryDumpVolumeSource.fields });

export const SecretVolumeSource = object({
  optional: bool,
  secretName: string,
  volumeLabel: string,
});

export const ServiceAccountVolumeSource = object({ serviceAccountName: string });

export const SysprepSource = object({
  configMap: LocalObjectReference,
  secret: LocalObjectReference,
});

export const Volume = object({
  cloudInitConfigDrive: CloudInitConfigDriveSource,
  cloudInitNoCloud: CloudInitNoCloudSource,
  configMap: ConfigMapVolumeSource,
  containerDisk: ContainerDiskSource,
  containerPath: ContainerPathVolumeSource,
  dataVolume: DataVolumeReference,
  downwardAPI: DownwardAPIVolumeSource,
  downwardMetrics: anyObject,
  emptyDisk: EmptyDiskSource,
  ephemeral: EphemeralVolumeSource,
  hostDisk: HostDisk,
  memoryDump: MemoryDumpVolumeSource,
  name: string.required,
  persistentVolumeClaim: PersistentVolumeClaimVolumeSource,
  secret: SecretVolumeSource,
  serviceAccount: ServiceAccountVolumeSource,
  sysprep: SysprepSource,
});

export const HotplugVolumeSource = object({
  dataVolume: DataVolumeReference,
  persistentVolumeClaim: PersistentVolumeClaimVolumeSource,
});
