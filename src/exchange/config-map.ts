import {
  MANAGED_BY_LABEL,
  MANAGED_BY_VALUE,
  STRATEGY_ENCODING_ANNOTATION,
  STRATEGY_IDENTIFIER_ANNOTATION,
  STRATEGY_LABEL,
  STRATEGY_REGISTRY_ANNOTATION,
  STRATEGY_VERSION_ANNOTATION,
} from '../api/names.ts';
import { objectKey, type KubernetesObject } from '../api/objects.ts';
import { buildInstallStrategy } from '../strategy/install-strategy.ts';
import { decodeManifests, encodeManifests, packText, unpackText } from './manifests.ts';
import type { InstallStrategy, TargetDeployment } from '../strategy/types.ts';
import { toUpstreamForm } from './upstream-form.ts';

/** The single key of a strategy ConfigMap. */
const MANIFESTS_KEY = 'manifests';

/** Begin of the names of strategy ConfigMaps; upstream lets the API server complete it. */
const NAME_PREFIX = 'kubevirt-install-strategy-';

/** The annotations by which strategy ConfigMaps and dump Jobs are found again (spec/strategy.md §1, §4). */
export function strategyAnnotations(target: TargetDeployment): Record<string, string> {
  return {
    [STRATEGY_VERSION_ANNOTATION]: target.kubeVirtVersion,
    [STRATEGY_REGISTRY_ANNOTATION]: target.registry,
    [STRATEGY_IDENTIFIER_ANNOTATION]: target.id,
  };
}

/**
 * The ConfigMap that holds a strategy in upstream's format (spec/strategy.md §1). Its name is made of the deployment ID where upstream lets one be
 * generated: whoever creates it twice gets AlreadyExists, and may replace it.
 */
export function buildStrategyConfigMap(target: TargetDeployment, strategy: InstallStrategy): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...nameOrPrefix(NAME_PREFIX, target.id),
      namespace: target.namespace,
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE, [STRATEGY_LABEL]: '' },
      annotations: { ...strategyAnnotations(target), [STRATEGY_ENCODING_ANNOTATION]: 'gzip+base64' },
    },
    data: { [MANIFESTS_KEY]: packText(encodeManifests(toUpstreamForm(strategy))) },
  };
}

/** A name made of a deployment ID; an ID that fits into no name, as hand-written configs may have, leaves the name to the API server. */
export function nameOrPrefix(prefix: string, id: string, suffix = ''): { name: string } | { generateName: string } {
  return /^[0-9a-f]{8,}$/.test(id)
    ? { name: `${prefix}${id.slice(0, ID_CHARACTERS)}${suffix}` }
    : { generateName: prefix };
}

/** Job names are limited to 63 characters; 48 bits tell deployments apart well enough. */
const ID_CHARACTERS = 12;

/** Reads the strategy out of a ConfigMap, ours or upstream's. Throws an Error that names the ConfigMap and the key. */
export function parseStrategyConfigMap(configMap: KubernetesObject): InstallStrategy {
  const { metadata, data } = configMap;
  const title = `strategy ConfigMap ${objectKey(metadata.name ?? '', metadata.namespace)}`;
  const manifests = data?.[MANIFESTS_KEY];
  if (manifests === undefined) throw new Error(`${title} has no key "${MANIFESTS_KEY}"`);
  try {
    const isPacked = STRATEGY_ENCODING_ANNOTATION in (metadata.annotations ?? {});
    const objects = decodeManifests(isPacked ? unpackText(manifests) : manifests);
    if (objects.length === 0) throw new Error('it holds no objects');
    return buildInstallStrategy(objects);
  } catch (cause) {
    throw new Error(`${title}, key "${MANIFESTS_KEY}"`, { cause });
  }
}

/**
 * The ConfigMaps that hold the strategy of a target, newest first (spec/strategy.md §1.2): in the target's namespace, with its ID, or without any ID
 * but with its version and registry.
 */
export function strategyConfigMapsOf(
  target: TargetDeployment,
  configMaps: readonly KubernetesObject[],
): KubernetesObject[] {
  return configMaps.filter((configMap) => isStrategyOf(target, configMap)).sort(newestFirst);
}

function isStrategyOf(target: TargetDeployment, { metadata }: KubernetesObject): boolean {
  const annotations = metadata.annotations ?? {};
  if (metadata.namespace !== target.namespace || !(STRATEGY_LABEL in (metadata.labels ?? {}))) return false;
  const id = annotations[STRATEGY_IDENTIFIER_ANNOTATION] ?? '';
  if (id !== '') return id === target.id;
  return (
    annotations[STRATEGY_VERSION_ANNOTATION] === target.kubeVirtVersion &&
    annotations[STRATEGY_REGISTRY_ANNOTATION] === target.registry
  );
}

/** Creation times are RFC 3339 in UTC with whole seconds, so their texts sort as the times do. */
function newestFirst(a: KubernetesObject, b: KubernetesObject): number {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (left === right) return 0;
  return left < right ? 1 : -1;
}
