import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirt, KubeVirtStatus } from '../../../../src/api/kubevirt.ts';
import { buildReport, type PlanFacts } from '../../../../src/cli/planning/plan-report.ts';
import type { Rehearsal } from '../../../../src/cli/rehearsal/rehearse.ts';
import { decideTarget } from '../../../../src/strategy/target.ts';
import { buildKubeVirt, ENVIRONMENT } from '../../plan/drive.ts';

const TARGET = decideTarget(buildKubeVirt(), ENVIRONMENT);
const REACHED: KubeVirtStatus = {
  phase: 'Deployed',
  observedDeploymentID: TARGET.id,
  targetDeploymentID: TARGET.id,
  conditions: [{ type: 'Available', status: 'True' }],
};

const rehearsal = (more: Partial<Rehearsal> = {}): Rehearsal => ({
  steps: [],
  events: [],
  failures: [],
  isEndless: false,
  kubeVirt: { ...buildKubeVirt(), status: REACHED },
  ...more,
});

const facts = (more: Partial<PlanFacts> = {}): PlanFacts => ({
  kubeVirt: buildKubeVirt(),
  others: [],
  operatorNamespace: 'kubevirt',
  target: TARGET,
  releaseSource: 'a test',
  rehearsal: rehearsal(),
  missingRights: [],
  assumptions: [],
  troubles: [],
  ...more,
});

const observed = (version: string, operatorVersion = 'v1.9.0'): KubeVirt => ({
  ...buildKubeVirt(),
  status: { observedKubeVirtVersion: version, observedDeploymentID: 'other', operatorVersion },
});

const event = {
  type: 'Warning',
  reason: 'Odd',
  message: 'odd thing (generation 3)',
  about: { apiVersion: 'v1', kind: 'X', name: 'x' },
} as const;

describe('buildReport', () => {
  const rows: { name: string; facts: PlanFacts; undertaking: string; want: RegExp[] }[] = [
    { name: 'a plan without remarks', facts: facts(), undertaking: 'install', want: [] },
    {
      name: 'what was assumed',
      facts: facts({ assumptions: ['x is taken for y'] }),
      undertaking: 'install',
      want: [/^warning: x is taken/],
    },
    {
      name: 'Events of the operator',
      facts: facts({ rehearsal: rehearsal({ events: [event] }) }),
      undertaking: 'install',
      want: [/^warning: odd thing \(Event Odd\)$/],
    },
    {
      name: 'news that are none',
      facts: facts({ rehearsal: rehearsal({ events: [{ ...event, type: 'Normal' }] }) }),
      undertaking: 'install',
      want: [],
    },
    {
      name: 'going back',
      facts: facts({ kubeVirt: { ...observed('v1.10.0'), spec: { imageTag: 'v1.9.0' } } }),
      undertaking: 'rollback',
      want: [/^warning: this goes back from v1\.10\.0 to v1\.9\.0/],
    },
    {
      name: 'an operator that is too old',
      facts: facts({ kubeVirt: observed('v1.10.0', 'v1.10.0') }),
      undertaking: 'blocked',
      want: [/^problem: this operator \(v1\.9\.0\) is older than the installation \(v1\.10\.0\) and touches nothing/],
    },
    {
      name: 'two objects',
      facts: facts({ others: [observed('')] }),
      undertaking: 'blocked',
      want: [/^problem: .*another KubeVirt object/],
    },
    {
      name: 'rights that are missing',
      facts: facts({
        missingRights: [{ role: 'ClusterRole x', rights: ['get a', 'get b', 'get c', 'get d', 'get e', 'get f'] }],
      }),
      undertaking: 'install',
      want: [
        /^problem: the operator may not create ClusterRole x: it lacks get a, get b, get c, get d, get e and 1 more rights/,
      ],
    },
    {
      name: 'failures',
      facts: facts({ rehearsal: rehearsal({ failures: Array.from({ length: 7 }, (_, i) => `no ${i}`) }) }),
      undertaking: 'install',
      want: [/no 0/, /no 1/, /no 2/, /no 3/, /no 4/, /^problem: and 2 more failures/],
    },
    {
      name: 'no end',
      facts: facts({
        rehearsal: rehearsal({ isEndless: true, steps: [{ name: 'a', writes: [], awaited: 'better days' }] }),
      }),
      undertaking: 'install',
      want: [/^problem: the operator would not come to an end; it keeps waiting for better days/],
    },
    {
      name: 'waiting',
      facts: facts({ rehearsal: rehearsal({ kubeVirt: buildKubeVirt() }) }),
      undertaking: 'install',
      want: [/^problem: the operator would wait for all components to be ready/],
    },
  ];
  for (const { name, facts: given, undertaking, want } of rows) {
    test(name, () => {
      const report = buildReport(given);
      assert.equal(report.undertaking, undertaking);
      const remarks = report.remarks.map(({ level, text }) => `${level}: ${text}`);
      assert.equal(remarks.length, want.length, remarks.join('\n'));
      want.forEach((pattern, index) => {
        assert.match(remarks[index] ?? '', pattern);
      });
      assert.equal(report.succeeds, !remarks.some((remark) => remark.startsWith('problem')));
    });
  }

  test('rights that are not known are told to be so', () => {
    assert.equal(buildReport(facts({ missingRights: undefined })).missingRights, null);
  });
});
