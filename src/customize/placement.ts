import type { ComponentConfig } from '../api/kubevirt.ts';
import { isJsonObject, type Json, type JsonObject } from '../api/objects.ts';

/** Which default applies: control-plane components go to control-plane nodes, workloads anywhere (spec/apply.md §4.2). */
export type PlacementClass = 'infra' | 'workloads';

interface Placement {
  nodeSelector?: Record<string, string>;
  affinity?: JsonObject;
  tolerations?: readonly JsonObject[];
}

const exists = (role: string): JsonObject => ({ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' });
const CONTROL_PLANE_ROLES = ['control-plane', 'master'];

/** Control-plane nodes only, and among them rather one that is no worker too. */
const CONTROL_PLANE: Placement = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: CONTROL_PLANE_ROLES.map((role) => ({ matchExpressions: [exists(role)] })),
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          preference: { matchExpressions: [{ ...exists('worker'), operator: 'DoesNotExist' }] },
        },
      ],
    },
  },
  tolerations: CONTROL_PLANE_ROLES.map((role) => ({ ...exists(role), effect: 'NoSchedule' })),
};

/**
 * Returns a copy of a pod spec with the placement that the KubeVirt object asks for (spec/apply.md §4.2). A placement of the user's replaces the
 * default whole; what the pod spec itself says about nodes wins over both, and lists are joined, the pod's first.
 */
export function injectPlacement(
  podSpec: JsonObject,
  component: ComponentConfig | undefined,
  placementClass: PlacementClass,
): JsonObject {
  const placement: Placement = component?.nodePlacement ?? (placementClass === 'infra' ? CONTROL_PLANE : {});
  const pod = structuredClone(podSpec);
  const tolerations = [...asList(pod['tolerations']), ...structuredClone(placement.tolerations ?? [])];
  return {
    ...pod,
    nodeSelector: { 'kubernetes.io/os': 'linux', ...placement.nodeSelector, ...asObject(pod['nodeSelector']) },
    ...(placement.affinity === undefined
      ? {}
      : { affinity: joinAffinity(asObject(pod['affinity']), structuredClone(placement.affinity)) }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  };
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const asList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Affinities are trees whose leaves are lists: branches that only one side has are taken over, lists that both have are joined. */
function joinAffinity(own: JsonObject, added: JsonObject): JsonObject {
  const joined = Object.entries(added).map(([field, value]): [string, Json | undefined] => {
    const existing = own[field];
    if (existing === undefined || existing === null) return [field, value];
    if (Array.isArray(existing)) return [field, [...existing, ...asList(value)]];
    return [field, joinAffinity(asObject(existing), asObject(value))];
  });
  return { ...own, ...Object.fromEntries(joined) };
}
