/** Devices of a virtual machine: disks, interfaces, passed-through and emulated hardware. */
import { anyObject, atomic, bool, int, int32, list, object, string } from './dsl.ts';
import { FeatureState } from './hardware.ts';

export const CustomBlockSize = object({ discardGranularity: int, logical: int, physical: int });

export const BlockSize = object({ custom: CustomBlockSize, matchVolume: FeatureState });

export const CDRomTarget = object({ bus: string, readonly: bool, tray: string });

export const DiskTarget = object({ bus: string, pciAddress: string, readonly: bool });

export const LunTarget = object({ bus: string, readonly: bool, reservation: bool });

export const Disk = object({
  blockSize: BlockSize,
  bootOrder: int,
  cache: string,
  cdrom: CDRomTarget,
  changedBlockTracking: bool,
  dedicatedIOThread: bool,
  disk: DiskTarget,
  errorPolicy: string,
  io: string,
  lun: LunTarget,
  name: string.required,
  serial: string,
  shareable: bool,
  tag: string,
});

export const Filesystem = object({ name: string.required, virtiofs: anyObject.required });

export const VGPUDisplayOptions = object({ enabled: bool, ramFB: FeatureState });

export const VGPUOptions = object({ display: VGPUDisplayOptions });

export const HostDevice = object({
  claimName: string,
  deviceName: string,
  name: string.required,
  requestName: string,
  tag: string,
});

export const GPU = object({ ...HostDevice.fields, virtualGPUOptions: VGPUOptions });

export const Input = object({ bus: string, name: string.required, type: string.required });

export const PluginBinding = object({ name: string.required });

export const DHCPPrivateOptions = object({ option: int.required, value: string.required });

export const DHCPOptions = object({
  bootFileName: string,
  ntpServers: list(string),
  privateOptions: list(DHCPPrivateOptions),
  tftpServerName: string,
});

export const PortRange = object({
  end: int32.required,
  protocol: string.required,
  start: int32.required,
});

export const Port = object({ name: string, port: int32.required, protocol: string });

export const Interface = object({
  acpiIndex: int,
  binding: PluginBinding,
  bootOrder: int,
  bridge: anyObject,
  dhcpOptions: DHCPOptions,
  macAddress: string,
  macvtap: anyObject,
  masquerade: anyObject,
  model: string,
  name: string.required,
  passt: anyObject,
  passtBinding: anyObject,
  pciAddress: string,
  portRanges: atomic(PortRange),
  ports: list(Port),
  slirp: anyObject,
  sriov: anyObject,
  state: string,
  tag: string,
});

export const PanicDevice = object({ model: string });

export const SoundDevice = object({ model: string, name: string.required });

export const TPMDevice = object({ enabled: bool, persistent: bool });

export const VideoDevice = object({ type: string });

export const Diag288Watchdog = object({ action: string });

export const I6300ESBWatchdog = object({ ...Diag288Watchdog.fields });

export const Watchdog = object({
  diag288: Diag288Watchdog,
  i6300esb: I6300ESBWatchdog,
  name: string.required,
});

export const Devices = object({
  autoattachGraphicsDevice: bool,
  autoattachInputDevice: bool,
  autoattachMemBalloon: bool,
  autoattachPodInterface: bool,
  autoattachSerialConsole: bool,
  autoattachVSOCK: bool,
  blockMultiQueue: bool,
  clientPassthrough: anyObject,
  disableHotplug: bool,
  disks: list(Disk).with({ maxItems: 256 }),
  downwardMetrics: anyObject,
  filesystems: atomic(Filesystem),
  gpus: atomic(GPU),
  hostDevices: atomic(HostDevice),
  inputs: list(Input),
  interfaces: list(Interface).with({ maxItems: 256 }),
  logSerialConsole: bool,
  networkInterfaceMultiqueue: bool,
  panicDevices: list(PanicDevice),
  rng: anyObject,
  sound: SoundDevice,
  tpm: TPMDevice,
  useVirtioTransitional: bool,
  video: VideoDevice,
  watchdog: Watchdog,
});
