/** Fixed names, labels, annotations and finalizers: the contract with operands, peers and upstream (spec/reconcile.md, spec/apply.md §2). */

/** Label that marks every managed object. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
/** Value of the managed-by label that we write. */
export const MANAGED_BY_VALUE = 'virt-operator';
/** Label selector of managed objects; the second value was used by old releases. */
export const MANAGED_SELECTOR = `${MANAGED_BY_LABEL} in (virt-operator,kubevirt-operator)`;

export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const VERSION_LABEL = 'app.kubernetes.io/version';
export const PART_OF_LABEL = 'app.kubernetes.io/part-of';
export const DEFAULT_COMPONENT = 'kubevirt';

export const STRATEGY_VERSION_ANNOTATION = 'kubevirt.io/install-strategy-version';
export const STRATEGY_REGISTRY_ANNOTATION = 'kubevirt.io/install-strategy-registry';
export const STRATEGY_IDENTIFIER_ANNOTATION = 'kubevirt.io/install-strategy-identifier';
export const STRATEGY_ENCODING_ANNOTATION = 'kubevirt.io/install-strategy-cm-encoding';
/** Label of strategy ConfigMaps and of the Jobs that write them. */
export const STRATEGY_LABEL = 'kubevirt.io/install-strategy';
export const GENERATION_ANNOTATION = 'kubevirt.io/generation';
export const CUSTOMIZER_ANNOTATION = 'kubevirt.io/customizer-identifier';
export const DURATION_ANNOTATION = 'kubevirt.io/duration';

export const LATEST_API_VERSION_ANNOTATION = 'kubevirt.io/latest-observed-api-version';
export const STORAGE_API_VERSION_ANNOTATION = 'kubevirt.io/storage-observed-api-version';

export const KUBEVIRT_FINALIZER = 'kubevirt.io/foregroundDeleteKubeVirt';
export const DEPRECATED_KUBEVIRT_FINALIZER = 'foregroundDeleteKubeVirt';
/** Finalizer put on CRDs during removal only. */
export const CRD_FINALIZER = 'kubevirt.io/virtOperatorFinalizer';

export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';
export const SUPPORTS_MIGRATION_CN_LABEL = 'kubevirt.io/supports-migration-cn-types';
export const TEMPORARY_WEBHOOK_PREFIX = 'virt-operator-tmp-webhook';
export const OPERATOR_LEASE = 'virt-operator';
export const SYNCHRONIZATION_LEASE = 'virt-synchronization-controller';
