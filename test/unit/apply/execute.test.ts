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

describe('a step that ends the run', () => {
  for (const isResumedAtOnce of [true, false]) {
    it(`says what is awaited, and ${isResumedAtOnce ? 'that its own writes are' : 'not more'}`, async () => {
      const plan: Step['plan'] = (context) => ({
        ...create('a').plan(context),
        stop: 'the end',
        ...(isResumedAtOnce ? { isResumedAtOnce } : {}),
      });
      const report = await runSteps([{ name: 'a', plan }, create('b')], optionsOf());
      assert.deepEqual(report.stopped, { step: 'a', awaited: 'the end', isResumedAtOnce });
      assert.equal(report.written.length, 1, 'the steps after it do nothing');
    });
  }
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

describe('content that the API server refuses', () => {
  const invalid = new ApiError('spec.template.spec.containers: Required value', { status: 422, reason: 'Invalid' });

  /** A step that creates objects of a kind, but for those that are left alone. */
  function createAll(kind: 'Deployment' | 'ConfigMap', names: readonly string[]): Step {
    const objects = names.map((name) => ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'n' } }));
    return {
      name: 'all',
      plan: ({ leftAlone = [] }) => ({
        actions: objects
          .filter(({ metadata }) => !leftAlone.some(({ name }) => name === metadata.name))
          .map((object) => ({ verb: 'create', kind, object })),
      }),
    };
  }

  async function run(kind: 'Deployment' | 'ConfigMap') {
    const asked: string[] = [];
    const client = clientOf((object) => {
      const { name = '' } = object.metadata;
      asked.push(name);
      return name === 'bad' ? Promise.reject(invalid) : Promise.resolve(object);
    });
    const report = await runSteps([createAll(kind, ['bad', 'good']), create('next')], optionsOf({ client }));
    return { asked, report };
  }

  it('B34: of a workload is told and not asked for again, and the steps go on without it', async () => {
    const { asked, report } = await run('Deployment');
    assert.deepEqual(
      report.failures.map(({ object }) => object),
      ['Deployment n/bad'],
    );
    // The client keeps nothing, so that what was created is asked for again.
    assert.deepEqual([asked.filter((name) => name === 'bad').length, asked.at(-1)], [1, 'next']);
    assert.deepEqual(report.context.leftAlone, [{ kind: 'Deployment', name: 'bad', namespace: 'n' }]);
    assert.equal(report.completed, false);
  });

  it('of anything else, which others build on, ends the run', async () => {
    const { asked, report } = await run('ConfigMap');
    assert.ok(!asked.includes('next'));
    assert.equal(report.failures.length, 1);
  });
});
