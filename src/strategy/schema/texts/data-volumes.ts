import type * as schemas from '../data-volumes.ts';
import type { TextsOf } from './table.ts';

const certConfigMap = 'ConfigMap with the certificate authority of the server.';
const secretRef = 'Secret with the credentials.';
const claim = {
  accessModes: 'Ways of access that the volume must offer, for example ReadWriteMany.',
  dataSource: 'Snapshot or claim in the same namespace that the volume starts from.',
  dataSourceRef: 'Object that the volume starts from; takes more kinds than dataSource.',
  resources: 'Size of the volume.',
  selector: 'Volumes that come into question, by their labels.',
  storageClassName: 'StorageClass that provides the volume.',
  volumeMode: 'Filesystem or Block.',
  volumeName: 'The one PersistentVolume to bind to.',
};

/** Descriptions of `data-volumes.ts`. */
export const dataVolumesTexts: TextsOf<typeof schemas> = {
  DataVolumeCheckpoint: {
    $: 'One step of an import in several steps.',
    current: 'Snapshot that the step leads to.',
    previous: 'Snapshot that the step starts from.',
  },
  DataVolumeSourceGCS: { secretRef, url: 'Address of the object, gs://….' },
  DataVolumeSourceHTTP: {
    certConfigMap,
    extraHeaders: 'Headers to send along.',
    secretExtraHeaders: 'Secrets with headers to send along.',
    secretRef,
    url: 'Address of the image, http:// or https://….',
  },
  DataVolumeSourceImageIO: {
    certConfigMap,
    diskId: 'ID of the disk.',
    insecureSkipVerify: 'Does not check the certificate of the server.',
    secretRef,
    url: 'Address of the oVirt engine.',
  },
  DataVolumeSourcePVC: { name: 'Name of the claim.', namespace: 'Namespace of the claim.' },
  DataVolumeSourceSnapshot: { name: 'Name of the VolumeSnapshot.', namespace: 'Namespace of the VolumeSnapshot.' },
  PlatformOptions: { architecture: 'Architecture of the image, for example arm64.' },
  DataVolumeSourceRegistry: {
    certConfigMap,
    imageStream: 'Image stream on OpenShift, instead of url.',
    platform: 'Which image of several.',
    pullMethod: 'pod downloads in the importer, node lets the node pull the image.',
    secretRef,
    url: 'Address of the image, docker://….',
  },
  DataVolumeSourceS3: { certConfigMap, secretRef, url: 'Address of the object.' },
  DataVolumeSourceVDDK: {
    backingFile: 'Path of the disk in the datastore.',
    extraArgs: 'ConfigMap with more arguments.',
    initImageURL: 'Image with the VDDK library.',
    secretRef,
    thumbprint: 'Fingerprint of the certificate of the server.',
    url: 'Address of vCenter or of the ESXi host.',
    uuid: 'UUID of the machine that the disk belongs to.',
  },
  DataVolumeSource: {
    blank: 'An empty disk.',
    gcs: 'An object of Google Cloud Storage.',
    http: 'An image on a web server.',
    imageio: 'A disk of oVirt.',
    pvc: 'A copy of a claim.',
    registry: 'A disk out of a container image.',
    s3: 'An object of S3 storage.',
    snapshot: 'A copy of a volume snapshot.',
    upload: 'Waits for an upload.',
    vddk: 'A disk of VMware.',
  },
  DataVolumeSourceRef: {
    kind: 'DataSource is the only kind.',
    name: 'Name of the DataSource.',
    namespace: 'Namespace of the DataSource; the own one when left out.',
  },
  StorageSpec: claim,
  DataVolumeSpec: {
    checkpoints: 'Steps of an import in several steps.',
    contentType: 'kubevirt, the default, is a disk; archive is a tar file to unpack.',
    finalCheckpoint: 'Whether the last of the steps is the last one.',
    preallocation: 'Takes all space of the disk at once.',
    priorityClassName: 'PriorityClass of the pods that fill the volume.',
    pvc: 'Claim to make, in every detail.',
    source: 'Where the content comes from.',
    sourceRef: 'DataSource that says where the content comes from.',
    storage: 'Claim to make; what is left out is chosen to fit the StorageClass.',
  },
  DataVolumeTemplateSpec: {
    $: 'A DataVolume that is made along with the machine.',
    apiVersion: 'cdi.kubevirt.io/v1beta1.',
    kind: 'DataVolume.',
    metadata: 'Name, labels and annotations of the DataVolume.',
    spec: 'The DataVolume that is made.',
    status: 'Not used.',
  },
};
