/** Export of virtual machine volumes over HTTPS (export.kubevirt.io). */
import { atomic, keyed, object, resource, string, time } from './dsl.ts';
import { ProbedCondition, TypedLocalObjectReference } from './core.ts';

export const ExportBackupEndpoint = object({ endpoint: string.required, url: string.required });

export const ExportBackup = object({
  endpoints: keyed(['endpoint'], ExportBackupEndpoint),
  name: string.required,
});

export const ExportManifest = object({ type: string.required, url: string.required });

export const ExportVolumeFormat = object({ format: string.required, url: string.required });

export const ExportVolume = object({
  formats: keyed(['format'], ExportVolumeFormat),
  name: string.required,
});

export const ExportLink = object({
  backups: keyed(['name'], ExportBackup),
  cert: string.required,
  manifests: keyed(['type'], ExportManifest),
  volumes: keyed(['name'], ExportVolume),
});

export const ExportLinks = object({ external: ExportLink, internal: ExportLink });

export const VirtualMachineExportSpec = object({
  source: TypedLocalObjectReference.required,
  tokenSecretRef: string,
  ttlDuration: string,
});

export const VirtualMachineExportStatus = object({
  conditions: atomic(ProbedCondition),
  links: ExportLinks,
  phase: string,
  serviceName: string,
  tokenSecretRef: string,
  ttlExpirationTime: time,
  virtualMachineName: string,
});

export const VirtualMachineExport = resource({
  spec: VirtualMachineExportSpec.required,
  status: VirtualMachineExportStatus,
});
