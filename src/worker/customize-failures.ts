import type { Step } from '../plan/types.ts';
import type { CustomizeFailure } from '../customize/customize.ts';

/**
 * The steps after one that tells the failures as problems: an unusable patch stops nothing that it does not concern (spec/field-reports.md B34). The
 * objects that it does concern are `leftAlone` in the context of the pass.
 */
export function withFailures(steps: readonly Step[], failures: readonly CustomizeFailure[]): readonly Step[] {
  if (failures.length === 0) return steps;
  const problems = [...new Set(failures.map(({ message }) => message))];
  return [{ name: 'customizations', plan: () => ({ actions: [], problems }) }, ...steps];
}
