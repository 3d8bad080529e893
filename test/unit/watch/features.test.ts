import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFeatures } from '../../../src/api/features.ts';
import { decideFeatures, featureOfCrd } from '../../../src/watch/features.ts';

const none: ClusterFeatures = {
  openshift: false,
  serviceMonitor: false,
  prometheusRule: false,
  validatingAdmissionPolicy: false,
  validatingAdmissionPolicyBinding: false,
};
const answers = (entries: Record<string, string[] | 'unavailable'>): Parameters<typeof decideFeatures>[0] =>
  new Map(
    Object.entries(entries).map(([version, answer]) => [version, answer === 'unavailable' ? answer : new Set(answer)]),
  );

const rows: { name: string; answers: Parameters<typeof decideFeatures>[0]; want: Partial<ClusterFeatures> }[] = [
  { name: 'nothing', answers: answers({}), want: {} },
  {
    name: 'OpenShift',
    answers: answers({ 'security.openshift.io/v1': ['rangeallocations', 'securitycontextconstraints'] }),
    want: { openshift: true },
  },
  {
    name: 'OpenShift whose API does not answer',
    answers: answers({ 'security.openshift.io/v1': 'unavailable' }),
    want: { openshift: true },
  },
  {
    name: 'the group without the resource',
    answers: answers({ 'security.openshift.io/v1': ['rangeallocations'] }),
    want: {},
  },
  {
    name: 'monitoring that does not answer',
    answers: answers({ 'monitoring.coreos.com/v1': 'unavailable' }),
    want: {},
  },
  {
    name: 'each monitoring kind by itself',
    answers: answers({ 'monitoring.coreos.com/v1': ['servicemonitors', 'servicemonitors/status'] }),
    want: { serviceMonitor: true },
  },
  {
    name: 'admission policies',
    answers: answers({
      'admissionregistration.k8s.io/v1': ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    }),
    want: { validatingAdmissionPolicy: true, validatingAdmissionPolicyBinding: true },
  },
];

for (const { name, answers: given, want } of rows) {
  test(`features: ${name}`, () => {
    assert.deepEqual(decideFeatures(given), { ...none, ...want });
  });
}

test('features: CRDs that bring one', () => {
  assert.equal(featureOfCrd('servicemonitors.monitoring.coreos.com'), 'serviceMonitor');
  assert.equal(featureOfCrd('securitycontextconstraints.security.openshift.io'), 'openshift');
  assert.equal(featureOfCrd('kubevirts.kubevirt.io'), undefined);
  assert.equal(
    featureOfCrd('validatingadmissionpolicies.admissionregistration.k8s.io'),
    undefined,
    'comes with the API server',
  );
});
