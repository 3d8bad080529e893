/** Preferences: what a guest system works best with (instancetype.kubevirt.io). */
import { anyObject, bool, int32, int64, list, map, object, quantity, resource, string } from './dsl.ts';
import { BlockSize, TPMDevice, VGPUOptions } from './devices.ts';
import {
  CPUFeature,
  ClockOffsetUTC,
  EFI,
  FeatureAPIC,
  FeatureHyperv,
  FeatureKVM,
  FeatureState,
  LaunchSecurity,
  Timer,
} from './hardware.ts';

export const ClockOffset = object({ timezone: string, utc: ClockOffsetUTC });

export const ClockPreferences = object({
  preferredClockOffset: ClockOffset,
  preferredTimer: Timer,
});

export const SpreadOptions = object({ across: string, ratio: int32 });

export const CPUPreferences = object({
  preferredCPUFeatures: list(CPUFeature),
  preferredCPUTopology: string,
  spreadOptions: SpreadOptions,
});

export const DevicePreferences = object({
  preferredAutoattachGraphicsDevice: bool,
  preferredAutoattachInputDevice: bool,
  preferredAutoattachMemBalloon: bool,
  preferredAutoattachPodInterface: bool,
  preferredAutoattachSerialConsole: bool,
  preferredBlockMultiQueue: bool,
  preferredCdromBus: string,
  preferredDisableHotplug: bool,
  preferredDiskBlockSize: BlockSize,
  preferredDiskBus: string,
  preferredDiskCache: string,
  preferredDiskDedicatedIoThread: bool,
  preferredDiskIO: string,
  preferredInputBus: string,
  preferredInputType: string,
  preferredInterfaceMasquerade: anyObject,
  preferredInterfaceModel: string,
  preferredLunBus: string,
  preferredNetworkInterfaceMultiQueue: bool,
  preferredPanicDeviceModel: string,
  preferredRng: anyObject,
  preferredSoundModel: string,
  preferredTPM: TPMDevice,
  preferredUseVirtioTransitional: bool,
  preferredVideoType: string,
  preferredVirtualGPUOptions: VGPUOptions,
});

export const FeaturePreferences = object({
  preferredAcpi: FeatureState,
  preferredApic: FeatureAPIC,
  preferredHyperv: FeatureHyperv,
  preferredKvm: FeatureKVM,
  preferredPvspinlock: FeatureState,
  preferredSmm: FeatureState,
});

export const FirmwarePreferences = object({
  preferredEfi: EFI,
  preferredUseBios: bool,
  preferredUseBiosSerial: bool,
  preferredUseEfi: bool,
  preferredUseSecureBoot: bool,
});

export const MachinePreferences = object({ preferredMachineType: string });

export const CPURequirement = object({ guest: int32.required });

export const MemoryRequirement = object({ guest: quantity.required });

export const PreferenceRequirements = object({
  architecture: string,
  cpu: CPURequirement,
  memory: MemoryRequirement,
});

export const VolumePreferences = object({ preferredStorageClassName: string });

export const VirtualMachinePreferenceSpec = object({
  annotations: map(string),
  clock: ClockPreferences,
  cpu: CPUPreferences,
  devices: DevicePreferences,
  features: FeaturePreferences,
  firmware: FirmwarePreferences,
  machine: MachinePreferences,
  preferSpreadSocketToCoreRatio: int32,
  preferredArchitecture: string,
  preferredLaunchSecurity: LaunchSecurity,
  preferredSubdomain: string,
  preferredTerminationGracePeriodSeconds: int64,
  requirements: PreferenceRequirements,
  volumes: VolumePreferences,
});

export const VirtualMachinePreference = resource({ spec: VirtualMachinePreferenceSpec.required });
