/** Fixed names, labels, annotations and finalizers: the contract with operands, peers and upstream (spec/reconcile.md, spec/apply.md §2). */

/** Label that marks every managed object. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
/** Value of the managed-by label that we write. */
export const MANAGED_BY_VALUE = 'virt-operator';
/** Label selector of managed objects; the second value was used by old releases. */
export const MANAGED_SELECTOR = `${MANAGED_BY_LABEL} in (virt-operator,kubevirt-operator)`;

/** Label: the product that KubeVirt is a component of, as the object names it; else `DEFAULT_COMPONENT`. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
/** Label: the version of that product. */
export const VERSION_LABEL = 'app.kubernetes.io/version';
/** Label: the name of that product. */
export const PART_OF_LABEL = 'app.kubernetes.io/part-of';
/** Value of `COMPONENT_LABEL` where the object names no product. */
export const DEFAULT_COMPONENT = 'kubevirt';

/** Annotation: the KubeVirt version of the strategy that an object was written from. */
export const STRATEGY_VERSION_ANNOTATION = 'kubevirt.io/install-strategy-version';
/** Annotation: the image registry of that strategy. */
export const STRATEGY_REGISTRY_ANNOTATION = 'kubevirt.io/install-strategy-registry';
/** Annotation: the deployment ID of that strategy. */
export const STRATEGY_IDENTIFIER_ANNOTATION = 'kubevirt.io/install-strategy-identifier';
/** Annotation of a strategy ConfigMap whose content is packed: how it is. */
export const STRATEGY_ENCODING_ANNOTATION = 'kubevirt.io/install-strategy-cm-encoding';
/** Label of strategy ConfigMaps and of the Jobs that write them. */
export const STRATEGY_LABEL = 'kubevirt.io/install-strategy';
/** Annotation: the generation of the KubeVirt object that an object was last written for. */
export const GENERATION_ANNOTATION = 'kubevirt.io/generation';
/** Annotation: a hash of the customizations that an object was written with. */
export const CUSTOMIZER_ANNOTATION = 'kubevirt.io/customizer-identifier';
/** Annotation of a certificate Secret: the lifetime that was asked for, as a Go duration. */
export const DURATION_ANNOTATION = 'kubevirt.io/duration';

/** Annotation of the KubeVirt object: the newest version of its API that the operator knows. */
export const LATEST_API_VERSION_ANNOTATION = 'kubevirt.io/latest-observed-api-version';
/** Annotation of the KubeVirt object: the version of its API that is stored. */
export const STORAGE_API_VERSION_ANNOTATION = 'kubevirt.io/storage-observed-api-version';

/** Finalizer of the KubeVirt object: it stays until everything that was installed is gone. */
export const KUBEVIRT_FINALIZER = 'kubevirt.io/foregroundDeleteKubeVirt';
/** What old releases called that finalizer; only ever taken away. */
export const DEPRECATED_KUBEVIRT_FINALIZER = 'foregroundDeleteKubeVirt';
/** Finalizer put on CRDs during removal only. */
export const CRD_FINALIZER = 'kubevirt.io/virtOperatorFinalizer';

/** Label that virt-handler puts on its node: whether machines may be placed there. */
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';
/** Label of a virt-handler that trusts migration certificates by their common name. */
export const SUPPORTS_MIGRATION_CN_LABEL = 'kubevirt.io/supports-migration-cn-types';
/** How the name of the webhook begins that blocks changes until virt-api has rolled out (spec/apply.md §5.10). */
export const TEMPORARY_WEBHOOK_PREFIX = 'virt-operator-tmp-webhook';
/** The Lease of an upstream operator's leader, and of ours while Redis is away. */
export const OPERATOR_LEASE = 'virt-operator';
/** The Lease of the leading virt-synchronization-controller. */
export const SYNCHRONIZATION_LEASE = 'virt-synchronization-controller';
