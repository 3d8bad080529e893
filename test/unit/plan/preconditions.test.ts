import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decideSteps } from '../../../src/plan/steps.ts';
import { TEARDOWN_STEPS } from '../../../src/plan/teardown.ts';
import type { Action, Step } from '../../../src/plan/types.ts';
import { Installation } from './drive.ts';

/** L13: whoever believes to lead and does not must fail, not overwrite. */
function hasPrecondition(action: Action): boolean {
  switch (action.verb) {
    case 'create':
      return true;
    case 'replace':
      return action.object.metadata.resourceVersion !== undefined;
    case 'delete':
      return action.uid !== undefined;
    case 'merge':
      return JSON.stringify(action.patch).includes('"resourceVersion"');
    case 'patch':
      return action.operations[0]?.op === 'test';
  }
}

/** The same steps, with every plan handed to `look`. */
const watched = (steps: readonly Step[], look: (actions: readonly Action[]) => void): Step[] =>
  steps.map((step) => ({
    ...step,
    plan: (context) => {
      const plan = step.plan(context);
      look(plan.actions);
      return plan;
    },
  }));

describe('every write', () => {
  it('L13: carries a precondition, on every path; B69: no patch but JSON Patch, and one merge patch of a core kind', async () => {
    const verbs = new Set<string>();
    const look = (actions: readonly Action[]): void => {
      for (const action of actions) {
        assert.ok(hasPrecondition(action), JSON.stringify(action).slice(0, 300));
        verbs.add(action.verb === 'merge' ? `merge ${action.kind}` : action.verb);
      }
    };
    const installation = new Installation();
    const converge = async () => {
      for (let i = 0; i < 8; i++) {
        const { isComplete } = await installation.pass(watched(decideSteps(installation.context()), look));
        if (isComplete) break;
        installation.cluster.settle();
      }
      installation.observe();
    };
    await converge();
    installation.edit({ imageTag: 'v1.9.1' });
    await converge();
    installation.edit({ infra: { replicas: 1 }, configuration: { commonInstancetypesDeployment: { enabled: false } } });
    await converge();
    await installation.pass(watched(TEARDOWN_STEPS, look));
    assert.deepEqual([...verbs].sort(), ['create', 'delete', 'merge Namespace', 'patch', 'replace']);
  });

  it('is planned the same twice: a plan changes nothing by itself', () => {
    const context = new Installation().context();
    for (const step of decideSteps(context)) {
      if (step.name === 'namespace label') break;
      assert.deepEqual(step.plan(context).actions, step.plan(context).actions, step.name);
    }
  });
});
