import type * as schemas from '../volumes.ts';
import type { TextsOf } from './table.ts';

const cloudInit = {
  networkData: 'Network configuration, as text.',
  networkDataBase64: 'Network configuration, base64.',
  networkDataSecretRef: 'Secret with the network configuration.',
  secretRef: 'Secret with the user data.',
  userData: 'User data, as text.',
  userDataBase64: 'User data, base64.',
};
const claim = {
  claimName: 'PersistentVolumeClaim in the same namespace.',
  hotpluggable: 'Whether the volume may be attached and detached while the machine runs.',
  readOnly: 'Attaches the volume for reading only.',
};
const dataVolumeSource = 'Content of a DataVolume: the claim that it fills.';
const claimSource = 'Content of a PersistentVolumeClaim.';

/** Descriptions of `volumes.ts`. */
export const volumesTexts: TextsOf<typeof schemas> = {
  MultusNetwork: {
    default: 'Takes the place of the pod network.',
    networkName: 'NetworkAttachmentDefinition: its name, or namespace/name.',
  },
  PodNetwork: {
    vmIPv6NetworkCIDR: 'IPv6 network of the guest behind masquerade, by default fd10:0:2::/120.',
    vmNetworkCIDR: 'IPv4 network of the guest behind masquerade, by default 10.0.2.0/24.',
  },
  ResourceClaimNetwork: {
    claimName: 'Resource claim of the machine that provides the network device.',
    requestName: 'Request within the resource claim.',
  },
  Network: {
    $: 'One network; the interface of the same name connects to it.',
    multus: 'A network that Multus attaches.',
    name: 'Name of the network, which is the name of its interface.',
    pod: 'The network of the pod.',
    resourceClaim: 'A network device from a resource claim.',
  },
  UtilityVolume: {
    $: 'A volume that the pod of the machine gets, but not the guest.',
    claimName: 'PersistentVolumeClaim in the same namespace.',
    name: 'Name of the volume.',
    readOnly: 'Attaches the volume for reading only.',
    type: 'What the volume is for.',
  },
  CloudInitConfigDriveSource: cloudInit,
  CloudInitNoCloudSource: cloudInit,
  ConfigMapVolumeSource: {
    name: 'Name of the ConfigMap.',
    optional: 'Whether the machine starts without it.',
    volumeLabel: 'Label of the disk in the guest.',
  },
  ContainerDiskSource: {
    image: 'Image that holds the disk.',
    imagePullPolicy: 'When the image is pulled: Always, IfNotPresent or Never.',
    imagePullSecret: 'Secret for pulling the image.',
    path: 'Path of the disk in the image; the only file below /disk when left out.',
  },
  ContainerPathVolumeSource: {
    path: 'Absolute path in the pod of the machine.',
    readOnly: 'Always true: the guest reads only.',
  },
  DataVolumeReference: {
    hotpluggable: claim.hotpluggable,
    name: 'DataVolume, or PersistentVolumeClaim of that name, in the same namespace.',
  },
  DownwardAPIVolumeSource: {
    fields: 'Files of the disk.',
    volumeLabel: 'Label of the disk in the guest.',
  },
  EmptyDiskSource: { capacity: 'Size of the disk.' },
  EphemeralVolumeSource: { persistentVolumeClaim: 'Claim that is read; writes are kept beside it and thrown away.' },
  HostDisk: {
    capacity: 'Size of a disk that is made.',
    path: 'Path of the disk image on the node.',
    shared: 'Whether other machines may write at the same time.',
    type: 'Disk: the image must exist. DiskOrCreate: it is made when missing.',
  },
  MemoryDumpVolumeSource: claim,
  PersistentVolumeClaimVolumeSource: claim,
  SecretVolumeSource: {
    optional: 'Whether the machine starts without it.',
    secretName: 'Name of the Secret.',
    volumeLabel: 'Label of the disk in the guest.',
  },
  ServiceAccountVolumeSource: { serviceAccountName: 'Name of the ServiceAccount.' },
  SysprepSource: {
    configMap: 'ConfigMap with the answer files, such as autounattend.xml.',
    secret: 'Secret with the answer files, such as autounattend.xml.',
  },
  Volume: {
    $: 'One volume; the disk or file system of the same name shows it to the guest. Exactly one source is named.',
    cloudInitConfigDrive: 'Cloud-init data, format ConfigDrive.',
    cloudInitNoCloud: 'Cloud-init data, format NoCloud.',
    configMap: 'A ConfigMap, as a read-only disk or a file system.',
    containerDisk: 'A disk out of an image; changes are lost when the machine stops.',
    containerPath: 'A path in the pod of the machine, as a file system.',
    dataVolume: dataVolumeSource,
    downwardAPI: 'Facts about the pod, as a read-only disk or a file system.',
    downwardMetrics: 'Metrics of the host, as a read-only disk.',
    emptyDisk: 'An empty disk; it lasts as long as the machine runs.',
    ephemeral: 'A claim that is not changed: writes are thrown away when the machine stops.',
    hostDisk: 'A disk image on the node.',
    memoryDump: 'Claim that takes memory dumps.',
    name: 'Name of the volume.',
    persistentVolumeClaim: claimSource,
    secret: 'A Secret, as a read-only disk or a file system.',
    serviceAccount: 'The token of a ServiceAccount, as a read-only disk or a file system.',
    sysprep: 'Answer files for the installation of Windows, as a CD.',
  },
  HotplugVolumeSource: { dataVolume: dataVolumeSource, persistentVolumeClaim: claimSource },
};
