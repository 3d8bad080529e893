import type * as schemas from '../core.ts';
import type { TextsOf } from './table.ts';

const podAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution:
    'Weighted wishes: a node gets the weights of all terms that it meets.',
  requiredDuringSchedulingIgnoredDuringExecution:
    'Conditions that a node has to meet, all of them; not checked again for what runs already.',
};

/** Descriptions of `core.ts`. */
export const coreTexts: TextsOf<typeof schemas> = {
  LabelSelectorRequirement: {
    $: 'One condition on a label.',
    key: 'Label that the condition is about.',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'Values for In and NotIn; empty for Exists and DoesNotExist.',
  },
  LabelSelector: {
    matchExpressions: 'Conditions on labels, all of which must hold.',
    matchLabels: 'Labels and the exact values they must have, all of them.',
  },
  LocalObjectReference: { name: 'Name of an object in the same namespace.' },
  TypedLocalObjectReference: {
    apiGroup: 'API group of the object; left out for the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
  },
  TypedObjectReference: {
    apiGroup: 'API group of the object; left out for the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
    namespace: 'Namespace of the object, where another namespace is allowed.',
  },
  NodeSelectorRequirement: {
    $: 'One condition on a node.',
    key: 'Label of the node, or field in matchFields.',
    operator: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    values: 'Values to compare with: none for Exists and DoesNotExist, one integer for Gt and Lt.',
  },
  NodeSelectorTerm: {
    $: 'Conditions on a node, all of which must hold.',
    matchExpressions: 'Conditions on labels of the node.',
    matchFields: 'Conditions on fields of the node, such as metadata.name.',
  },
  NodeSelector: { nodeSelectorTerms: 'Alternatives: a node that fits one of them is fit.' },
  PreferredSchedulingTerm: {
    $: 'A wish for certain nodes and its weight.',
    preference: 'The nodes that are wished for.',
    weight: 'How much the wish counts, 1 to 100.',
  },
  NodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution:
      'Weighted wishes: a node gets the weights of all terms that it meets.',
    requiredDuringSchedulingIgnoredDuringExecution: 'Nodes that are allowed; not checked again for what runs already.',
  },
  PodAffinityTerm: {
    $: 'A group of pods, and the area that counts as "near".',
    labelSelector: 'Pods that are meant, by their labels.',
    matchLabelKeys: 'Labels whose value on the incoming pod is added to the selector.',
    mismatchLabelKeys: 'Labels whose value on the incoming pod is excluded by the selector.',
    namespaceSelector: 'Namespaces in which to look, by their labels; an empty selector means all.',
    namespaces: 'Namespaces in which to look, by name; without these and a selector, the own namespace.',
    topologyKey: 'Label of nodes: nodes with an equal value are near each other.',
  },
  WeightedPodAffinityTerm: {
    $: 'A group of pods and the weight of being near them.',
    podAffinityTerm: 'The group of pods.',
    weight: 'How much the term counts, 1 to 100.',
  },
  PodAffinity: podAffinity,
  PodAntiAffinity: podAffinity,
  Affinity: {
    nodeAffinity: 'Which nodes fit.',
    podAffinity: 'Which pods should be near.',
    podAntiAffinity: 'Which pods should not be near.',
  },
  Toleration: {
    $: 'Taints of nodes that do no harm.',
    effect: 'Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute; empty for all.',
    key: 'Key of the taint; empty for all, together with the operator Exists.',
    operator: 'Exists for any value, or Equal, the default.',
    tolerationSeconds: 'Seconds that a NoExecute taint is endured; without it, for ever.',
    value: 'Value of the taint, for the operator Equal.',
  },
  TopologySpreadConstraint: {
    $: 'How evenly pods are spread over areas of the cluster.',
    labelSelector: 'Pods that are counted.',
    matchLabelKeys: 'Labels whose value on the incoming pod is added to the selector.',
    maxSkew: 'Greatest allowed difference between the fullest and the emptiest area.',
    minDomains: 'Number of areas there should be at least; with fewer, the emptiest counts as holding no pod.',
    nodeAffinityPolicy: 'Honor counts only nodes that selector and affinity allow, Ignore counts all.',
    nodeTaintsPolicy: 'Honor leaves nodes out whose taints are not tolerated, Ignore counts them.',
    topologyKey: 'Label of nodes: nodes with an equal value form an area.',
    whenUnsatisfiable: 'DoNotSchedule waits for a fitting node, ScheduleAnyway takes the least unfit one.',
  },
  PodDNSConfigOption: {
    $: 'One option of the resolver.',
    name: 'Name of the option, for example ndots.',
    value: 'Value of the option, if it takes one.',
  },
  PodDNSConfig: {
    nameservers: 'IP addresses of DNS servers, in addition to those of the policy.',
    options: 'Options of the resolver; they override those of the policy.',
    searches: 'Search domains, in addition to those of the policy.',
  },
  PodResourceClaim: {
    $: 'A claim for devices (dynamic resource allocation), and the name it goes by here.',
    name: 'Name by which devices and networks refer to the claim.',
    resourceClaimName: 'An existing ResourceClaim of the same namespace.',
    resourceClaimTemplateName: 'A template from which a claim is made for this one machine.',
  },
  ExecAction: { command: 'Command and arguments, started without a shell; exit code 0 means healthy.' },
  HTTPHeader: {
    $: 'One header of the request.',
    name: 'Name of the header.',
    value: 'Value of the header.',
  },
  HTTPGetAction: {
    host: 'Host to connect to; the address of the machine when left out.',
    httpHeaders: 'Headers to send along.',
    path: 'Path of the URL.',
    port: 'Port, by number or name.',
    scheme: 'HTTP, the default, or HTTPS.',
  },
  TCPSocketAction: {
    host: 'Host to connect to; the address of the machine when left out.',
    port: 'Port, by number or name.',
  },
  ObjectFieldSelector: {
    apiVersion: 'API version in which the field is looked up, by default v1.',
    fieldPath: 'Path of the field, for example metadata.labels.',
  },
  ResourceFieldSelector: {
    containerName: 'Container whose resources are meant.',
    divisor: 'Unit in which the amount is given, by default 1.',
    resource: 'Resource that is meant, for example limits.cpu.',
  },
  DownwardAPIVolumeFile: {
    $: 'One file with a fact about the pod.',
    fieldRef: 'Field of the pod that the file holds.',
    mode: 'Permission bits of the file; the default of the volume when left out.',
    path: 'Relative path of the file; it must not lead upwards.',
    resourceFieldRef: 'Resource of a container that the file holds.',
  },
  ClaimSource: {
    claimName: 'PersistentVolumeClaim in the same namespace.',
    readOnly: 'Attaches the volume for reading only.',
  },
  VolumeResourceRequirements: {
    limits: 'Greatest amounts.',
    requests: 'Least amounts; storage is the size of the volume.',
  },
  PersistentVolumeClaimSpec: {
    accessModes: 'Ways of access that the volume must offer, for example ReadWriteMany.',
    dataSource: 'Snapshot or claim in the same namespace that the volume starts from.',
    dataSourceRef: 'Object that the volume starts from; takes more kinds than dataSource, and other namespaces.',
    resources: 'Size of the volume.',
    selector: 'Volumes that come into question, by their labels.',
    storageClassName: 'StorageClass that provides the volume.',
    volumeAttributesClassName: 'VolumeAttributesClass with adjustable properties of the volume.',
    volumeMode: 'Filesystem, the default, or Block.',
    volumeName: 'The one PersistentVolume to bind to.',
  },
  ContainerResources: {
    limits: 'Greatest amounts the container may use.',
    requests: 'Amounts that are set aside for the container.',
  },
  Condition: {
    $: 'One aspect of the state of the object.',
    lastTransitionTime: 'When the status last changed.',
    message: 'Explanation for people.',
    observedGeneration: 'Generation of the object that the condition was found for.',
    reason: 'Cause of the last change, for programs.',
    status: 'True, False or Unknown.',
    type: 'Aspect that the condition is about.',
  },
  ProbedCondition: {
    $: 'One aspect of the state of the object.',
    lastProbeTime: 'When the condition was last looked at.',
    lastTransitionTime: 'When the status last changed.',
    message: 'Explanation for people.',
    reason: 'Cause of the last change, for programs.',
    status: 'True, False or Unknown.',
    type: 'Aspect that the condition is about.',
  },
};
