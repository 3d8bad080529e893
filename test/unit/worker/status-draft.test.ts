import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubeVirt, KubeVirtSpec, KubeVirtStatus } from '../../../src/api/kubevirt.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { draftInstallation, goArchitecture, isNews } from '../../../src/worker/status-draft.ts';

const TARGET = {
  id: 'new',
  registry: 'quay.io/kubevirt',
  kubeVirtVersion: 'v1.9.0',
  json: '{"id":"new"}',
} as TargetDeployment;

const kubeVirt = (status?: KubeVirtStatus, spec: KubeVirtSpec = {}): KubeVirt => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: 'kubevirt' },
  spec,
  ...(status === undefined ? {} : { status }),
});
const draft = (status?: KubeVirtStatus, spec?: KubeVirtSpec) =>
  draftInstallation(kubeVirt(status, spec), TARGET, 'amd64');
const reasonOf = ({ conditions = [] }: KubeVirtStatus) => [...new Set(conditions.map(({ reason }) => reason))];

test('the first draft: phase, target and conditions of a deployment that begins', () => {
  const got = draft();
  assert.equal(got.phase, 'Deploying');
  assert.equal(got.targetDeploymentID, 'new');
  assert.equal(got.targetDeploymentConfig, '{"id":"new"}');
  assert.equal(got.targetKubeVirtVersion, 'v1.9.0');
  assert.equal(got.targetKubeVirtRegistry, 'quay.io/kubevirt');
  assert.equal(got.observedDeploymentID, undefined);
  assert.deepEqual(reasonOf(got), ['DeploymentInProgress']);
});

test('another target than the observed one is an update; the phase stays', () => {
  const got = draft({ phase: 'Deployed', observedDeploymentID: 'old', observedKubeVirtVersion: 'v1.8.0' });
  assert.equal(got.phase, 'Deployed');
  assert.deepEqual(reasonOf(got), ['UpdateInProgress']);
});

test('the observed target again is no update', () => {
  assert.deepEqual(reasonOf(draft({ phase: 'Deployed', observedDeploymentID: 'new' })), ['DeploymentInProgress']);
});

test('fields of others are kept', () => {
  assert.equal(draft({ outdatedVirtualMachineInstanceWorkloads: 3 }).outdatedVirtualMachineInstanceWorkloads, 3);
});

const ARCHITECTURES: { name: string; status?: KubeVirtStatus; spec?: KubeVirtSpec; want: string }[] = [
  { name: 'this process', want: 'amd64' },
  { name: 'what is stored already', status: { defaultArchitecture: 'arm64' }, want: 'arm64' },
  {
    name: 'what is asked for wins',
    status: { defaultArchitecture: 'arm64' },
    spec: { configuration: { architectureConfiguration: { defaultArchitecture: 's390x' } } },
    want: 's390x',
  },
];
for (const { name, status, spec, want } of ARCHITECTURES) {
  test(`default architecture: ${name}`, () => {
    assert.equal(draft(status, spec).defaultArchitecture, want);
  });
}

test('architectures are named as Go names them', () => {
  assert.equal(goArchitecture('x64'), 'amd64');
  assert.equal(goArchitecture('arm64'), 'arm64');
  assert.equal(goArchitecture('s390x'), 's390x');
});

test('a draft is stored at once for a new installation and for another target, not over a steady one', () => {
  assert.equal(isNews(undefined, draft()), true);
  const steady: KubeVirtStatus = { phase: 'Deployed', targetDeploymentID: 'new', observedDeploymentID: 'new' };
  assert.equal(isNews(steady, draft(steady)), false);
  const other: KubeVirtStatus = { ...steady, targetDeploymentID: 'old' };
  assert.equal(isNews(other, draft(other)), true);
});
