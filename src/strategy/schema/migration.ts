/** Live migration: what a migration is asked to do, what it did, and the policies for it. */
import {
  anyObject,
  atomic,
  bool,
  int,
  int32,
  int64,
  list,
  map,
  object,
  oneOf,
  quantity,
  resource,
  string,
  time,
} from './dsl.ts';
import { ProbedCondition } from './core.ts';

export const StallDetectorOptions = object({
  completionTimeoutFactor: string,
  ewmaAlpha: string,
  patienceWindowDecayFactor: string,
  precopyPossibleFactor: string,
  searchLocalMinima: bool,
  stallMargin: int64.with({ minimum: 0, maximum: 100 }),
  stallProgressTimeout: int64,
  switchoverTimeout: int64,
});

export const ExperimentalMigrationOptions = object({
  compression: oneOf('none', 'zstd'),
  stallDetector: StallDetectorOptions,
});

/** What both the installation and a policy can say about migrations. */
const migrationLimitFields = {
  allowAutoConverge: bool,
  allowPostCopy: bool,
  allowWorkloadDisruption: bool,
  bandwidthPerMigration: quantity,
  completionTimeoutPerGiB: int64,
  maxDowntimeMs: int64.with({ minimum: 1, maximum: 2_000_000 }),
};

export const MigrationConfiguration = object({
  ...migrationLimitFields,
  disableTLS: bool,
  matchSELinuxLevelOnMigration: bool,
  network: string,
  nodeDrainTaintKey: string,
  parallelMigrationsPerCluster: int32,
  parallelOutboundMigrationsPerNode: int32,
  progressTimeout: int64,
  unsafeMigrationOverride: bool,
  utilityVolumesTimeout: int64,
});

export const MigrationOptions = object({
  ...MigrationConfiguration.fields,
  experimental: ExperimentalMigrationOptions,
});

/** What both ends of a migration tell about themselves. */
const migrationPeerFields = {
  domainName: string,
  domainNamespace: string,
  migrationUID: string,
  node: string,
  persistentStatePVCName: string,
  pod: string,
  selinuxContext: string,
  syncAddress: string,
  virtualMachineInstanceUID: string,
};

export const MigrationSourceState = object({ ...migrationPeerFields, nodeSelectors: map(string) });

export const MigrationTargetState = object({
  ...migrationPeerFields,
  attachmentPodUID: string,
  cpuSet: atomic(int),
  directMigrationNodePorts: map(int),
  domainDetected: bool,
  domainReadyTimestamp: time,
  nodeAddress: string,
  nodeTopology: string,
});

export const MigrationState = object({
  abortRequested: bool,
  abortStatus: string,
  completed: bool,
  endTimestamp: time.nullable,
  failed: bool,
  failureReason: string,
  migrationConfiguration: MigrationOptions,
  migrationNetworkType: string,
  migrationPolicyName: string,
  migrationUid: string,
  mode: string,
  sourceNode: string,
  sourcePersistentStatePVCName: string,
  sourcePod: string,
  sourceState: MigrationSourceState,
  startTimestamp: time.nullable,
  targetAttachmentPodUID: string,
  targetCPUSet: atomic(int),
  targetDirectMigrationNodePorts: map(int),
  targetMemoryOverhead: quantity,
  targetNode: string,
  targetNodeAddress: string,
  targetNodeDomainDetected: bool,
  targetNodeDomainReadyTimestamp: time,
  targetNodeTopology: string,
  targetPersistentStatePVCName: string,
  targetPod: string,
  targetState: MigrationTargetState,
});

export const PhaseTransitionTimestamp = object({ phase: string, phaseTransitionTimestamp: time });

export const ClaimInfo = object({
  accessModes: atomic(string),
  capacity: map(quantity),
  claimName: string,
  filesystemOverhead: string.with({ pattern: '^(0(?:\\.\\d{1,3})?|1)$' }),
  preallocated: bool,
  requests: map(quantity),
  volumeMode: string,
});

export const MigratedVolume = object({
  destinationPVCInfo: ClaimInfo,
  sourcePVCInfo: ClaimInfo,
  volumeName: string.required,
});

export const MigrationReceive = object({ migrationID: string.required });

export const MigrationSendTo = object({
  connectURL: string.required,
  migrationID: string.required,
});

export const VirtualMachineInstanceMigrationSpec = object({
  addedNodeSelector: map(string),
  priority: string,
  receive: MigrationReceive,
  sendTo: MigrationSendTo,
  vmiName: string,
});

export const VirtualMachineInstanceMigrationStatus = object({
  conditions: list(ProbedCondition),
  migrationState: MigrationState,
  phase: string,
  phaseTransitionTimestamps: atomic(PhaseTransitionTimestamp),
  synchronizationAddresses: atomic(string),
});

export const VirtualMachineInstanceMigration = resource({
  spec: VirtualMachineInstanceMigrationSpec.required,
  status: VirtualMachineInstanceMigrationStatus,
});

export const PolicySelectors = object({
  namespaceSelector: map(string),
  virtualMachineInstanceSelector: map(string),
});

export const MigrationPolicySpec = object({
  ...migrationLimitFields,
  experimental: ExperimentalMigrationOptions,
  selectors: PolicySelectors.required,
});

export const MigrationPolicy = resource({
  spec: MigrationPolicySpec.required,
  status: anyObject.nullable,
});
