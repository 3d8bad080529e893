import type { KubeVirtConfiguration } from './kubevirt.ts';

/** How far a feature gate has come (spec/webhooks.md §6). */
export type GateState = 'Alpha' | 'Beta' | 'General Availability' | 'Deprecated' | 'Discontinued';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The gates of KubeVirt v1.9.0 by state; each name stands once (spec/webhooks.md §6). */
const GATES: Record<GateState, readonly string[]> = {
  Alpha: words(`
    AlignCPUs ConfigurableHypervisor ContainerPathVolumes CPUManager CrossArchitectureVirtualization DecentralizedLiveMigration DownwardMetrics
    EnableVirtioFsStorageVolumes ExperimentalIgnitionSupport FirmwareAutoSelection GraceIOVirtualization HostDevices HostDisk HypervStrictCheck
    IncrementalBackup IOMMUFD MigrationStallDetection NetworkDevicesWithDRA ObjectGraph OCIExport PCINUMAAwareTopology Plugins PortRangesSpec
    ReservedOverheadMemlock Root Sidecar UtilityVolumes VGPULiveMigration VMStatsCollector VSOCK WorkloadEncryptionTDX`),
  Beta: words(`
    DeclarativeHotplugVolumes ExternalNetResourceInjection GPUsWithDRA HostDevicesWithDRA ImageVolume KubevirtSeccompProfile
    LibvirtHooksServerAndClient NodeRestriction OptOutRoleAggregation PasstBinding PodSecondaryInterfaceNamingUpgrade RebootPolicy Snapshot
    Template VmiMemoryOverheadReport WorkloadEncryptionSEV`),
  'General Availability': words(`
    AutoResourceLimitsGate BochsDisplayForEFIGuests ClusterProfiler CommonInstancetypesDeploymentGate CPUNodeDiscovery
    DisableCustomSELinuxPolicy DynamicPodInterfaceNaming EnableVirtioFsConfigVolumes ExpandDisks GPU HotplugNICs InstancetypeReferencePolicy
    LiveMigration LiveUpdateNADRef MigrationPriorityQueue NetworkBindingPlugins NonRoot NUMA PanicDevices PersistentReservation PSA
    SecureExecution SRIOVLiveMigration VideoConfig VMExport VMLiveUpdateFeatures VMPersistentState VolumeMigration VolumesUpdateStrategy`),
  Deprecated: words('DisableMDEVConfiguration DockerSELinuxMCSWorkaround HotplugVolumes MultiArchitecture'),
  Discontinued: words('ExperimentalVirtiofsSupport Macvtap Passt PasstIPStackMigration'),
};

const STATES: ReadonlyMap<string, GateState> = new Map(
  (Object.keys(GATES) as GateState[]).flatMap((state) => GATES[state].map((gate) => [gate, state] as const)),
);

/** The state of a gate; undefined for a name that KubeVirt v1.9.0 does not know. Names are case-sensitive. */
export function gateStateOf(gate: string): GateState | undefined {
  return STATES.get(gate);
}

/**
 * Whether a gate is on for this configuration (spec/startup.md §2.5): an unknown gate is off, a generally available one is on, then what the
 * configuration lists counts (enabling wins over disabling), and without a mention only Beta gates are on.
 */
export function isGateEnabled(gate: string, configuration: KubeVirtConfiguration | undefined): boolean {
  const state = gateStateOf(gate);
  if (state === undefined) return false;
  if (state === 'General Availability') return true;
  const developer = configuration?.developerConfiguration;
  if (developer?.featureGates?.includes(gate) === true) return true;
  if (developer?.disabledFeatureGates?.includes(gate) === true) return false;
  return state === 'Beta';
}
