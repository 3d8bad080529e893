import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { ApiClient } from '../../../src/apply/client.ts';
import { runSteps, type RunOptions } from '../../../src/apply/execute.ts';
import { ApiError, PassAborted } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import type { PassContext, RolloutHold, Step } from '../../../src/plan/types.ts';
import { SmallCluster } from '../worker/small-cluster.ts';

const log = createLog({ role: 'test', verbosity: 0, destination: process.stdout });
log.level = 'silent';

const conflict = new ApiError('the object has been modified', { status: 409, reason: 'Conflict' });
const refused = new ApiError('no', { status: 403, reason: 'Forbidden' });
const HOLD: RolloutHold = { awaited: '1 migration', until: new Date('2026-01-01T00:01:00Z') };

/** A client that creates everything, unless `create` says otherwise. */
function clientOf(
  create: (object: KubernetesObject) => Promise<KubernetesObject> = (object) => Promise.resolve(object),
) {
  return {
    create: (_kind: string, object: KubernetesObject) => create(object),
    find: () => Promise.resolve(undefined),
  };
}

function optionsOf(given: Omit<Partial<RunOptions>, 'client'> & { client?: unknown } = {}): RunOptions {
  return {
    context: {} as PassContext,
    generations: [],
    store: new SmallCluster(),
    signal: new AbortController().signal,
    log,
    ...given,
    client: (given.client ?? clientOf()) as ApiClient,
  };
}

const quiet: Step = { name: 'quiet', plan: () => ({ actions: [] }) };

/** A step that creates one ConfigMap, whether it is there or not. */
function create(name: string): Step {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n' } };
  return { name, plan: () => ({ actions: [{ verb: 'create', kind: 'ConfigMap', object }] }) };
}

describe('a hold on rollouts', () => {
  it('B28: is asked for only by a step that would start a rollout, and once', async () => {
    let asked = 0;
    const findRolloutHold = () => {
      asked++;
      return Promise.resolve(HOLD);
    };
    const idle: Step = { ...quiet, startsRollout: () => false };
    await runSteps([quiet, idle], optionsOf({ findRolloutHold }));
    assert.equal(asked, 0, 'nothing would be held');
    const seen: (RolloutHold | undefined)[] = [];
    const plan: Step['plan'] = ({ rolloutHold }) => {
      seen.push(rolloutHold);
      return { actions: [] };
    };
    const starting: Step = { name: 'rollout', startsRollout: () => true, plan };
    const { context } = await runSteps([starting, { name: 'gate', plan }, starting], optionsOf({ findRolloutHold }));
    assert.deepEqual(seen, [HOLD, HOLD, HOLD]);
    assert.equal(context.rolloutHold, HOLD);
    assert.equal(asked, 1);
  });

  it('B28: that is looked for when the pass is ended ends with it', async () => {
    const ending = new AbortController();
    const findRolloutHold = () => {
      ending.abort(new PassAborted('over'));
      return Promise.resolve(undefined);
    };
    const starting: Step = { ...create('late'), startsRollout: () => true };
    await assert.rejects(runSteps([starting], optionsOf({ findRolloutHold, signal: ending.signal })), PassAborted);
  });
});

describe('a newer wish while a step runs', () => {
  it('ends the run without a failure when the step only has to be planned again', async () => {
    let attempts = 0;
    const client = clientOf(() => {
      attempts++;
      return Promise.reject(conflict);
    });
    const report = await runSteps([create('a'), quiet], optionsOf({ client, isOutdated: () => true }));
    assert.deepEqual(report.failures, []);
    assert.equal(report.stopped?.step, 'a');
    assert.equal(attempts, 1);
  });

  it('hides no failure that no repetition can mend', async () => {
    const client = clientOf(() => Promise.reject(refused));
    const report = await runSteps([create('a')], optionsOf({ client, isOutdated: () => true }));
    assert.equal(report.failures[0]?.object, 'ConfigMap n/a');
    assert.equal(report.stopped, undefined);
  });
});
