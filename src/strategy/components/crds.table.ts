/** The CRDs of the install strategy: names, versions, subresources and printer columns (spec/crds.md §1). */
import {
  AGE,
  column,
  condition,
  CORE_VERSIONS,
  KUBEVIRT,
  PHASE,
  type CrdColumn,
  type CrdRow,
  type CrdVersion,
} from './crd.ts';
import { VirtualMachineBackup, VirtualMachineBackupTracker } from '../schema/backup.ts';
import { VirtualMachineClone } from '../schema/clone.ts';
import { VirtualMachineExport } from '../schema/export.ts';
import { VirtualMachineInstancetype } from '../schema/instancetype.ts';
import { MigrationPolicy, VirtualMachineInstanceMigration } from '../schema/migration.ts';
import { Plugin } from '../schema/plugin.ts';
import { VirtualMachinePool } from '../schema/pool.ts';
import { VirtualMachinePreference } from '../schema/preference.ts';
import { VirtualMachineRestore, VirtualMachineSnapshot, VirtualMachineSnapshotContent } from '../schema/snapshot.ts';
import { VirtualMachineTemplate, VirtualMachineTemplateRequest } from '../schema/template.ts';
import {
  VirtualMachineInstance,
  VirtualMachineInstancePreset,
  VirtualMachineInstanceReplicaSet,
} from '../schema/virtual-machine-instance.ts';
import { VirtualMachine } from '../schema/virtual-machine.ts';

const templateCondition = (type: string): CrdColumn => column(type, `.status.conditions[?(@.type=="${type}")].status`);

const SOURCE = [column('SourceKind', '.spec.source.kind'), column('SourceName', '.spec.source.name')];

const TAKEN = [
  column('ReadyToUse', '.status.readyToUse', 'boolean'),
  column('CreationTime', '.status.creationTime', 'date'),
  column('Error', '.status.error.message'),
];

const replicas = (what: string): CrdColumn[] => [
  column('Desired', '.spec.replicas', 'integer', { description: `How many ${what} are wanted` }),
  column('Current', '.status.replicas', 'integer', { description: `How many ${what} there are` }),
  column('Ready', '.status.readyReplicas', 'integer', { description: `How many ${what} are ready` }),
  AGE,
];

const presetWarning = (version: string): string =>
  `kubevirt.io/${version} VirtualMachineInstancePresets is now deprecated and will be removed in v2.`;
const ALPHA_THEN_BETA: readonly CrdVersion[] = [{ name: 'v1alpha1' }, { name: 'v1beta1', storage: true }];
const ALPHA_ONLY: readonly CrdVersion[] = [{ name: 'v1alpha1', storage: true }];
const BETA_ONLY: readonly CrdVersion[] = [{ name: 'v1beta1', storage: true }];

const withStatus = (group: string, versions: readonly CrdVersion[]) =>
  ({ group, versions, subresources: ['status'], namesConversion: true }) as const;

/** What the CRDs of one group share. */
const CORE = { group: KUBEVIRT, versions: CORE_VERSIONS };
const SNAPSHOT = withStatus('snapshot.kubevirt.io', ALPHA_THEN_BETA);
const INSTANCETYPE = { group: 'instancetype.kubevirt.io', versions: BETA_ONLY, namesConversion: true } as const;
const BACKUP = withStatus('backup.kubevirt.io', ALPHA_ONLY);

/** CRDs of every install strategy, in upstream's order. */
export const STRATEGY_CRDS: readonly CrdRow[] = [
  {
    kind: 'VirtualMachineInstance',
    ...CORE,
    schema: VirtualMachineInstance,
    shortNames: ['vmi'],
    columns: [
      AGE,
      PHASE,
      column('IP', '.status.interfaces[0].ipAddress'),
      column('NodeName', '.status.nodeName'),
      condition('Ready', 'Ready'),
      condition('Live-Migratable', 'LiveMigratable', { priority: 1 }),
      condition('Paused', 'Paused', { priority: 1 }),
    ],
  },
  {
    kind: 'VirtualMachineInstancePreset',
    ...CORE,
    schema: VirtualMachineInstancePreset,
    // The old version is the one that is stored.
    versions: [
      { name: 'v1', warning: presetWarning('v1') },
      { name: 'v1alpha3', storage: true, warning: presetWarning('v1alpha3') },
    ],
    shortNames: ['vmipreset'],
  },
  {
    kind: 'VirtualMachineInstanceReplicaSet',
    ...CORE,
    schema: VirtualMachineInstanceReplicaSet,
    shortNames: ['vmirs'],
    subresources: ['status', 'scale'],
    columns: replicas('virtual machine instances'),
  },
  {
    kind: 'VirtualMachine',
    ...CORE,
    schema: VirtualMachine,
    shortNames: ['vm'],
    subresources: ['status'],
    columns: [
      AGE,
      column('Status', '.status.printableStatus', 'string', { description: 'What the virtual machine is doing' }),
      condition('Ready', 'Ready'),
    ],
  },
  {
    kind: 'VirtualMachineInstanceMigration',
    ...CORE,
    schema: VirtualMachineInstanceMigration,
    shortNames: ['vmim'],
    subresources: ['status'],
    columns: [
      { ...PHASE, description: 'How far the migration is' },
      column('VMI', '.spec.vmiName', 'string', { description: 'The virtual machine instance that moves' }),
    ],
  },
  {
    kind: 'VirtualMachineSnapshot',
    ...SNAPSHOT,
    schema: VirtualMachineSnapshot,
    shortNames: ['vmsnapshot'],
    columns: [...SOURCE, PHASE, ...TAKEN],
  },
  {
    kind: 'VirtualMachineSnapshotContent',
    ...SNAPSHOT,
    schema: VirtualMachineSnapshotContent,
    shortNames: ['vmsnapshotcontent'],
    columns: TAKEN,
  },
  {
    kind: 'VirtualMachineRestore',
    ...SNAPSHOT,
    schema: VirtualMachineRestore,
    shortNames: ['vmrestore'],
    columns: [
      column('TargetKind', '.spec.target.kind'),
      column('TargetName', '.spec.target.name'),
      column('Complete', '.status.complete', 'boolean'),
      column('RestoreTime', '.status.restoreTime', 'date'),
    ],
  },
  {
    kind: 'VirtualMachineInstancetype',
    ...INSTANCETYPE,
    schema: VirtualMachineInstancetype,
    shortNames: ['vminstancetype', 'vmf'],
  },
  {
    kind: 'VirtualMachineClusterInstancetype',
    ...INSTANCETYPE,
    schema: VirtualMachineInstancetype,
    shortNames: ['vmclusterinstancetype', 'vmcf'],
    clusterScoped: true,
  },
  {
    kind: 'VirtualMachinePool',
    group: 'pool.kubevirt.io',
    schema: VirtualMachinePool,
    versions: ALPHA_THEN_BETA,
    shortNames: ['vmpool'],
    subresources: ['status', 'scale'],
    columns: replicas('virtual machines'),
  },
  {
    kind: 'MigrationPolicy',
    group: 'migrations.kubevirt.io',
    schema: MigrationPolicy,
    versions: ALPHA_ONLY,
    plural: 'migrationpolicies',
    clusterScoped: true,
    subresources: ['status'],
  },
  {
    kind: 'VirtualMachinePreference',
    ...INSTANCETYPE,
    schema: VirtualMachinePreference,
    shortNames: ['vmpref', 'vmp'],
  },
  {
    kind: 'VirtualMachineClusterPreference',
    ...INSTANCETYPE,
    schema: VirtualMachinePreference,
    shortNames: ['vmcp'],
    clusterScoped: true,
  },
  {
    kind: 'VirtualMachineExport',
    group: 'export.kubevirt.io',
    schema: VirtualMachineExport,
    versions: [
      {
        name: 'v1beta1',
        warning:
          'export.kubevirt.io/v1beta1 VirtualMachineExport is now deprecated and will be removed in a future version.',
      },
      { name: 'v1', storage: true },
    ],
    shortNames: ['vmexport'],
    subresources: ['status'],
    namesConversion: true,
    columns: [...SOURCE, PHASE],
  },
  {
    kind: 'VirtualMachineClone',
    group: 'clone.kubevirt.io',
    schema: VirtualMachineClone,
    versions: ALPHA_THEN_BETA,
    shortNames: ['vmclone'],
    subresources: ['status'],
    columns: [
      PHASE,
      column('SourceVirtualMachine', '.spec.source.name'),
      column('TargetVirtualMachine', '.spec.target.name'),
    ],
  },
  {
    kind: 'VirtualMachineBackup',
    ...BACKUP,
    schema: VirtualMachineBackup,
    shortNames: ['vmbackup'],
    columns: [...SOURCE, column('Type', '.status.type'), column('CheckpointName', '.status.checkpointName')],
  },
  {
    kind: 'VirtualMachineBackupTracker',
    ...BACKUP,
    schema: VirtualMachineBackupTracker,
    shortNames: ['vmbackuptracker'],
    columns: [
      ...SOURCE,
      column('LatestCheckpoint', '.status.latestCheckpoint.name'),
      column('CheckpointTime', '.status.latestCheckpoint.creationTime', 'date'),
    ],
  },
  {
    kind: 'Plugin',
    group: 'plugin.kubevirt.io',
    schema: Plugin,
    versions: ALPHA_ONLY,
    clusterScoped: true,
    hasListKind: true,
  },
];

/** What the two CRDs of virt-template share; they are built by controller-gen and released apart from KubeVirt (spec/resources.md §7.9). */
const TEMPLATE_CRD = {
  group: 'template.kubevirt.io',
  versions: [{ name: 'v1alpha1', storage: true, warning: '' }, { name: 'v1beta1' }],
  inCategoryAll: false,
  hasListKind: true,
  subresources: ['status'],
  labels: {},
  annotations: {
    'controller-gen.kubebuilder.io/version': 'v0.20.1',
    'template.kubevirt.io/virt-template-version': 'v0.2.2',
  },
} as const;

/** CRDs that come along with the virt-template deployment, in upstream's order. */
export const TEMPLATE_CRDS: readonly CrdRow[] = [
  {
    ...TEMPLATE_CRD,
    kind: 'VirtualMachineTemplateRequest',
    schema: VirtualMachineTemplateRequest,
    shortNames: ['vmtr'],
    columns: [
      column('Template', '.status.templateRef.name'),
      AGE,
      templateCondition('Ready'),
      templateCondition('Progressing'),
    ],
  },
  {
    ...TEMPLATE_CRD,
    kind: 'VirtualMachineTemplate',
    schema: VirtualMachineTemplate,
    shortNames: ['vmt'],
    columns: [AGE, templateCondition('Ready')],
  },
];
