/** Types of Kubernetes core/v1 and meta/v1 that the kinds of KubeVirt embed. */
import {
  atomic,
  atomicObject,
  bool,
  int32,
  int64,
  intOrString,
  map,
  object,
  oneOf,
  quantity,
  string,
  time,
} from './dsl.ts';

export const LabelSelectorRequirement = object({
  key: string.required,
  operator: string.required,
  values: atomic(string),
});

export const LabelSelector = atomicObject({
  matchExpressions: atomic(LabelSelectorRequirement),
  matchLabels: map(string),
});

export const LocalObjectReference = atomicObject({ name: string.default('') });

export const TypedLocalObjectReference = atomicObject({
  apiGroup: string,
  kind: string.required,
  name: string.required,
});

export const TypedObjectReference = object({ ...TypedLocalObjectReference.fields, namespace: string });

export const NodeSelectorRequirement = object({ ...LabelSelectorRequirement.fields });

export const NodeSelectorTerm = atomicObject({
  matchExpressions: atomic(NodeSelectorRequirement),
  matchFields: atomic(NodeSelectorRequirement),
});

export const NodeSelector = atomicObject({ nodeSelectorTerms: atomic(NodeSelectorTerm).required });

export const PreferredSchedulingTerm = object({
  preference: NodeSelectorTerm.required,
  weight: int32.required,
});

export const NodeAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: atomic(PreferredSchedulingTerm),
  requiredDuringSchedulingIgnoredDuringExecution: NodeSelector,
});

export const PodAffinityTerm = object({
  labelSelector: LabelSelector,
  matchLabelKeys: atomic(string),
  mismatchLabelKeys: atomic(string),
  namespaceSelector: LabelSelector,
  namespaces: atomic(string),
  topologyKey: string.required,
});

export const WeightedPodAffinityTerm = object({
  podAffinityTerm: PodAffinityTerm.required,
  weight: int32.required,
});

export const PodAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: atomic(WeightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: atomic(PodAffinityTerm),
});

export const PodAntiAffinity = object({ ...PodAffinity.fields });

export const Affinity = object({
  nodeAffinity: NodeAffinity,
  podAffinity: PodAffinity,
  podAntiAffinity: PodAntiAffinity,
});

export const Toleration = object({
  effect: string,
  key: string,
  operator: string,
  tolerationSeconds: int64,
  value: string,
});

export const TopologySpreadConstraint = object({
  labelSelector: LabelSelector,
  matchLabelKeys: atomic(string),
  maxSkew: int32.required,
  minDomains: int32,
  nodeAffinityPolicy: string,
  nodeTaintsPolicy: string,
  topologyKey: string.required,
  whenUnsatisfiable: string.required,
});

export const PodDNSConfigOption = object({ name: string, value: string });

export const PodDNSConfig = object({
  nameservers: atomic(string),
  options: atomic(PodDNSConfigOption),
  searches: atomic(string),
});

export const PodResourceClaim = object({
  name: string.required,
  resourceClaimName: string,
  resourceClaimTemplateName: string,
});

export const ExecAction = object({ command: atomic(string) });

export const HTTPHeader = object({ name: string.required, value: string.required });

export const HTTPGetAction = object({
  host: string,
  httpHeaders: atomic(HTTPHeader),
  path: string,
  port: intOrString.required,
  scheme: string,
});

export const TCPSocketAction = object({ host: string, port: intOrString.required });

export const ObjectFieldSelector = atomicObject({
  apiVersion: string,
  fieldPath: string.required,
});

export const ResourceFieldSelector = atomicObject({
  containerName: string,
  divisor: quantity,
  resource: string.required,
});

export const DownwardAPIVolumeFile = object({
  fieldRef: ObjectFieldSelector,
  mode: int32,
  path: string.required,
  resourceFieldRef: ResourceFieldSelector,
});

export const ClaimSource = object({ claimName: string.required, readOnly: bool });

export const ContainerResources = object({ limits: map(quantity), requests: map(quantity) });

export const VolumeResourceRequirements = object({ ...ContainerResources.fields });

/** What every form of a claim says about the volume. */
export const claimFields = {
  accessModes: atomic(string),
  dataSource: TypedLocalObjectReference,
  dataSourceRef: TypedObjectReference,
  resources: VolumeResourceRequirements,
  selector: LabelSelector,
  storageClassName: string,
  volumeMode: string,
  volumeName: string,
};

export const PersistentVolumeClaimSpec = object({ ...claimFields, volumeAttributesClassName: string });

export const Condition = object({
  lastTransitionTime: time.required,
  message: string.with({ maxLength: 32768 }).required,
  observedGeneration: int64.with({ minimum: 0 }),
  reason: string.with({ minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' }).required,
  status: oneOf('True', 'False', 'Unknown').required,
  type: string.with({
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  }).required,
});

export const ProbedCondition = object({
  lastProbeTime: time.nullable,
  lastTransitionTime: time.nullable,
  message: string,
  reason: string,
  status: string.required,
  type: string.required,
});
