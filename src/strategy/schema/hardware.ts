/** Processor, memory, clock, firmware and features of a virtual machine. */
import { anyObject, bool, int, int32, list, object, oneOf, quantity, string } from './dsl.ts';
import { ContainerResources } from './core.ts';

export const CPUFeature = object({ name: string.required, policy: string });

export const NUMA = object({ guestMappingPassthrough: anyObject });

export const Realtime = object({ mask: string });

export const CPU = object({
  cores: int32,
  dedicatedCpuPlacement: bool,
  features: list(CPUFeature),
  isolateEmulatorThread: bool,
  maxSockets: int32,
  model: string,
  numa: NUMA,
  realtime: Realtime,
  sockets: int32,
  threads: int32,
});

export const Hugepages = object({ pageSize: string });

export const ReservedOverhead = object({
  addedOverhead: quantity,
  memLock: oneOf('NotRequired', 'Required'),
});

export const Memory = object({
  guest: quantity,
  hugepages: Hugepages,
  maxGuest: quantity,
  reservedOverhead: ReservedOverhead,
});

export const GuestResources = object({ ...ContainerResources.fields, overcommitGuestOverhead: bool });

export const Chassis = object({
  asset: string,
  manufacturer: string,
  serial: string,
  sku: string,
  version: string,
});

export const Machine = object({ type: string });

export const DiskIOThreads = object({ supplementalPoolThreadCount: int32 });

export const FeatureState = object({ enabled: bool });

export const FeatureAPIC = object({ enabled: bool, endOfInterrupt: bool });

export const FeatureKVM = object({ hidden: bool });

export const FeatureSpinlocks = object({ enabled: bool, spinlocks: int32 });

export const SyNICTimer = object({ direct: FeatureState, enabled: bool });

export const TLBFlush = object({ direct: FeatureState, enabled: bool, extended: FeatureState });

export const FeatureVendorID = object({ enabled: bool, vendorid: string });

export const FeatureHyperv = object({
  evmcs: FeatureState,
  frequencies: FeatureState,
  ipi: FeatureState,
  reenlightenment: FeatureState,
  relaxed: FeatureState,
  reset: FeatureState,
  runtime: FeatureState,
  spinlocks: FeatureSpinlocks,
  synic: FeatureState,
  synictimer: SyNICTimer,
  tlbflush: TLBFlush,
  vapic: FeatureState,
  vendorid: FeatureVendorID,
  vpindex: FeatureState,
});

export const Features = object({
  acpi: FeatureState,
  apic: FeatureAPIC,
  hyperv: FeatureHyperv,
  hypervPassthrough: FeatureState,
  kvm: FeatureKVM,
  pvspinlock: FeatureState,
  smm: FeatureState,
});

export const HPETTimer = object({ present: bool, tickPolicy: string });

export const HypervTimer = object({ present: bool });

export const KVMTimer = object({ present: bool });

export const PITTimer = object({ ...HPETTimer.fields });

export const RTCTimer = object({ ...HPETTimer.fields, track: string });

export const Timer = object({
  hpet: HPETTimer,
  hyperv: HypervTimer,
  kvm: KVMTimer,
  pit: PITTimer,
  rtc: RTCTimer,
});

export const ClockOffsetUTC = object({ offsetSeconds: int });

export const Clock = object({ timer: Timer, timezone: string, utc: ClockOffsetUTC });

export const ACPI = object({ msdmNameRef: string, slicNameRef: string });

export const BIOS = object({ useSerial: bool });

export const EFI = object({ persistent: bool, secureBoot: bool });

export const Bootloader = object({ bios: BIOS, efi: EFI });

export const KernelBootContainer = object({
  image: string.required,
  imagePullPolicy: string,
  imagePullSecret: string,
  initrdPath: string,
  kernelPath: string,
});

export const KernelBoot = object({ container: KernelBootContainer, kernelArgs: string });

export const Firmware = object({
  acpi: ACPI,
  bootloader: Bootloader,
  kernelBoot: KernelBoot,
  serial: string,
  uuid: string,
});

export const SEVPolicy = object({ encryptedState: bool });

export const SEV = object({
  attestation: anyObject,
  dhCert: string,
  policy: SEVPolicy,
  session: string,
});

export const LaunchSecurity = object({ sev: SEV, snp: anyObject, tdx: anyObject });
