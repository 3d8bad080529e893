import type { KubernetesObject } from '../api/objects.ts';
import type { InstallStrategy } from '../strategy/types.ts';

/** apiVersions that upstream's generator writes without a group or a version (spec/resources.md §0.5). */
const UPSTREAM_API_VERSION: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'v1',
  ValidatingAdmissionPolicyBinding: 'v1',
  ServiceMonitor: 'monitoring.coreos.com',
};

/** Objects of the bundled virt-template carry this annotation; their apiVersions are complete. */
const BUNDLE_ANNOTATION = 'template.kubevirt.io/virt-template-version';

/**
 * The objects of a strategy as upstream writes them: the CA ConfigMaps stand twice, and some apiVersions are incomplete (spec/resources.md §0).
 * Upstream's reader undoes both, so does `buildInstallStrategy`.
 */
export function toUpstreamForm(strategy: InstallStrategy): KubernetesObject[] {
  const configMaps = strategy.ofKind('ConfigMap');
  const lastConfigMap = configMaps.at(-1);
  return strategy.objects.map(asUpstreamWrites).flatMap((object, index) => {
    const isLast = lastConfigMap !== undefined && strategy.objects[index] === lastConfigMap;
    return isLast ? [object, ...configMaps] : [object];
  });
}

function asUpstreamWrites(object: KubernetesObject): KubernetesObject {
  const apiVersion = UPSTREAM_API_VERSION[object.kind];
  const isBundled = BUNDLE_ANNOTATION in (object.metadata.annotations ?? {});
  return apiVersion === undefined || isBundled ? object : { ...object, apiVersion };
}
