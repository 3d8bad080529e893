/** All files of schemas with their tables of descriptions. */
import * as backup from './backup.ts';
import * as clone from './clone.ts';
import * as configuration from './configuration.ts';
import * as core from './core.ts';
import * as dataVolumes from './data-volumes.ts';
import * as devices from './devices.ts';
import * as domain from './domain.ts';
import * as exports from './export.ts';
import * as hardware from './hardware.ts';
import * as instancetype from './instancetype.ts';
import * as kubevirt from './kubevirt.ts';
import * as migration from './migration.ts';
import * as plugin from './plugin.ts';
import * as pool from './pool.ts';
import * as preference from './preference.ts';
import { describe } from './render.ts';
import * as snapshot from './snapshot.ts';
import * as template from './template.ts';
import { backupTexts } from './texts/backup.ts';
import { cloneTexts } from './texts/clone.ts';
import { configurationTexts } from './texts/configuration.ts';
import { coreTexts } from './texts/core.ts';
import { dataVolumesTexts } from './texts/data-volumes.ts';
import { devicesTexts } from './texts/devices.ts';
import { domainTexts } from './texts/domain.ts';
import { exportTexts } from './texts/export.ts';
import { hardwareTexts } from './texts/hardware.ts';
import { instancetypeTexts } from './texts/instancetype.ts';
import { kubevirtTexts } from './texts/kubevirt.ts';
import { migrationTexts } from './texts/migration.ts';
import { pluginTexts } from './texts/plugin.ts';
import { poolTexts } from './texts/pool.ts';
import { preferenceTexts } from './texts/preference.ts';
import { snapshotTexts } from './texts/snapshot.ts';
import { templateTexts } from './texts/template.ts';
import { virtualMachineInstanceTexts } from './texts/virtual-machine-instance.ts';
import { virtualMachineTexts } from './texts/virtual-machine.ts';
import { volumesTexts } from './texts/volumes.ts';
import * as virtualMachineInstance from './virtual-machine-instance.ts';
import * as virtualMachine from './virtual-machine.ts';
import * as volumes from './volumes.ts';

/** What `kubectl explain` says about every field of every definition. */
export const DESCRIPTIONS = describe(
  [backup, backupTexts],
  [clone, cloneTexts],
  [configuration, configurationTexts],
  [core, coreTexts],
  [dataVolumes, dataVolumesTexts],
  [devices, devicesTexts],
  [domain, domainTexts],
  [exports, exportTexts],
  [hardware, hardwareTexts],
  [instancetype, instancetypeTexts],
  [kubevirt, kubevirtTexts],
  [migration, migrationTexts],
  [plugin, pluginTexts],
  [pool, poolTexts],
  [preference, preferenceTexts],
  [snapshot, snapshotTexts],
  [template, templateTexts],
  [virtualMachine, virtualMachineTexts],
  [virtualMachineInstance, virtualMachineInstanceTexts],
  [volumes, volumesTexts],
);
