import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirt, KubeVirtCondition, KubeVirtStatus } from '../../../../src/api/kubevirt.ts';
import { ApiError } from '../../../../src/errors.ts';
import type { ApiConnection } from '../../../../src/api/connection.ts';
import { findDeletionBlock, findOperator } from '../../../../src/cli/status/operator-state.ts';
import { decideReadiness } from '../../../../src/cli/status/readiness.ts';
import { buildStatus, type StatusFacts } from '../../../../src/cli/status/status-report.ts';
import { renderStatus } from '../../../../src/cli/status/status-text.ts';
import { PLAIN } from '../../../../src/cli/text/paint.ts';
import { ObjectTable } from '../../../../src/cli/rehearsal/object-table.ts';
import { buildKubeVirt, ENVIRONMENT } from '../../plan/drive.ts';
import { buildSnapshot } from '../rehearsal/fixture.ts';

const condition = (type: KubeVirtCondition['type'], status: 'True' | 'False', message = ''): KubeVirtCondition => ({
  type,
  status,
  reason: 'Because',
  message,
  lastTransitionTime: '2026-03-01T11:55:00Z',
});

const READY: KubeVirtStatus = {
  phase: 'Deployed',
  observedGeneration: 2,
  observedKubeVirtVersion: 'v1.9.0',
  operatorVersion: 'v1.9.0',
  conditions: [condition('Available', 'True'), condition('Progressing', 'False'), condition('Degraded', 'False')],
};

const withStatus = (status: KubeVirtStatus | undefined, metadata: object = {}): KubeVirt => {
  const kubeVirt = buildKubeVirt();
  return { ...kubeVirt, metadata: { ...kubeVirt.metadata, ...metadata }, ...(status === undefined ? {} : { status }) };
};

const replaced = (...conditions: KubeVirtCondition[]): KubeVirtStatus => ({
  ...READY,
  conditions: [
    ...(READY.conditions ?? []).filter(({ type }) => !conditions.some((each) => each.type === type)),
    ...conditions,
  ],
});

describe('decideReadiness', () => {
  const rows: { name: string; kubeVirt: KubeVirt; want: string }[] = [
    { name: 'ready', kubeVirt: withStatus(READY), want: '' },
    { name: 'nobody has looked', kubeVirt: withStatus(undefined), want: 'no operator has looked at it yet' },
    {
      name: 'under way',
      kubeVirt: withStatus({ phase: 'Deploying', conditions: [condition('Progressing', 'True', 'soon')] }),
      want: 'it is Deploying: soon',
    },
    {
      name: 'an edit that nobody has seen',
      kubeVirt: withStatus({ ...READY, observedGeneration: 1 }),
      want: 'the last edit has not taken effect yet',
    },
    {
      name: 'failed',
      kubeVirt: withStatus(replaced(condition('Synchronized', 'False', 'no right'))),
      want: 'the operator cannot go on: no right',
    },
    {
      name: 'unavailable',
      kubeVirt: withStatus(replaced(condition('Available', 'False', 'down'))),
      want: 'it is not available: down',
    },
    { name: 'changing', kubeVirt: withStatus(replaced(condition('Progressing', 'True'))), want: 'it is changing' },
    { name: 'degraded', kubeVirt: withStatus(replaced(condition('Degraded', 'True', 'x'))), want: 'it is degraded: x' },
    {
      name: 'being removed',
      kubeVirt: withStatus(READY, { deletionTimestamp: '2026-03-01T12:00:00Z' }),
      want: 'it is being removed',
    },
  ];
  for (const { name, kubeVirt, want } of rows) {
    test(name, () => {
      assert.deepEqual(decideReadiness(kubeVirt), { isReady: want === '', reason: want });
    });
  }
});

const workload = (kind: string, name: string, status: object, pods: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: {
    name,
    namespace: 'kubevirt',
    generation: 1,
    labels: { 'app.kubernetes.io/managed-by': 'virt-operator' },
    ...pods,
  },
  spec: { replicas: 2 },
  status: { observedGeneration: 1, ...status },
});

const facts = (more: Partial<StatusFacts> = {}): StatusFacts => ({
  scene: {
    table: new ObjectTable(
      buildSnapshot([workload('Deployment', 'virt-api', { replicas: 2, updatedReplicas: 2, readyReplicas: 1 })]),
    ),
    release: { environment: ENVIRONMENT, source: 'a test' },
    operatorNamespace: 'kubevirt',
  },
  kubeVirt: withStatus(READY),
  others: [],
  context: undefined,
  operator: [{ name: 'virt-operator', wanted: 2, ready: 2 }],
  ...more,
});

describe('a status', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');

  test('for people', () => {
    assert.equal(
      renderStatus(buildStatus(facts()), now, PLAIN),
      `✓ kubevirt/kubevirt: Deployed, v1.9.0

  CONDITION     STATUS   REASON    FOR     MESSAGE
  Available     True     Because   5 min
  Progressing   False    Because   5 min
  Degraded      False    Because   5 min

  COMPONENT             READY   UPDATED   STATE
  Deployment virt-api   1/2     2/2       outdated

  Operator: virt-operator 2/2 ready, last reconciled by v1.9.0
`,
    );
  });

  test('of an installation that has just begun', () => {
    const text = renderStatus(buildStatus(facts({ kubeVirt: withStatus(undefined), operator: [] })), now, PLAIN);
    assert.match(
      text,
      /^… kubevirt\/kubevirt: nothing yet, to become v1\.9\.0\n {2}no operator has looked at it yet\n/,
    );
    assert.match(text, /The operator runs outside of Deployments, or not at all\n$/);
  });

  test('of an update', () => {
    const kubeVirt = { ...withStatus({ ...READY, observedKubeVirtVersion: 'v1.8.4' }) };
    assert.match(renderStatus(buildStatus(facts({ kubeVirt })), now, PLAIN), /Deployed, v1\.8\.4, to become v1\.9\.0/);
  });

  const remarks: { name: string; facts: Partial<StatusFacts>; want: RegExp }[] = [
    {
      name: 'another object',
      facts: { others: [withStatus(READY, { namespace: 'b' })] },
      want: /another KubeVirt object, b\/kubevirt/,
    },
    {
      name: 'an operator that is away',
      facts: { operator: [{ name: 'virt-operator', wanted: 0, ready: 0 }] },
      want: /no pod of the operator is ready/,
    },
    {
      name: 'B45: admission that does not answer',
      facts: {
        operator: [{ name: 'virt-operator', wanted: 0, ready: 0 }],
        deletionBlock: { isUnanswered: true, reason: 'x' },
      },
      want: /cannot be deleted, because the operator's admission does not answer: let the operator run again: kubectl --namespace kubevirt scale deployment\/virt-operator --replicas=2; only if it is to stay away: kubectl delete validatingwebhookconfiguration virt-operator-validator/,
    },
    {
      name: 'a removal without an operator',
      facts: {
        operator: [{ name: 'o', wanted: 1, ready: 0 }],
        kubeVirt: withStatus(READY, { deletionTimestamp: 'x' }),
      },
      want: /the removal goes on when the operator runs: let the operator run again/,
    },
  ];
  for (const { name, facts: given, want } of remarks) {
    test(`says: ${name}`, () => {
      assert.match(buildStatus(facts(given)).remarks.join('\n'), want);
    });
  }

  test('that deletion is refused for a reason is no remark', () => {
    assert.deepEqual(
      buildStatus(facts({ deletionBlock: { isUnanswered: false, reason: 'machines run' } })).remarks,
      [],
    );
  });
});

test('the operator is found by the label of its pods', () => {
  const template = (labels: object) => ({ metadata: { labels } });
  const deployment = (name: string, labels: object) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 2, template: template(labels) as never },
    status: { readyReplicas: 1 },
  });
  assert.deepEqual(
    findOperator([deployment('a', { 'kubevirt.io': 'virt-operator' }), deployment('b', { 'kubevirt.io': 'virt-api' })]),
    [{ name: 'a', wanted: 2, ready: 1 }],
  );
});

describe('findDeletionBlock', () => {
  const answering = (error?: Error): ApiConnection => ({
    request: (call) => {
      assert.deepEqual([call.method, call.query], ['DELETE', { dryRun: 'All' }]);
      return error === undefined ? Promise.resolve({}) : Promise.reject(error);
    },
    stream: () => Promise.reject(new Error('no')),
    close: () => undefined,
  });
  const refusal = (status: number, message: string) => new ApiError(message, { status, reason: 'x' });
  const rows = [
    { name: 'nothing', error: undefined, want: undefined },
    { name: 'no answer', error: refusal(500, 'failed calling webhook "x": no endpoints'), want: true },
    {
      name: 'machines',
      error: refusal(403, 'admission webhook "x" denied the request: there are machines'),
      want: false,
    },
    { name: 'no right', error: refusal(403, 'user x cannot delete'), want: undefined },
    { name: 'another failure', error: refusal(500, 'etcd'), want: undefined },
  ];
  for (const { name, error, want } of rows) {
    test(name, async () => {
      const block = await findDeletionBlock(answering(error), buildKubeVirt(), new AbortController().signal);
      assert.equal(block?.isUnanswered, want);
    });
  }
});
