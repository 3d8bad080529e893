/** DataVolumes of the Containerized Data Importer (cdi.kubevirt.io/v1beta1), as a VirtualMachine embeds them. */
import { anyObject, bool, embeddedMetadata, list, object, oneOf, string } from './dsl.ts';
import { claimFields, PersistentVolumeClaimSpec } from './core.ts';

export const DataVolumeCheckpoint = object({
  current: string.required,
  previous: string.required,
});

export const DataVolumeSourceGCS = object({ secretRef: string, url: string.required });

export const DataVolumeSourceS3 = object({
  certConfigMap: string,
  secretRef: string,
  url: string.required,
});

export const DataVolumeSourceHTTP = object({
  ...DataVolumeSourceS3.fields,
  extraHeaders: list(string),
  secretExtraHeaders: list(string),
});

export const DataVolumeSourceImageIO = object({
  ...DataVolumeSourceS3.fields,
  diskId: string.required,
  insecureSkipVerify: bool,
});

export const DataVolumeSourcePVC = object({ name: string.required, namespace: string.required });

export const DataVolumeSourceSnapshot = object({ ...DataVolumeSourcePVC.fields });

export const PlatformOptions = object({ architecture: string });

export const DataVolumeSourceRegistry = object({
  certConfigMap: string,
  imageStream: string,
  platform: PlatformOptions,
  pullMethod: string,
  secretRef: string,
  url: string,
});

export const DataVolumeSourceVDDK = object({
  backingFile: string,
  extraArgs: string,
  initImageURL: string,
  secretRef: string,
  thumbprint: string,
  url: string,
  uuid: string,
});

export const DataVolumeSource = object({
  blank: anyObject,
  gcs: DataVolumeSourceGCS,
  http: DataVolumeSourceHTTP,
  imageio: DataVolumeSourceImageIO,
  pvc: DataVolumeSourcePVC,
  registry: DataVolumeSourceRegistry,
  s3: DataVolumeSourceS3,
  snapshot: DataVolumeSourceSnapshot,
  upload: anyObject,
  vddk: DataVolumeSourceVDDK,
});

export const DataVolumeSourceRef = object({
  kind: string.required,
  name: string.required,
  namespace: string,
});

export const StorageSpec = object({ ...claimFields, accessModes: list(string) });

export const DataVolumeSpec = object({
  checkpoints: list(DataVolumeCheckpoint),
  contentType: oneOf('kubevirt', 'archive'),
  finalCheckpoint: bool,
  preallocation: bool,
  priorityClassName: string,
  pvc: PersistentVolumeClaimSpec,
  source: DataVolumeSource,
  sourceRef: DataVolumeSourceRef,
  storage: StorageSpec,
});

export const DataVolumeTemplateSpec = object({
  apiVersion: string,
  kind: string,
  metadata: embeddedMetadata,
  spec: DataVolumeSpec.required,
  status: anyObject.nullable,
});
