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
    {
      name: 'removed, and held by finalizers of others',
      kubeVirt: kubeVirt({ ...deleting, finalizers: ['example.com/theirs'] }, { phase: 'Deleted' }),
      want: 'absent',
    },
    {
      name: 'removed, and not yet let go',
      kubeVirt: kubeVirt({ ...deleting, finalizers: ['foregroundDeleteKubeVirt'] }, { phase: 'Deleted' }),
      want: 'delete',
    },
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

  const downgrades: { name: string; operator: string; last: string; tag?: string; observed?: string; want: string }[] =
    [
      { name: 'an older operator', operator: 'v1.9.0', last: 'v1.10.0', observed: 'v1.10.0', want: 'blocked' },
      {
        name: 'an older operator, asked to go back',
        operator: 'v1.9.0',
        last: 'v1.10.0',
        observed: 'v1.10.0',
        tag: 'v1.9.0',
        want: 'deploy',
      },
      { name: 'a tag taken back', operator: 'v1.9.0', last: 'v1.9.0', observed: 'v1.10.0', want: 'deploy' },
      { name: 'a newer operator', operator: 'v1.9.0', last: 'v1.8.4', observed: 'v1.8.4', want: 'deploy' },
      {
        name: 'a development build before',
        operator: 'v1.9.0',
        last: 'v0.0.0-master+$Format:%h$',
        observed: 'v1.10.0',
        want: 'deploy',
      },
    ];
  for (const { name, operator, last, tag, observed: version = '', want } of downgrades) {
    it(`B23: ${name}: ${want}`, () => {
      const object = kubeVirt({}, { ...observed(version), operatorVersion: last });
      const situation = decideSituation({
        kubeVirt: { ...object, spec: { ...object.spec, ...(tag === undefined ? {} : { imageTag: tag }) } },
        others: [],
        operatorNamespace: 'kubevirt',
        target,
        operatorVersion: operator,
      });
      assert.equal(situation.type, want);
      if (situation.type === 'blocked') assert.match(situation.cause, /v1\.9\.0.*older.*v1\.10\.0/);
    });
  }

  it('a blockage names both objects', () => {
    const situation = decideSituation({ kubeVirt: kubeVirt(), others: [other], operatorNamespace: 'kubevirt', target });
    assert.match(situation.type === 'blocked' ? situation.cause : '', /kubevirt\/kubevirt.*elsewhere\/second/);
  });
});
