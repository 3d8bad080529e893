import type { KubeVirtSpec } from '../api/kubevirt.ts';
import { isLabelValue } from '../api/label-value.ts';
import {
  COMPONENT_LABEL,
  CUSTOMIZER_ANNOTATION,
  DEFAULT_COMPONENT,
  GENERATION_ANNOTATION,
  MANAGED_BY_LABEL,
  MANAGED_BY_VALUE,
  PART_OF_LABEL,
  STRATEGY_IDENTIFIER_ANNOTATION,
  STRATEGY_REGISTRY_ANNOTATION,
  STRATEGY_VERSION_ANNOTATION,
  VERSION_LABEL,
} from '../api/names.ts';
import type { KubernetesObject, ObjectMeta } from '../api/objects.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { isManaged } from './managed.ts';
import type { PassContext } from './types.ts';

/** Labels or annotations. */
export type StringMap = Readonly<Record<string, string>>;

/** The three annotations that say which deployment an object or a pod belongs to (spec/apply.md §2). */
export function buildTargetAnnotations(target: TargetDeployment): StringMap {
  return {
    [STRATEGY_VERSION_ANNOTATION]: target.kubeVirtVersion,
    [STRATEGY_REGISTRY_ANNOTATION]: target.registry,
    [STRATEGY_IDENTIFIER_ANNOTATION]: target.id,
  };
}

/** Labels on every managed object and on its pods (spec/apply.md §2). Invalid product fields are left out, see `findInvalidProductFields`. */
export function buildProductLabels(spec: KubeVirtSpec): StringMap {
  const labels: Record<string, string> = { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE };
  labels[COMPONENT_LABEL] = usable(spec.productComponent) ?? DEFAULT_COMPONENT;
  const version = usable(spec.productVersion);
  if (version !== undefined) labels[VERSION_LABEL] = version;
  const name = usable(spec.productName);
  if (name !== undefined) labels[PART_OF_LABEL] = name;
  return labels;
}

/** The product fields of the spec whose values cannot be labels; they are ignored and should be reported (spec/apply.md §1). */
export function findInvalidProductFields(spec: KubeVirtSpec): string[] {
  const fields = ['productVersion', 'productName', 'productComponent'] as const;
  return fields.filter((field) => !isLabelValue(spec[field] ?? '')).map((field) => `spec.${field}`);
}

function usable(value: string | undefined): string | undefined {
  return value !== undefined && value !== '' && isLabelValue(value) ? value : undefined;
}

/** What the metadata of managed objects is made from. */
export type MetadataContext = Pick<PassContext, 'kubeVirt' | 'target'>;

/** `metadata` that an object of the strategy gets in the cluster: its own, our labels and annotations over it (spec/apply.md §2). */
export function buildMetadata(metadata: ObjectMeta, context: MetadataContext): ObjectMeta {
  const { kubeVirt, target } = context;
  return {
    ...metadata,
    labels: { ...metadata.labels, ...buildProductLabels(kubeVirt.spec) },
    annotations: {
      ...metadata.annotations,
      ...buildTargetAnnotations(target),
      [GENERATION_ANNOTATION]: String(kubeVirt.metadata.generation ?? 0),
    },
  };
}

/**
 * Whether every wanted label and annotation is there. Extra keys of others are no difference, and the generation annotation alone is none either
 * (design decision 9).
 */
export function isMetadataCurrent(wanted: ObjectMeta, live: ObjectMeta): boolean {
  return isContained(wanted.labels, live.labels) && isContained(wanted.annotations, live.annotations);
}

function isContained(wanted: StringMap = {}, live: StringMap = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => key === GENERATION_ANNOTATION || live[key] === value);
}

/** Whether an object was last written for this target. Unlike upstream's check it does not look at the generation annotation (design decision 9). */
export function matchesTarget(object: KubernetesObject, target: TargetDeployment): boolean {
  return isManaged(object) && hasTargetAnnotations(object.metadata.annotations, target);
}

/** Whether annotations, of an object or of a pod, name this target. */
export function hasTargetAnnotations(annotations: StringMap | undefined, target: TargetDeployment): boolean {
  return isContained(buildTargetAnnotations(target), annotations);
}

/** Whether annotations name the release of this target, in whichever of its deployments. */
export function hasTargetRelease(annotations: StringMap | undefined, target: TargetDeployment): boolean {
  return (
    annotations?.[STRATEGY_VERSION_ANNOTATION] === target.kubeVirtVersion &&
    annotations[STRATEGY_REGISTRY_ANNOTATION] === target.registry
  );
}

/**
 * Labels and annotations to write over `live`: the wanted ones, and those of others. Upstream replaces both maps as a whole and so drops what others
 * have put there; a stale key of our own is dropped here too, so that operands and peers see what they saw with upstream. Own keys are recognised by
 * their domain, and when customizeComponents has changed (its hash differs) by upstream's rule: then a key may be one that an earlier patch had set.
 */
export function mergeMetadata(wanted: ObjectMeta, live: ObjectMeta): { labels: StringMap; annotations: StringMap } {
  const isCustomizerCurrent = wanted.annotations?.[CUSTOMIZER_ANNOTATION] === live.annotations?.[CUSTOMIZER_ANNOTATION];
  const isForeign = isCustomizerCurrent ? (key: string) => !isOwnKey(key) : isSystemKey;
  return {
    labels: mergeMap(wanted.labels, live.labels, isForeign),
    annotations: mergeMap(wanted.annotations, live.annotations, isForeign),
  };
}

function mergeMap(wanted: StringMap = {}, live: StringMap = {}, isForeign: (key: string) => boolean): StringMap {
  const kept = Object.entries(live).filter(([key]) => key in wanted || isForeign(key));
  return { ...Object.fromEntries(kept), ...wanted };
}

function domainOf(key: string): string {
  const slash = key.indexOf('/');
  return slash === -1 ? '' : key.slice(0, slash);
}

function isOwnKey(key: string): boolean {
  const domain = domainOf(key);
  return (
    key === 'kubevirt.io' || domain === 'kubevirt.io' || domain.endsWith('.kubevirt.io') || OWN_PRODUCT_KEYS.has(key)
  );
}

const OWN_PRODUCT_KEYS: ReadonlySet<string> = new Set([COMPONENT_LABEL, VERSION_LABEL, PART_OF_LABEL]);

/** Keys of Kubernetes itself, for example the revision of a Deployment: never ours to drop. */
function isSystemKey(key: string): boolean {
  const domain = domainOf(key);
  if (domain === 'app.kubernetes.io') return false;
  return /(^|\.)(kubernetes|k8s)\.io$/.test(domain) || key.startsWith('deprecated.daemonset.');
}
