import { DEPRECATED_KUBEVIRT_FINALIZER, KUBEVIRT_FINALIZER } from '../api/names.ts';

/** The finalizers with ours last and without its old name; a list that is so already stays as it is (spec/reconcile.md §2.1). */
export function withFinalizer(finalizers: readonly string[]): string[] {
  return [...withoutFinalizer(finalizers), KUBEVIRT_FINALIZER];
}

/** The finalizers without ours, under either name. */
export function withoutFinalizer(finalizers: readonly string[]): string[] {
  return finalizers.filter((each) => each !== KUBEVIRT_FINALIZER && each !== DEPRECATED_KUBEVIRT_FINALIZER);
}
