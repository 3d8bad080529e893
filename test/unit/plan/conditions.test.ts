import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubeVirtStatus } from '../../../src/api/kubevirt.ts';
import * as conditions from '../../../src/plan/conditions.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';

const target: TargetDeployment = {
  id: 'f00',
  namespace: 'kubevirt',
  registry: 'quay.io/kubevirt',
  imagePrefix: '',
  kubeVirtVersion: 'v1.9.0',
  images: {} as TargetDeployment['images'],
  additionalProperties: {},
  passthroughEnv: {},
  json: '{"id":"f00"}',
};
const brief = (status: KubeVirtStatus) =>
  (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason ?? ''}`);

const deploying = conditions.markDeploying({}, target);
const created = conditions.markCreated(deploying);
const ready = conditions.markReady(created, target, 3);
const failed = conditions.markFailed(ready, 'cannot create Secret x');

describe('conditions', () => {
  const rows: { name: string; status: KubeVirtStatus; want: string[] }[] = [
    {
      name: 'deploying',
      status: deploying,
      want: [
        'Available=False DeploymentInProgress',
        'Progressing=True DeploymentInProgress',
        'Degraded=False DeploymentInProgress',
      ],
    },
    {
      name: "ready, in upstream's order",
      status: ready,
      want: [
        'Available=True AllComponentsReady',
        'Progressing=False AllComponentsReady',
        'Degraded=False AllComponentsReady',
        'Created=True AllResourcesCreated',
      ],
    },
    {
      name: 'updating takes Created away and keeps Available',
      status: conditions.markUpdating(ready, target, { isWhole: false }),
      want: ['Available=True UpdateInProgress', 'Progressing=True UpdateInProgress', 'Degraded=True UpdateInProgress'],
    },
    {
      name: 'updating after a failure is not available before it is known that nothing is missing',
      status: conditions.markUpdating(failed, target, { isWhole: false }),
      want: ['Available=False UpdateInProgress', 'Progressing=True UpdateInProgress', 'Degraded=True UpdateInProgress'],
    },
    {
      name: 'updating after a failure, when nothing is missing',
      status: conditions.markUpdating(failed, target, { isWhole: true }),
      want: ['Available=True UpdateInProgress', 'Progressing=True UpdateInProgress', 'Degraded=True UpdateInProgress'],
    },
    {
      name: 'failed',
      status: failed,
      want: [
        'Available=False DeploymentFailed',
        'Progressing=False DeploymentFailed',
        'Degraded=True DeploymentFailed',
        'Created=True AllResourcesCreated',
        'Synchronized=False DeploymentFailed',
      ],
    },
    {
      name: 'deploying again takes Synchronized away and keeps Created',
      status: conditions.markDeploying(failed, target),
      want: [
        'Available=False DeploymentInProgress',
        'Progressing=True DeploymentInProgress',
        'Degraded=False DeploymentInProgress',
        'Created=True AllResourcesCreated',
      ],
    },
    { name: 'blocked', status: conditions.markBlocked({}, 'two'), want: ['Synchronized=False ExistingDeployment'] },
    {
      name: 'deleting',
      status: conditions.markDeleting(failed),
      want: [
        'Available=False DeletionInProgress',
        'Progressing=False DeletionInProgress',
        'Degraded=True DeletionInProgress',
      ],
    },
    {
      name: 'deletion failed',
      status: conditions.markDeletionFailed(conditions.markDeleting(ready), 'no'),
      want: [
        'Available=False DeletionInProgress',
        'Progressing=False DeletionInProgress',
        'Degraded=True DeletionInProgress',
        'Synchronized=False DeletionFailed',
      ],
    },
  ];
  for (const { name, status, want } of rows) {
    it(name, () => {
      assert.deepEqual(brief(status), want);
    });
  }

  it('ready makes the target the observed one', () => {
    assert.deepEqual(
      [
        ready.phase,
        ready.observedDeploymentID,
        ready.observedKubeVirtVersion,
        ready.observedDeploymentConfig,
        ready.observedGeneration,
      ],
      ['Deployed', 'f00', 'v1.9.0', '{"id":"f00"}', 3],
    );
    assert.equal(conditions.markDeleted(conditions.markDeleting(ready)).phase, 'Deleted');
  });

  it('B34, B71: an endless cause is cut to 1 KiB, not within a character', () => {
    const { message = '' } = conditions.markFailed({}, 'ä'.repeat(2000)).conditions?.[0] ?? {};
    assert.ok(Buffer.byteLength(message) <= 1024 && Buffer.byteLength(message) > 1000);
    assert.ok(message.endsWith('ä…'));
  });
});

it('B28: what an edit is put off for stands in the condition Progressing', () => {
  const held = conditions.markHeld(deploying, '2 migrations');
  assert.deepEqual(brief(held), brief(deploying));
  const messages = held.conditions?.map(({ type, message }) => [type, message?.endsWith('; waiting for 2 migrations')]);
  assert.deepEqual(messages, [
    ['Available', false],
    ['Progressing', true],
    ['Degraded', false],
  ]);
});

describe('settleConditionTimes', () => {
  const now = new Date('2026-03-01T12:00:00.789Z');
  const NOW = '2026-03-01T12:00:00Z';
  const OLD = '2026-01-01T00:00:00Z';
  const stored: KubeVirtStatus = {
    conditions: (ready.conditions ?? []).map((condition) => ({
      ...condition,
      lastProbeTime: OLD,
      lastTransitionTime: OLD,
    })),
  };
  const timesOf = (draft: KubeVirtStatus, from: KubeVirtStatus) =>
    conditions
      .settleConditionTimes(draft, from, now)
      .conditions?.map(({ type, lastProbeTime, lastTransitionTime }) => [type, lastProbeTime, lastTransitionTime]);

  it('B16: deploying and ready again within a pass is the stored status, times included', () => {
    const draft = conditions.markReady(conditions.markCreated(conditions.markDeploying(stored, target)), target, 3);
    assert.deepEqual(conditions.settleConditionTimes(draft, stored, now).conditions, stored.conditions);
  });
  it('a new condition has a probe time only', () => {
    assert.deepEqual(timesOf(conditions.markBlocked({}, 'two'), {}), [['Synchronized', NOW, null]]);
  });
  it('a changed condition has both times, an unchanged one keeps its own', () => {
    assert.deepEqual(timesOf(conditions.markFailed(stored, 'x'), stored), [
      ['Available', NOW, NOW],
      ['Progressing', NOW, NOW],
      ['Degraded', NOW, NOW],
      ['Created', OLD, OLD],
      ['Synchronized', NOW, null],
    ]);
  });
});
