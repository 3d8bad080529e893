import type * as schemas from '../configuration.ts';
import type { TextsOf } from './table.ts';

const verbosity = (component: string): string => `Verbosity of ${component}, by default 2.`;
const mediatedDevices = {
  mediatedDeviceTypes: 'Types of mediated devices to make, for example nvidia-222.',
  mediatedDevicesTypes: 'Deprecated: use mediatedDeviceTypes.',
};
const hostDevice = {
  externalResourceProvider: 'Whether another device plugin offers the resource to the nodes.',
  resourceName: 'Resource name under which machines ask for the device, for example vendor.com/device.',
};
const limits = (component: string): string => `Request limits of ${component}.`;
const ovmfPath = 'Folder with the EFI firmware in the launcher image.';
const emulatedMachines = 'Machine types that machines may ask for; * stands for anything.';
const machineType = 'Machine type of machines that name none.';

/** Descriptions of `configuration.ts`. */
export const configurationTexts: TextsOf<typeof schemas> = {
  TokenBucketRateLimiter: {
    burst: 'Requests that may be sent at once.',
    qps: 'Requests per second in the long run.',
  },
  RateLimiter: { tokenBucketRateLimiter: 'A rate with bursts.' },
  RESTClientConfiguration: { rateLimiter: 'How many requests are sent to the API server.' },
  ReloadableComponentConfiguration: { restClient: 'The client of the API server.' },
  ArchSpecificConfiguration: { emulatedMachines, machineType, ovmfPath },
  ArchitectureConfiguration: {
    amd64: 'Machines of amd64.',
    arm64: 'Machines of arm64.',
    defaultArchitecture: 'Architecture of machines that name none; that of the control plane when left out.',
    ppc64le: 'Deprecated and without effect.',
    s390x: 'Machines of s390x.',
  },
  ChangedBlockTrackingLabelSelectors: {
    namespaceLabelSelector: 'Namespaces whose machines are tracked.',
    virtualMachineLabelSelector: 'Machines that are tracked.',
  },
  OptionalDeployment: { enabled: 'Whether it is installed; true when left out.' },
  PersistentReservationConfiguration: { enabled: 'Whether SCSI persistent reservations can be used.' },
  TDXAttestationConfiguration: {
    enforced: 'Refuses TDX machines on nodes without a quote service.',
    qgsSocketPath: 'Socket of the quote service on the nodes.',
  },
  TDXConfiguration: { attestation: 'How TDX machines prove what they run on.' },
  ConfidentialComputeConfiguration: { tdx: 'Machines protected by Intel TDX.' },
  DiskVerification: { memoryLimit: 'Memory that looking at a disk image may take.' },
  LogVerbosity: {
    nodeVerbosity: 'Verbosity on single nodes, by their name; it wins over that of the component.',
    virtAPI: verbosity('virt-api'),
    virtController: verbosity('virt-controller'),
    virtHandler: verbosity('virt-handler'),
    virtLauncher: verbosity('virt-launcher'),
    virtOperator: verbosity('virt-operator'),
    virtSynchronizationController: verbosity('virt-synchronization-controller'),
  },
  DeveloperConfiguration: {
    clusterProfiler: 'Lets a client profile all components of the installation.',
    cpuAllocationRatio: 'Virtual processors per requested host processor, by default 10.',
    disabledFeatureGates: 'Feature gates to turn off.',
    diskVerification: 'Limits for looking at disk images.',
    featureGates: 'Feature gates to turn on.',
    logVerbosity: 'How much the components log, 0 to 9.',
    memoryOvercommit: 'Percentage of the requested memory that the guest sees, by default 100.',
    minimumClusterTSCFrequency: 'Frequency in Hz that machines with an invariant time stamp counter get at least.',
    minimumReservePVCBytes: 'Bytes of a volume that stay free, by default 131072.',
    nodeSelectors: 'Not used any more.',
    pvcTolerateLessSpaceUpToPercent: 'Percentage that a volume may be smaller than its disk, by default 10.',
    useEmulation: 'Runs machines in software on nodes without virtualization: slow, for trying out.',
  },
  HypervisorConfiguration: { $: 'A hypervisor of the nodes.', name: 'kvm or hyperv-direct.' },
  InstancetypeConfiguration: {
    referencePolicy:
      'What a machine keeps of its instance type: reference (the default), expand its values into the machine, or expandAll also existing ones.',
  },
  KSMConfiguration: {
    nodeLabelSelector: 'Nodes on which equal pages of memory are shared; all for an empty selector.',
  },
  LiveUpdateConfiguration: {
    maxCpuSockets: 'Sockets that machines which name no maximum can grow to.',
    maxGuest: 'Memory that machines which name no maximum can grow to.',
    maxHotplugRatio: 'How many times their size machines which name no maximum can grow to, by default 4.',
  },
  NodeMediatedDeviceTypes: {
    $: 'Mediated devices of certain nodes.',
    ...mediatedDevices,
    nodeSelector: 'Labels that the nodes must have.',
  },
  MediatedDevicesConfiguration: {
    enabled: 'Whether mediated devices are made at all; true when left out.',
    ...mediatedDevices,
    nodeMediatedDeviceTypes: 'Types for certain nodes, instead of those for all.',
  },
  InterfaceBindingMigration: { method: 'link-refresh renews the address of the guest after a migration.' },
  InterfaceBindingPlugin: {
    computeResourceOverhead: 'What the binding needs in the pod of the machine.',
    domainAttachmentType: 'How the interface is attached: tap or managedTap; the sidecar does it when left out.',
    downwardAPI: 'What the sidecar learns about its network: device-info.',
    migration: 'What the binding does when the machine migrates.',
    networkAttachmentDefinition: 'NetworkAttachmentDefinition that prepares the pod: its name, or namespace/name.',
    sidecarImage: 'Image of the container beside the machine.',
  },
  NetworkConfiguration: {
    binding: 'Binding plugins by name.',
    defaultNetworkInterface: 'How machines that name no interface are connected: masquerade (the default) or bridge.',
    permitBridgeInterfaceOnPodNetwork: 'Whether a bridge to the pod network is allowed; true when left out.',
    permitSlirpInterface: 'Not used any more.',
  },
  MediatedHostDevice: {
    $: 'A type of mediated devices that machines may use.',
    ...hostDevice,
    mdevNameSelector: 'Name of the type as the driver gives it, for example GRID T4-1Q.',
  },
  PciHostDevice: {
    $: 'PCI devices that machines may use.',
    ...hostDevice,
    pciVendorSelector: 'Vendor and product, for example 10DE:1EB8.',
  },
  USBSelector: {
    $: 'A kind of USB devices.',
    product: 'Product ID, four hexadecimal digits.',
    vendor: 'Vendor ID, four hexadecimal digits.',
  },
  USBHostDevice: {
    $: 'USB devices that machines may use.',
    ...hostDevice,
    selectors: 'The devices; several make up one resource.',
  },
  PermittedHostDevices: {
    mediatedDevices: 'Mediated devices.',
    pciHostDevices: 'PCI devices.',
    usb: 'USB devices.',
  },
  CustomProfile: {
    localhostProfile: 'Profile on the node, relative to the folder of the kubelet.',
    runtimeDefaultProfile: 'Takes the profile of the container runtime.',
  },
  VirtualMachineInstanceProfile: { customProfile: 'Profile to take instead of none.' },
  SeccompConfiguration: { virtualMachineInstanceProfile: 'Profile of the pods that run machines.' },
  SMBiosConfiguration: {
    family: 'Family in the system tables of guests.',
    manufacturer: 'Maker in the system tables of guests.',
    product: 'Product in the system tables of guests.',
    sku: 'Article number in the system tables of guests.',
    version: 'Version in the system tables of guests.',
  },
  SupportContainerResources: {
    $: 'Resources of one kind of containers that go along with machines.',
    resources: 'What the containers ask for, and their limits.',
    type: 'Kind of containers, for example container-disk, hotplug-disk, virtiofs, sidecar, guest-console-log or vmexport.',
  },
  TLSConfiguration: {
    ciphers: 'Cipher suites that servers offer, for TLS up to 1.2.',
    minTLSVersion: 'Oldest version of TLS that servers speak, by default VersionTLS12.',
  },
  VirtualMachineOptions: {
    disableFreePageReporting: 'Guests do not give back memory that they do not use.',
    disableSerialConsoleLog: 'The serial console is not logged, for machines that do not say otherwise.',
  },
  KubeVirtConfiguration: {
    additionalGuestMemoryOverheadRatio: 'Factor, from 1.0, by which the calculated overhead of machines is multiplied.',
    apiConfiguration: limits('virt-api'),
    architectureConfiguration: 'What depends on the architecture of machines.',
    autoCPULimitNamespaceLabelSelector:
      'Namespaces whose machines get a processor limit as high as their number of processors.',
    changedBlockTrackingLabelSelectors: 'Machines whose changed blocks are tracked for incremental backups.',
    commonInstancetypesDeployment: 'The common instance types and preferences.',
    confidentialCompute: 'Machines that are protected from their hosts.',
    controllerConfiguration: limits('virt-controller'),
    cpuModel: 'Processor model of machines that name none.',
    cpuRequest: 'Processor time per virtual processor that machines which name none ask for.',
    defaultRuntimeClass: 'RuntimeClass of the pods that run machines.',
    developerConfiguration: 'Feature gates, log verbosity, and settings for development.',
    emulatedMachines: `Deprecated, see architectureConfiguration. ${emulatedMachines}`,
    evictionStrategy:
      'What draining a node does to machines that do not say: LiveMigrate, LiveMigrateIfPossible, External or None.',
    handlerConfiguration: limits('virt-handler'),
    hypervisors: 'Hypervisor that runs the machines.',
    imagePullPolicy: 'When images of machines are pulled: Always, IfNotPresent or Never.',
    instancetype: 'How machines deal with instance types.',
    ksmConfiguration: 'Sharing of equal pages of memory on the nodes.',
    liveUpdateConfiguration: 'How far machines can grow while they run.',
    machineType: `Deprecated, see architectureConfiguration. ${machineType}`,
    mediatedDevicesConfiguration: 'Mediated devices, such as virtual GPUs, that are made on the nodes.',
    memBalloonStatsPeriod: 'Seconds between measurements of the memory of guests, by default 10; 0 for none.',
    migrations: 'Live migration.',
    minCPUModel: 'Oldest processor model that nodes are labelled with.',
    network: 'How machines are connected.',
    obsoleteCPUModels: 'Processor models that nodes are not labelled with, and true for each.',
    ovmfPath: `Deprecated, see architectureConfiguration. ${ovmfPath}`,
    permittedHostDevices: 'Devices of the nodes that machines may use.',
    persistentReservationConfiguration: 'SCSI persistent reservations.',
    roleAggregationStrategy:
      'Whether the roles for users become part of admin, edit and view: AggregateToDefault (the default) or Manual.',
    seccompConfiguration: 'Seccomp profiles of pods.',
    selinuxLauncherType: 'SELinux type of the pods that run machines.',
    smbios: 'What the system tables of guests say about the installation.',
    supportContainerResources: 'Resources of containers that go along with machines.',
    supportedGuestAgentVersions: 'Not used any more.',
    tlsConfiguration: 'TLS of all servers of the installation.',
    virtTemplateDeployment: 'The service for templates of virtual machines.',
    virtualMachineInstancesPerNode: 'Machines that one node can run, by default 110.',
    virtualMachineOptions: 'Settings that hold for all machines.',
    vmRolloutStrategy:
      'What a change of a running machine does: LiveUpdate (the default) applies it as far as possible, Stage waits for a restart.',
    vmStateStorageClass: 'StorageClass of the volumes that keep the state of TPM and firmware.',
    webhookConfiguration: limits('the webhooks of virt-api'),
  },
};
