import type * as schemas from '../export.ts';
import type { TextsOf } from './table.ts';

const url = 'Address to read it from.';
const name = 'Name of the exported volume.';

/** Descriptions of `export.ts`. */
export const exportTexts: TextsOf<typeof schemas> = {
  ExportBackupEndpoint: { $: 'One address of a backup.', endpoint: 'What can be read there: data or map.', url },
  ExportBackup: { $: 'A volume of a backup.', endpoints: 'Addresses of the volume.', name },
  ExportManifest: {
    $: 'A manifest of the machine.',
    type: 'all for the objects of the machine, auth-header-secret for the Secret that reading needs.',
    url,
  },
  ExportVolumeFormat: {
    $: 'One format of a volume.',
    format: 'raw, gzip, dir, tar.gz or others.',
    url,
  },
  ExportVolume: { $: 'A volume and its addresses.', formats: 'Formats the volume can be read in.', name },
  ExportLink: {
    backups: 'Volumes of a backup.',
    cert: 'Certificate authority of the addresses, PEM.',
    manifests: 'Manifests of the machine.',
    volumes: 'Volumes.',
  },
  ExportLinks: {
    external: 'Addresses from outside of the cluster, through an Ingress or a Route.',
    internal: 'Addresses within the cluster.',
  },
  VirtualMachineExportSpec: {
    source: 'What is exported: a VirtualMachine, a VirtualMachineSnapshot or a PersistentVolumeClaim.',
    tokenSecretRef: 'Secret with the token that readers have to show; made up when left out.',
    ttlDuration: 'Time after which the export is deleted, by default 2h.',
  },
  VirtualMachineExportStatus: {
    conditions: 'Aspects of the state, one by one.',
    links: 'Addresses to read from.',
    phase: 'Pending, Ready, Terminated or Skipped.',
    serviceName: 'Service that serves the addresses within the cluster.',
    tokenSecretRef: 'Secret with the token that readers have to show.',
    ttlExpirationTime: 'When the export is deleted.',
    virtualMachineName: 'Virtual machine that is exported.',
  },
  VirtualMachineExport: {
    $: 'Lets clients download a virtual machine or its volumes.',
    spec: 'What is exported.',
    status: 'Where it can be read.',
  },
};
