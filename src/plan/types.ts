import type { ClusterFeatures } from '../api/features.ts';
import type { KindName } from '../api/kinds.ts';
import type { GenerationStatus, KubeVirt } from '../api/kubevirt.ts';
import type { Json, KubernetesObject } from '../api/objects.ts';
import type { InstallStrategy, TargetDeployment } from '../strategy/types.ts';

export type { ClusterFeatures } from '../api/features.ts';

/** The managed objects of the cluster as one pass sees them: the caches, and over them the answers to this pass's own writes. */
export interface World {
  get(kind: KindName, name: string, namespace?: string): KubernetesObject | undefined;
  list(kind: KindName): readonly KubernetesObject[];
}

/** One operation of a JSON Patch. */
export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'test';
  path: string;
  value?: Json;
}

/** A certificate to make: the executor creates the key pair, signs, and puts `tls.crt` and `tls.key` into the Secret that it writes. */
export interface CertificateRequest {
  commonName: string;
  isCa: boolean;
  dnsNames: readonly string[];
  /** Absent for a CA. */
  usage?: 'server' | 'client';
  notBefore: Date;
  notAfter: Date;
  /** Secret data of the CA that signs; absent: self-signed. */
  signer?: { certificatePem: string; privateKeyPem: string };
}

/** A planned write. Every action can be repeated: planned again after it was done, it is not planned any more. */
export type Action =
  | {
      verb: 'create';
      kind: KindName;
      object: KubernetesObject;
      certificate?: CertificateRequest;
      /** Stored as `hash` beside the generation of the answer (src/plan/generations.ts). */
      hash?: string;
    }
  | { verb: 'replace'; kind: KindName; object: KubernetesObject; certificate?: CertificateRequest }
  | {
      verb: 'patch';
      kind: KindName;
      name: string;
      namespace?: string;
      operations: readonly JsonPatchOperation[];
      /** Sub-resource to patch, for example `status`. */
      subresource?: string;
      /** New key pair: the executor appends `replace /data`. */
      certificate?: CertificateRequest;
      /** The generation in the answer is not to be recorded in status.generations (spec/apply.md §5.1 and §5.6). */
      unrecorded?: true;
      /** Stored as `hash` beside the generation of the answer (src/plan/generations.ts). */
      hash?: string;
    }
  | { verb: 'merge'; kind: KindName; name: string; namespace?: string; patch: Json }
  | {
      verb: 'delete';
      kind: KindName;
      name: string;
      namespace?: string;
      /** Precondition: only this very object. */
      uid?: string;
      gracePeriodSeconds?: number;
      propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
    };

/** A Kubernetes Event to record (spec/reconcile.md §7). */
export interface PlannedEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** Told a single time, in the log as well, however often it is recorded and by whom. */
  once?: true;
  about: { apiVersion: string; kind: string; name: string; namespace?: string; uid?: string };
}

/** What one step wants: writes that may run side by side, and whether the pass may go on after them. */
export interface StepPlan {
  actions: Action[];
  events?: PlannedEvent[];
  /** What cannot be reached and why: the pass goes on with the next steps, and then counts as failed with these sentences. */
  problems?: string[];
  /** The pass ends after the actions and is continued by a later event; text says what is awaited. */
  stop?: string;
  /** With `stop`: only another look at the cluster is awaited, and the next pass follows at once. Default: false. */
  isResumedAtOnce?: boolean;
  /**
   * Within the pass, after the actions: hold until this is true of the world (re-evaluated at each change), for at most `timeoutMs`; then like `stop`,
   * or with `isOptional` on to the next step all the same. For short, certain waits alone: a CRD that becomes Established.
   */
  until?: { awaited: string; isTrue: (world: World) => boolean; timeoutMs: number; isOptional?: true };
}

/** Everything that a step may decide from. Steps get the world as it is after the steps before them. */
export interface PassContext {
  readonly kubeVirt: KubeVirt;
  readonly target: TargetDeployment;
  /** After customizeComponents. Never changed. */
  readonly strategy: InstallStrategy;
  /** Objects of the strategy that could not be customised: neither written nor removed. Whoever sets this lets the pass count as failed. */
  readonly leftAlone?: readonly { kind: string; name: string; namespace?: string }[];
  /** CRDs that are to lose a version and of which no object exists; read live, because caches do not know. */
  readonly emptyDefinitions?: readonly string[];
  /** What no rollout of virt-handler is to disturb, and until when at the latest; absent: nothing, or no step has asked yet (`Step.startsRollout`). */
  readonly rolloutHold?: RolloutHold;
  readonly operatorNamespace: string;
  readonly features: ClusterFeatures;
  /** Number of nodes with label kubevirt.io/schedulable=true. */
  readonly schedulableNodes: number;
  readonly world: World;
  /** status.generations, with what this pass has written so far. */
  readonly generations: readonly GenerationStatus[];
  /** When the pass began. */
  readonly now: Date;
}

/** What keeps rollouts from being started (spec/field-reports.md B28). */
export interface RolloutHold {
  /** What has to be over before, for people. */
  awaited: string;
  until: Date;
}

/** One row of the table of steps. `name` is shown to users. */
export interface Step {
  name: string;
  plan: (context: PassContext) => StepPlan;
  /** Whether the plan would start a rollout that can be put off: only then is `rolloutHold` asked for. Default: it would not. */
  startsRollout?: (context: PassContext) => boolean;
}

/** A wish for another pass: at most one is armed per key, the earliest wins. */
export interface WakeUp {
  at: Date;
  reason: string;
}
