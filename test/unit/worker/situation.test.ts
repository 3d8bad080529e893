import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubeVirtStatus } from '../../../src/api/kubevirt.ts';
import { describeSituation, type Subject } from '../../../src/worker/situation.ts';
import { ENVIRONMENT, Installation, START } from '../plan/drive.ts';

const HOUR_MS = 3_600_000;

/** A pass over an installation that has come through its steps, or ended before them. */
function buildPass(installation: Installation, change: Partial<Subject> = {}): Subject {
  return {
    key: 'kubevirt/kubevirt',
    kubeVirt: installation.kubeVirt,
    observed: { others: [] },
    parts: { release: ENVIRONMENT, store: installation.cluster },
    report: { context: installation.context() },
    ...change,
  };
}

function statesOf(pass: Subject): Record<string, string> {
  const { components } = describeSituation(pass);
  return Object.fromEntries(components.map(({ kind, name, state }) => [`${kind} ${name}`, state]));
}

const WORKLOADS = ['DaemonSet virt-handler', 'Deployment virt-api', 'Deployment virt-controller'];

function only(states: Record<string, string>): string[] {
  return WORKLOADS.map((name) => states[name] ?? 'absent');
}

test('components of an installation go from missing over rolling to ready, and are outdated when another target is asked for', async () => {
  const installation = new Installation();
  assert.deepEqual(only(statesOf(buildPass(installation))), ['missing', 'missing', 'missing']);
  await installation.converge();
  assert.deepEqual(only(statesOf(buildPass(installation))), ['ready', 'ready', 'ready']);
  installation.edit({ imageTag: 'v1.9.1' });
  assert.deepEqual(only(statesOf(buildPass(installation))), ['outdated', 'outdated', 'outdated']);
});

test('a component that lost a pod is rolling, one that is being deleted is removing; pods that crash are counted', async () => {
  const installation = new Installation();
  await installation.converge();
  const { cluster } = installation;
  cluster.edit('DaemonSet', 'virt-handler', ({ status }) => {
    assert.ok(status !== undefined);
    status.numberReady = 2;
  });
  cluster.edit('Deployment', 'virt-api', ({ metadata }) => {
    metadata.deletionTimestamp = START.toISOString();
  });
  const [pod] = cluster.list('Pod').filter(({ metadata }) => metadata.name?.startsWith('virt-handler-') === true);
  cluster.edit('Pod', pod?.metadata.name ?? '', ({ status }) => {
    assert.ok(status !== undefined);
    status.containerStatuses = [{ name: 'virt-handler', ready: false, restartCount: 3 }];
  });
  const { components } = describeSituation(buildPass(installation));
  const handler = components.find(({ name }) => name === 'virt-handler');
  assert.deepEqual(handler, {
    kind: 'DaemonSet',
    name: 'virt-handler',
    state: 'rolling',
    wanted: 3,
    updated: 3,
    ready: 2,
    crashing: 1,
  });
  assert.equal(components.find(({ name }) => name === 'virt-api')?.state, 'removing');
});

test('certificates come with their ends and the times of their renewal', async () => {
  const installation = new Installation();
  await installation.converge();
  const { certificates } = describeSituation(buildPass(installation));
  const authority = certificates.find(({ secret }) => secret === 'kubevirt-ca');
  assert.equal(authority?.isAuthority, true);
  assert.equal((authority.notAfter - START.getTime()) / HOUR_MS, 168);
  assert.ok((authority.renewsAt ?? 0) > START.getTime() && (authority.renewsAt ?? Infinity) < authority.notAfter);
  const leaf = certificates.find(({ secret }) => secret === 'kubevirt-virt-api-certs');
  assert.equal(leaf?.isAuthority, false);
  assert.equal(new Set(certificates.map(({ secret }) => secret)).size, certificates.length);
  assert.ok(certificates.length >= 10, `${certificates.length}`);
});

test('phase, versions, conditions and what is awaited are told', () => {
  const installation = new Installation();
  const status: KubeVirtStatus = {
    phase: 'Deploying',
    observedKubeVirtVersion: 'v1.8.0',
    conditions: [
      { type: 'Progressing', status: 'True', reason: 'UpdateInProgress', lastTransitionTime: START.toISOString() },
      { type: 'Available', status: 'False', message: 'no', lastTransitionTime: 'never' },
    ],
  };
  const wait = { step: 'Workloads', awaited: 'virt-api to be ready' };
  const report = { context: installation.context(), stopped: { ...wait, isResumedAtOnce: false } };
  const pass = buildPass(installation, { kubeVirt: { ...installation.kubeVirt, status }, report });
  const { phase, version, conditions, waiting } = describeSituation(pass);
  assert.deepEqual(
    { phase, version, waiting },
    { phase: 'Deploying', version: { target: 'v1.9.0', observed: 'v1.8.0' }, waiting: wait },
  );
  assert.deepEqual(conditions, [
    { type: 'Progressing', status: 'True', reason: 'UpdateInProgress', message: '', since: START.getTime() },
    { type: 'Available', status: 'False', reason: '', message: 'no' },
  ]);
});

test('after a pass that ended before its steps the caches are shown, unless they may be those of another object', async () => {
  const installation = new Installation();
  await installation.converge();
  const failed = buildPass(installation);
  delete failed.report;
  assert.deepEqual(only(statesOf(failed)), ['ready', 'ready', 'ready']);
  const blocked = { ...failed, observed: { others: [installation.kubeVirt] } };
  assert.deepEqual(describeSituation(blocked).components, []);
  assert.deepEqual(describeSituation(blocked).certificates, []);
});

test('lifetimes of certificates that cannot be read hide nothing else', async () => {
  const installation = new Installation();
  await installation.converge();
  installation.edit({ certificateRotateStrategy: { selfSigned: { ca: { duration: 'a week' } } } });
  const { components, certificates } = describeSituation(buildPass(installation));
  assert.ok(components.length > 0);
  assert.ok(certificates.length > 0);
  assert.ok(certificates.every(({ renewsAt }) => renewsAt === undefined));
});
