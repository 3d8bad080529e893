/** All files of schemas with their tables of descriptions. */
import * as backup from '../backup.ts';
import * as clone from '../clone.ts';
import * as configuration from '../configuration.ts';
import * as core from '../core.ts';
import * as dataVolumes from '../data-volumes.ts';
import * as devices from '../devices.ts';
import * as domain from '../domain.ts';
import * as exports from '../export.ts';
import * as hardware from '../hardware.ts';
import * as instancetype from '../instancetype.ts';
import * as kubevirt from '../kubevirt.ts';
import * as migration from '../migration.ts';
import * as plugin from '../plugin.ts';
import * as pool from '../pool.ts';
import * as preference from '../preference.ts';
import { describe } from './table.ts';
import * as snapshot from '../snapshot.ts';
import * as template from '../template.ts';
import { backupTexts } from './backup.ts';
import { cloneTexts } from './clone.ts';
import { configurationTexts } from './configuration.ts';
import { coreTexts } from './core.ts';
import { dataVolumesTexts } from './data-volumes.ts';
import { devicesTexts } from './devices.ts';
import { domainTexts } from './domain.ts';
import { exportTexts } from './export.ts';
import { hardwareTexts } from './hardware.ts';
import { instancetypeTexts } from './instancetype.ts';
import { kubevirtTexts } from './kubevirt.ts';
import { migrationTexts } from './migration.ts';
import { pluginTexts } from './plugin.ts';
import { poolTexts } from './pool.ts';
import { preferenceTexts } from './preference.ts';
import { snapshotTexts } from './snapshot.ts';
import { templateTexts } from './template.ts';
import { virtualMachineInstanceTexts } from './virtual-machine-instance.ts';
import { virtualMachineTexts } from './virtual-machine.ts';
import { volumesTexts } from './volumes.ts';
import * as virtualMachineInstance from '../virtual-machine-instance.ts';
import * as virtualMachine from '../virtual-machine.ts';
import * as volumes from '../volumes.ts';

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
