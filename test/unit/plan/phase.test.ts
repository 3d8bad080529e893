import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import { decideSituation } from '../../../src/plan/phase.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { buildKubeVirt } from './drive.ts';

const target = { id: 'new', kubeVirtVersion: 'v1.9.0', registry: 'r' } as TargetDeployment;
const kubeVirt = (metadata: Partial<KubeVirt['metadata']> = {}, status?: KubeVirt['status']): KubeVirt => {
  const base = buildKubeVirt();
  return { ...base, metadata: { ...base.metadata, ...metadata }, ...(status === undefined ? {} : { status }) };
};
const other = kubeVirt({ name: 'second', namespace: 'elsewhere' });
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const observed = (version: string, id = 'old') => ({
  observedDeploymentID: id,
  observedKubeVirtVersion: version,
  observedGeneration: 2,
});

describe('decideSituation', () => {
  const rows: {
    name: string;
    kubeVirt: KubeVirt | undefined;
    others?: KubeVirt[];
    want: string;
    undertaking?: string;
  }[] = [
    { name: 'no object', kubeVirt: undefined, want: 'absent' },
    { name: 'B01: two objects', kubeVirt: kubeVirt(), others: [other], want: 'blocked' },
    { name: 'B01: one of two is deleted', kubeVirt: kubeVirt(deleting), others: [other], want: 'release' },
    { name: 'a foreign namespace', kubeVirt: other, want: 'blocked' },
    { name: 'deleted in a foreign namespace', kubeVirt: kubeVirt({ ...deleting, namespace: 'x' }), want: 'release' },
    { name: 'deleted', kubeVirt: kubeVirt(deleting), want: 'delete' },
    { name: 'new', kubeVirt: kubeVirt(), want: 'deploy', undertaking: 'install' },
    { name: 'older observed', kubeVirt: kubeVirt({}, observed('v1.8.4')), want: 'deploy', undertaking: 'update' },
    { name: 'newer observed', kubeVirt: kubeVirt({}, observed('v1.10.0')), want: 'deploy', undertaking: 'rollback' },
    {
      name: 'same release, other deployment',
      kubeVirt: kubeVirt({}, observed('v1.9.0')),
      want: 'deploy',
      undertaking: 'reconfigure',
    },
    {
      name: 'same deployment, edited',
      kubeVirt: kubeVirt({ generation: 3 }, observed('v1.9.0', 'new')),
      want: 'deploy',
      undertaking: 'reconfigure',
    },
    { name: 'nothing to do', kubeVirt: kubeVirt({}, observed('v1.9.0', 'new')), want: 'deploy', undertaking: 'steady' },
  ];
  for (const { name, kubeVirt: object, others = [], want, undertaking } of rows) {
    it(`${name}: ${undertaking ?? want}`, () => {
      const situation = decideSituation({ kubeVirt: object, others, operatorNamespace: 'kubevirt', target });
      assert.equal(situation.type, want);
      assert.equal(situation.type === 'deploy' ? situation.undertaking : undefined, undertaking);
    });
  }

  it('a blockage names both objects', () => {
    const situation = decideSituation({ kubeVirt: kubeVirt(), others: [other], operatorNamespace: 'kubevirt', target });
    assert.match(situation.type === 'blocked' ? situation.cause : '', /kubevirt\/kubevirt.*elsewhere\/second/);
  });
});
