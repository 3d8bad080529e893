import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import type { GenerateInput } from '../types.ts';
import { DESCRIPTIONS } from '../schema/descriptions.ts';
import { createRenderer, type Renderer } from '../schema/render.ts';
import { KUBEVIRT_CRD, STRATEGY_CRDS, TEMPLATE_CRDS, type CrdRow, type CrdVersion } from './crds.table.ts';

/** The additional property that asks for the virt-template deployment (spec/resources.md §7.9). */
const TEMPLATE_PROPERTY = 'VirtTemplateDeploymentEnabled';

/**
 * The CRDs of the install strategy in upstream's order: 19, and two more when virt-template is deployed; nothing else of the input
 * matters (spec/crds.md §1). Equal parts of schemas are one object, which keeps them small: copy a CRD as JSON before changing it.
 */
export function buildCustomResourceDefinitions(input: Pick<GenerateInput, 'target'>): KubernetesObject[] {
  const withTemplates = input.target.additionalProperties[TEMPLATE_PROPERTY] !== undefined;
  const render = createRenderer(DESCRIPTIONS);
  const rows = withTemplates ? [...STRATEGY_CRDS, ...TEMPLATE_CRDS] : STRATEGY_CRDS;
  return rows.map((row) => ({ ...buildCrd(row, render), status: unobservedStatus() }));
}

/** The CRD `kubevirts.kubevirt.io`, which is installed before the operator and belongs to no strategy. */
export function buildKubeVirtCrd(): KubernetesObject {
  return buildCrd(KUBEVIRT_CRD, createRenderer(DESCRIPTIONS));
}

function buildCrd(row: CrdRow, render: Renderer): KubernetesObject {
  const singular = row.kind.toLowerCase();
  const plural = row.plural ?? `${singular}s`;
  const labels = row.labels ?? { 'kubevirt.io': '' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${row.group}`,
      ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
      ...(row.annotations && { annotations: { ...row.annotations } }),
    },
    spec: {
      ...(row.namesConversion && { conversion: { strategy: 'None' } }),
      group: row.group,
      names: buildNames(row, singular, plural),
      scope: row.clusterScoped ? 'Cluster' : 'Namespaced',
      versions: row.versions.map((version) => buildVersion(row, version, render)),
    },
  };
}

function buildNames(row: CrdRow, singular: string, plural: string): JsonObject {
  return {
    kind: row.kind,
    plural,
    singular,
    ...(row.hasListKind && { listKind: `${row.kind}List` }),
    ...(row.shortNames && { shortNames: [...row.shortNames] }),
    ...(row.inCategoryAll !== false && { categories: ['all'] }),
  };
}

function buildVersion(row: CrdRow, version: CrdVersion, render: Renderer): JsonObject {
  return {
    name: version.name,
    served: true,
    storage: version.storage ?? false,
    ...buildDeprecation(version),
    schema: { openAPIV3Schema: render(row.schema) },
    ...(row.columns && { additionalPrinterColumns: row.columns.map((column) => ({ ...column })) }),
    ...(row.subresources && { subresources: buildSubresources(row.subresources) }),
  };
}

function buildDeprecation({ warning }: CrdVersion): JsonObject {
  if (warning === undefined) return {};
  return { deprecated: true, ...(warning !== '' && { deprecationWarning: warning }) };
}

function buildSubresources(names: readonly ('status' | 'scale')[]): JsonObject {
  const scale = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.labelSelector',
  };
  return Object.fromEntries(names.map((name) => [name, name === 'scale' ? scale : {}]));
}

/** Upstream writes the status of a CRD that no API server has seen into its strategy (spec/crds.md §9). */
function unobservedStatus(): JsonObject {
  return { acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null };
}
