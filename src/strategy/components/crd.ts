import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import type { AnySchema } from '../schema/dsl.ts';
import type { Renderer } from '../schema/render.ts';

/** One version of a CRD. `warning` is what clients of a deprecated version are told; an empty one leaves it to the API server. */
export interface CrdVersion {
  name: string;
  storage?: true;
  warning?: string;
}

/** One printer column. */
export interface CrdColumn {
  name: string;
  jsonPath: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  description?: string;
  /** 1: shown by `kubectl get -o wide` only. */
  priority?: 1;
}

/** What one CRD consists of. All versions have the same schema, columns and subresources and are served. */
export interface CrdRow {
  kind: string;
  group: string;
  schema: AnySchema;
  versions: readonly CrdVersion[];
  /** Irregular plural; else the kind in lower case with an `s`. */
  plural?: string;
  /** Each stands for itself and for its plural with an `s`. */
  shortNames?: readonly string[];
  /** Namespaced kinds are members of the category `all`, unless said otherwise. */
  clusterScoped?: true;
  inCategoryAll?: false;
  hasListKind?: true;
  subresources?: readonly ('status' | 'scale')[];
  /** Writes the conversion strategy `None` out, which is the default. */
  namesConversion?: true;
  columns?: readonly CrdColumn[];
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
}

/** A column; of text unless said otherwise. */
export const column = (
  name: string,
  jsonPath: string,
  type: CrdColumn['type'] = 'string',
  more: Partial<CrdColumn> = {},
): CrdColumn => ({ name, jsonPath, type, ...more });

/** A column with the status of one condition. */
export const condition = (name: string, type: string, more: Partial<CrdColumn> = {}): CrdColumn =>
  column(name, `.status.conditions[?(@.type=='${type}')].status`, 'string', more);

/** API group of the kinds that have no group of their own. */
export const KUBEVIRT = 'kubevirt.io';

/** Versions of the kinds of that group. */
export const CORE_VERSIONS: readonly CrdVersion[] = [
  { name: 'v1', storage: true },
  { name: 'v1alpha3', warning: 'kubevirt.io/v1alpha3 is now deprecated and will be removed in a future release.' },
];

/** When the object was made. */
export const AGE = column('Age', '.metadata.creationTimestamp', 'date');
/** Phase of the object. */
export const PHASE = column('Phase', '.status.phase');

/** Builds a CRD of `apiextensions.k8s.io/v1`, without status. */
export function buildCrd(row: CrdRow, render: Renderer): KubernetesObject {
  const singular = row.kind.toLowerCase();
  const plural = row.plural ?? `${singular}s`;
  const labels = row.labels ?? { 'kubevirt.io': '' };
  const metadata = {
    name: `${plural}.${row.group}`,
    ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
    ...(row.annotations && { annotations: { ...row.annotations } }),
  };
  return objectOf('CustomResourceDefinition', metadata, {
    spec: {
      ...(row.namesConversion && { conversion: { strategy: 'None' } }),
      group: row.group,
      names: buildNames(row, singular, plural),
      scope: row.clusterScoped ? 'Cluster' : 'Namespaced',
      versions: row.versions.map((version) => buildVersion(row, version, render)),
    },
  });
}

function buildNames(row: CrdRow, singular: string, plural: string): JsonObject {
  return {
    kind: row.kind,
    plural,
    singular,
    ...(row.hasListKind && { listKind: `${row.kind}List` }),
    ...(row.shortNames && { shortNames: row.shortNames.flatMap((name) => [name, `${name}s`]) }),
    ...(row.clusterScoped !== true && row.inCategoryAll !== false && { categories: ['all'] }),
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
