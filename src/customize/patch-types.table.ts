/**
 * How strategic merge patches treat the lists of a type: those that are not named are replaced whole, as are lists inside types that are not named.
 * The facts are the patch tags of the Kubernetes API types, for the kinds that can be customized.
 */
export interface PatchType {
  /** The list is a list of objects, merged by this member. */
  mergeKey?: string;
  /** The list is a list of plain values, merged as a set. */
  isSet?: true;
  /** Members of the object, or of the list's objects, that need mention. */
  members?: Readonly<Record<string, PatchType>>;
}

type Members = Readonly<Record<string, PatchType>>;

const by = (mergeKey: string, members: Members = {}): PatchType => ({ mergeKey, members });
const object = (members: Members): PatchType => ({ members });

const METADATA = object({ ownerReferences: by('uid'), finalizers: { isSet: true } });

const CONTAINERS = by('name', {
  ports: by('containerPort'),
  env: by('name'),
  volumeMounts: by('mountPath'),
  volumeDevices: by('devicePath'),
});

const POD_SPEC = object({
  containers: CONTAINERS,
  initContainers: CONTAINERS,
  ephemeralContainers: CONTAINERS,
  volumes: by('name'),
  imagePullSecrets: by('name'),
  hostAliases: by('ip'),
  topologySpreadConstraints: by('topologyKey'),
  resourceClaims: by('name'),
  schedulingGates: by('name'),
});

const STATUS = object({ conditions: by('type') });
const WORKLOAD = object({
  metadata: METADATA,
  spec: object({ template: object({ metadata: METADATA, spec: POD_SPEC }) }),
  status: STATUS,
});
const WEBHOOKS = object({ metadata: METADATA, webhooks: by('name', { matchConditions: by('name') }) });

/** The customizable kinds (spec/apply.md §7). */
export const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  Deployment: WORKLOAD,
  DaemonSet: WORKLOAD,
  Job: WORKLOAD,
  Service: object({ metadata: METADATA, spec: object({ ports: by('port') }), status: STATUS }),
  Secret: object({ metadata: METADATA }),
  ValidatingWebhookConfiguration: WEBHOOKS,
  MutatingWebhookConfiguration: WEBHOOKS,
  APIService: object({ metadata: METADATA, status: STATUS }),
};
