import { objectKey } from '../api/objects.ts';
import { targetOf } from '../apply/perform.ts';
import type { Action, Step } from '../plan/types.ts';
import type { CustomizeFailure } from '../customize/customize.ts';

/**
 * The steps without any write of the objects that a customize patch could not be applied to, and with the failures as problems: an unusable patch stops
 * nothing that it does not concern, and what it concerns stays as it is (spec/field-reports.md B34).
 */
export function leaveAlone(steps: readonly Step[], failures: readonly CustomizeFailure[]): readonly Step[] {
  if (failures.length === 0) return steps;
  const untouched = new Set(failures.map(({ object }) => `${object.kind} ${objectKey(object.name, object.namespace)}`));
  const isTouched = (action: Action) => {
    const { kind, name, namespace } = targetOf(action);
    return !untouched.has(`${kind} ${objectKey(name, namespace)}`);
  };
  const problems = [...new Set(failures.map(({ message }) => message))];
  return [
    { name: 'customizations', plan: () => ({ actions: [], problems }) },
    ...steps.map((step): Step => ({
      ...step,
      plan: (context) => {
        const plan = step.plan(context);
        return { ...plan, actions: plan.actions.filter(isTouched) };
      },
    })),
  ];
}
