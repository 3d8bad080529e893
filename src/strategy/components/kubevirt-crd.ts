import type { KubernetesObject } from '../../api/objects.ts';
import * as configuration from '../schema/configuration.ts';
import * as core from '../schema/core.ts';
import * as kubevirt from '../schema/kubevirt.ts';
import * as migration from '../schema/migration.ts';
import { createRenderer } from '../schema/render.ts';
import { configurationTexts } from '../schema/texts/configuration.ts';
import { coreTexts } from '../schema/texts/core.ts';
import { kubevirtTexts } from '../schema/texts/kubevirt.ts';
import { migrationTexts } from '../schema/texts/migration.ts';
import { describe } from '../schema/texts/table.ts';
import { AGE, buildCrd, CORE_VERSIONS, KUBEVIRT, PHASE, type CrdRow } from './crd.ts';

const ROW: CrdRow = {
  kind: 'KubeVirt',
  group: KUBEVIRT,
  schema: kubevirt.KubeVirt,
  versions: CORE_VERSIONS,
  shortNames: ['kv'],
  subresources: ['status'],
  columns: [AGE, PHASE],
  labels: { 'operator.kubevirt.io': '' },
};

/** Only what this CRD consists of, so that the command `crd` and the admission functions load nothing else. */
const descriptions = describe(
  [configuration, configurationTexts],
  [core, coreTexts],
  [kubevirt, kubevirtTexts],
  [migration, migrationTexts],
);

/** The CRD `kubevirts.kubevirt.io`, which is installed before the operator and belongs to no strategy. */
export function buildKubeVirtCrd(): KubernetesObject {
  return buildCrd(ROW, createRenderer(descriptions));
}
