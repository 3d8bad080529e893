import type { CustomizeComponents } from '../api/kubevirt.ts';
import type { Failure } from '../apply/execute.ts';
import { findPatches, type CustomizeFailure } from '../customize/customize.ts';
import { isContentRefused } from '../errors.ts';
import type { Step } from '../plan/types.ts';

/**
 * The steps after one that tells the failures as problems: an unusable patch stops nothing that it does not concern (spec/field-reports.md B34). The
 * objects that it does concern are `leftAlone` in the context of the pass.
 */
export function withFailures(steps: readonly Step[], failures: readonly CustomizeFailure[]): readonly Step[] {
  if (failures.length === 0) return steps;
  const problems = [...new Set(failures.map(({ message }) => message))];
  return [{ name: 'customizations', plan: () => ({ actions: [], problems }) }, ...steps];
}

/** The failures, where the API server refuses a customised object with the places of the patches that it may be about (spec/field-reports.md B34). */
export function namePatches(
  failures: readonly Failure[],
  customizeComponents: CustomizeComponents | undefined,
): readonly Failure[] {
  return failures.map((failure) => {
    const { object = '', error } = failure;
    const [kind = '', key = ''] = object.split(' ');
    const places = isContentRefused(error.cause)
      ? findPatches(customizeComponents, { kind, name: key.slice(key.lastIndexOf('/') + 1) })
      : [];
    if (places.length === 0) return failure;
    const named = new Error(`${error.message}, changed by ${places.join(', ')}`, { cause: error.cause });
    return { ...failure, error: named };
  });
}
