import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { renderDiff } from '../../../../src/cli/diff.ts';
import { sumUp } from '../../../../src/cli/planning/changes.ts';
import type { PlanReport } from '../../../../src/cli/planning/plan-report.ts';
import { renderPlan } from '../../../../src/cli/planning/plan-text.ts';
import type { RehearsedStep } from '../../../../src/cli/rehearsal/rehearse.ts';
import { PLAIN } from '../../../../src/cli/text/paint.ts';

const workload = (kind: string, name: string, image: string, numbers: Record<string, number>) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'kubevirt' },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'main', image }] } } },
  status: numbers,
});
const role = (label: string) => ({
  apiVersion: 'v1',
  kind: 'ClusterRole',
  metadata: { name: 'r', labels: { v: label } },
});
const webhook = { apiVersion: 'v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'tmp' } };
const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'kubevirt' } };

const handler = (image: string) => workload('DaemonSet', 'virt-handler', image, { currentNumberScheduled: 3 });
const api = (image: string) => workload('Deployment', 'virt-api', image, { replicas: 2 });
const at = { namespace: 'kubevirt' };

const STEPS: RehearsedStep[] = [
  {
    name: 'passive',
    writes: [
      { verb: 'create', kind: 'ValidatingWebhookConfiguration', name: 'tmp', after: webhook },
      { verb: 'patch', kind: 'ClusterRole', name: 'r', before: role('1'), after: role('2') },
      { verb: 'create', kind: 'Service', name: 'new', ...at, after: service },
    ],
  },
  {
    name: 'virt-handler',
    writes: [
      { verb: 'patch', kind: 'DaemonSet', name: 'virt-handler', ...at, before: handler('a:1'), after: handler('a:2') },
    ],
    awaited: 'virt-handler to be rolled out',
  },
  {
    name: 'virt-api',
    writes: [{ verb: 'patch', kind: 'Deployment', name: 'virt-api', ...at, before: api('b:1'), after: api('b:2') }],
  },
  {
    name: 'leftovers',
    writes: [
      { verb: 'delete', kind: 'ValidatingWebhookConfiguration', name: 'tmp', before: webhook },
      { verb: 'delete', kind: 'Service', name: 's', ...at, before: service },
    ],
  },
];

const report = (more: Partial<PlanReport> = {}): PlanReport => ({
  kubeVirt: 'kubevirt/kubevirt',
  undertaking: 'update',
  from: { version: 'v1.8.4', registry: 'quay.io/kubevirt' },
  to: { version: 'v1.9.0', registry: 'quay.io/kubevirt', deploymentID: 'id' },
  releaseSource: 'a test',
  remarks: [{ level: 'warning', text: 'mind the gap' }],
  missingRights: [],
  succeeds: true,
  ...sumUp(STEPS),
  ...more,
});

describe('renderPlan', () => {
  test('an update', () => {
    assert.equal(
      renderPlan(report(), { isFull: false }, PLAIN),
      `kubevirt/kubevirt: update, v1.8.4 → v1.9.0 (registry quay.io/kubevirt; release as in a test)

! mind the gap

Create 1
  + Service kubevirt/new

Change 3
  ~ DaemonSet kubevirt/virt-handler
      spec.template.spec.containers[main].image: a:1 → a:2
  ~ Deployment kubevirt/virt-api
      spec.template.spec.containers[main].image: b:1 → b:2
  ~ 1 more, of which only labels and annotations change (--full shows them)

Delete 1
  - Service kubevirt/s

For a while 1
  ± ValidatingWebhookConfiguration tmp

Pods that are replaced
  ↻ DaemonSet kubevirt/virt-handler: 3 pods, one node first, then 10 % at a time
  ↻ Deployment kubevirt/virt-api: 2 pods

In this order
  1. passive: create ValidatingWebhookConfiguration tmp, patch ClusterRole r, create Service kubevirt/new
  2. virt-handler: patch DaemonSet kubevirt/virt-handler then waits for virt-handler to be rolled out
  3. virt-api: patch Deployment kubevirt/virt-api
  4. leftovers: delete ValidatingWebhookConfiguration tmp, delete Service kubevirt/s

Ends Deployed: 1 created, 3 changed, 1 deleted.
`,
    );
  });

  test('whole on request', () => {
    const text = renderPlan(report(), { isFull: true }, PLAIN);
    assert.match(text, /~ ClusterRole r\n {6}metadata\.labels\.v: 1 → 2\n/);
    assert.doesNotMatch(text, /--full/);
  });

  test('long lists are counted by kind, long values cut', () => {
    const create = Array.from({ length: 41 }, (_, i) => ({
      kind: i < 40 ? ('Secret' as const) : ('Service' as const),
      name: `n${i}`,
    }));
    const fields = [{ path: 'data.x', from: 'a'.repeat(80), to: 'b' }];
    const text = renderPlan(
      report({ create, change: [{ kind: 'ConfigMap', name: 'c', fields }] }),
      { isFull: false },
      PLAIN,
    );
    assert.match(text, /Create 41\n {2}\+ 40 Secret\n {2}\+ 1 Service\n/);
    assert.match(text, /data\.x: a{59}… → b\n/);
    assert.match(renderPlan(report({ create }), { isFull: true }, PLAIN), /\+ Secret n39\n/);
  });

  test('nothing to do', () => {
    const steady = report({
      undertaking: 'steady',
      from: { version: 'v1.9.0', registry: 'quay.io/kubevirt' },
      remarks: [],
      ...sumUp([]),
    });
    assert.equal(
      renderPlan(steady, { isFull: false }, PLAIN),
      'kubevirt/kubevirt: repair what differs, v1.9.0 (registry quay.io/kubevirt; release as in a test)\n\nNothing to do: everything is as it should be.\n',
    );
  });

  test('what would not end well', () => {
    const bad = report({ succeeds: false, remarks: [{ level: 'problem', text: 'no way' }], ...sumUp([]) });
    const text = renderPlan(bad, { isFull: false }, PLAIN);
    assert.match(text, /\n✗ no way\n/);
    assert.match(text, /This would not end well: see ✗ above\.\n$/);
  });
});

describe('renderDiff', () => {
  test('what differs', () => {
    assert.equal(
      renderDiff(report({ remarks: [] }), { isFull: false, isSame: false }, PLAIN),
      `kubevirt/kubevirt, v1.9.0: 1 missing, 3 different, 1 left over
  + Service kubevirt/new
  ~ ClusterRole r
      metadata.labels.v: 1 → 2
  ~ DaemonSet kubevirt/virt-handler
      spec.template.spec.containers[main].image: a:1 → a:2
  ~ Deployment kubevirt/virt-api
      spec.template.spec.containers[main].image: b:1 → b:2
  - Service kubevirt/s
`,
    );
  });

  test('nothing', () => {
    const text = renderDiff(report(sumUp([])), { isFull: false, isSame: true }, PLAIN);
    assert.equal(text, '✓ kubevirt/kubevirt: every object of v1.9.0 is as it should be\n');
  });
});
