/** VirtualMachineInstance, its presets and replica sets (kubevirt.io). */
import {
  anyObject,
  atomic,
  bool,
  embeddedMetadata,
  int32,
  int64,
  keyed,
  list,
  map,
  object,
  quantity,
  resource,
  setOf,
  string,
  time,
  uint32,
} from './dsl.ts';
import { ChangedBlockTrackingStatus } from './backup.ts';
import {
  Affinity,
  ExecAction,
  HTTPGetAction,
  LabelSelector,
  PodDNSConfig,
  PodResourceClaim,
  ProbedCondition,
  TCPSocketAction,
  Toleration,
  TopologySpreadConstraint,
} from './core.ts';
import { DomainSpec } from './domain.ts';
import { Machine } from './hardware.ts';
import { ClaimInfo, MigratedVolume, MigrationState, PhaseTransitionTimestamp } from './migration.ts';
import { Network, UtilityVolume, Volume } from './volumes.ts';

export const QemuGuestAgentSSHAccess = object({ users: setOf(string).required });

export const SSHPublicKeyPropagation = object({
  configDrive: anyObject,
  noCloud: anyObject,
  qemuGuestAgent: QemuGuestAgentSSHAccess,
});

export const AccessCredentialSecret = object({ secretName: string.required });

export const AccessCredentialSource = object({ secret: AccessCredentialSecret });

export const SSHPublicKeyAccessCredential = object({
  propagationMethod: SSHPublicKeyPropagation.required,
  source: AccessCredentialSource.required,
});

export const UserPasswordPropagation = object({ qemuGuestAgent: anyObject });

export const UserPasswordAccessCredential = object({
  propagationMethod: UserPasswordPropagation.required,
  source: AccessCredentialSource.required,
});

export const AccessCredential = object({
  sshPublicKey: SSHPublicKeyAccessCredential,
  userPassword: UserPasswordAccessCredential,
});

export const Probe = object({
  exec: ExecAction,
  failureThreshold: int32,
  guestAgentPing: anyObject,
  httpGet: HTTPGetAction,
  initialDelaySeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  tcpSocket: TCPSocketAction,
  timeoutSeconds: int32,
});

export const VirtualMachineInstanceSpec = object({
  accessCredentials: atomic(AccessCredential).with({ maxItems: 256 }),
  affinity: Affinity,
  architecture: string,
  dnsConfig: PodDNSConfig,
  dnsPolicy: string,
  domain: DomainSpec.required,
  evictionStrategy: string,
  hostname: string,
  livenessProbe: Probe,
  networks: list(Network).with({ maxItems: 256 }),
  nodeSelector: map(string),
  priorityClassName: string,
  readinessProbe: Probe,
  resourceClaims: keyed(['name'], PodResourceClaim),
  schedulerName: string,
  serviceAccountName: string,
  startStrategy: string,
  subdomain: string,
  terminationGracePeriodSeconds: int64,
  tolerations: list(Toleration),
  topologySpreadConstraints: keyed(['topologyKey', 'whenUnsatisfiable'], TopologySpreadConstraint),
  utilityVolumes: keyed(['name'], UtilityVolume).with({ maxItems: 256 }),
  volumes: list(Volume).with({ maxItems: 256 }),
});

export const VirtualMachineInstanceTemplateSpec = object({
  metadata: embeddedMetadata,
  spec: VirtualMachineInstanceSpec,
});

export const VirtualMachineInstancePresetSpec = object({
  domain: DomainSpec,
  selector: LabelSelector.required,
});

export const VirtualMachineInstancePreset = resource({ spec: VirtualMachineInstancePresetSpec });

export const VirtualMachineInstanceReplicaSetSpec = object({
  paused: bool,
  replicas: int32,
  selector: LabelSelector.required,
  template: VirtualMachineInstanceTemplateSpec.required,
});

export const VirtualMachineInstanceReplicaSetStatus = object({
  conditions: list(ProbedCondition),
  labelSelector: string,
  readyReplicas: int32,
  replicas: int32,
});

export const VirtualMachineInstanceReplicaSet = resource({
  spec: VirtualMachineInstanceReplicaSetSpec.required,
  status: VirtualMachineInstanceReplicaSetStatus.nullable,
});

export const CPUTopology = object({ cores: int32, sockets: int32, threads: int32 });

export const GuestOSInfo = object({
  id: string,
  kernelRelease: string,
  kernelVersion: string,
  machine: string,
  name: string,
  prettyName: string,
  version: string,
  versionId: string,
});

export const InterfaceStatus = object({
  infoSource: string,
  interfaceName: string,
  ipAddress: string,
  ipAddresses: list(string),
  linkState: string,
  mac: string,
  name: string,
  podInterfaceName: string,
  queueCount: int32,
});

export const BootFileInfo = object({ checksum: uint32 });

export const ContainerDiskInfo = object({
  checksum: uint32,
});

export const KernelBootStatus = object({ initrdInfo: BootFileInfo, kernelInfo: BootFileInfo });

export const MemoryStatus = object({
  guestAtBoot: quantity,
  guestCurrent: quantity,
  guestRequested: quantity,
  memoryOverhead: quantity,
});

export const TopologyHints = object({ tscFrequency: int64 });

export const HotplugVolumeStatus = object({ attachPodName: string, attachPodUID: string });

export const MemoryDumpVolumeStatus = object({
  claimName: string,
  endTimestamp: time,
  startTimestamp: time,
  targetFileName: string,
});

export const VolumeStatus = object({
  containerDiskVolume: ContainerDiskInfo,
  hotplugVolume: HotplugVolumeStatus,
  memoryDumpVolume: MemoryDumpVolumeStatus,
  message: string,
  name: string.required,
  persistentVolumeClaimInfo: ClaimInfo,
  phase: string,
  reason: string,
  size: int64,
  target: string.required,
});

export const VirtualMachineInstanceStatus = object({
  VSOCKCID: uint32,
  activePods: map(string),
  changedBlockTracking: ChangedBlockTrackingStatus.nullable,
  conditions: list(ProbedCondition),
  currentCPUTopology: CPUTopology,
  evacuationNodeName: string,
  fsFreezeStatus: string,
  guestOSInfo: GuestOSInfo,
  interfaces: list(InterfaceStatus),
  kernelBootStatus: KernelBootStatus,
  launcherContainerImageVersion: string,
  machine: Machine,
  memory: MemoryStatus,
  migratedVolumes: atomic(MigratedVolume),
  migrationMethod: string,
  migrationState: MigrationState,
  migrationTransport: string,
  nodeName: string,
  phase: string,
  phaseTransitionTimestamps: atomic(PhaseTransitionTimestamp),
  qosClass: string,
  reason: string,
  runtimeUser: int64,
  selinuxContext: string,
  topologyHints: TopologyHints,
  virtualMachineRevisionName: string,
  volumeStatus: atomic(VolumeStatus),
});

export const VirtualMachineInstance = resource({
  spec: VirtualMachineInstanceSpec.required,
  status: VirtualMachineInstanceStatus,
});
