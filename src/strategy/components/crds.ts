import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import type { GenerateInput } from '../types.ts';
import { DESCRIPTIONS } from '../schema/texts/descriptions.ts';
import { createRenderer } from '../schema/render.ts';
import { hasSwitch } from '../target-properties.ts';
import { buildCrd } from './crd.ts';
import { STRATEGY_CRDS, TEMPLATE_CRDS } from './crds.table.ts';

/**
 * The CRDs of the install strategy in upstream's order: 19, and two more when virt-template is deployed; nothing else of the input
 * matters (spec/crds.md §1). Equal parts of schemas are one object, which keeps them small: copy a CRD as JSON before changing it.
 */
export function buildCustomResourceDefinitions(input: Pick<GenerateInput, 'target'>): KubernetesObject[] {
  const render = createRenderer(DESCRIPTIONS);
  const rows = hasSwitch(input.target, 'VirtTemplateDeploymentEnabled')
    ? [...STRATEGY_CRDS, ...TEMPLATE_CRDS]
    : STRATEGY_CRDS;
  return rows.map((row) => ({ ...buildCrd(row, render), status: unobservedStatus() }));
}

/** Upstream writes the status of a CRD that no API server has seen into its strategy (spec/crds.md §9). */
function unobservedStatus(): JsonObject {
  return { acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null };
}
