import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asKubeVirt } from '../../../src/api/kubevirt.ts';
import { buildStrategyConfigMap } from '../../../src/exchange/config-map.ts';
import { readReleaseEnvironment } from '../../../src/release-environment.ts';
import { buildInstallStrategy } from '../../../src/strategy/install-strategy.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  createKubeVirt,
  IMAGE,
  isWrite,
  KUBEVIRT_PATH,
  NAMESPACE,
  readAudit,
  readKubeVirt,
  startOperator,
  startSite,
  whenDeployed,
  type Site,
} from './harness.ts';

/** A release that this program does not know, and whose strategy lies in the cluster already. */
const SPEC = { imageTag: 'v0.0.1' };

/** Stores a strategy of one ServiceAccount for the KubeVirt object, as the release's own operator would. */
async function storeStrategy(site: Site): Promise<void> {
  const kubeVirt = asKubeVirt({ metadata: { name: 'kubevirt', namespace: NAMESPACE }, spec: SPEC });
  const target = decideTarget(kubeVirt, readReleaseEnvironment({ VIRT_OPERATOR_IMAGE: IMAGE }));
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'only-one', namespace: NAMESPACE } };
  const configMap = buildStrategyConfigMap(target, buildInstallStrategy([account]));
  await site.plane.api.expect('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps`, configMap);
}

test('one ServiceAccount goes the whole way through separate processes, is put back, and is removed', async (context) => {
  const site = await startSite(context);
  const { api } = site.plane;
  const [gateway, worker, functions] = await Promise.all(
    ['gateway', 'worker', 'functions', 'dashboard'].map((role) => startOperator(site, role)),
  );
  site.plane.setWebhookPorts([functions?.webhookPort ?? 0]);
  await Promise.all([gateway?.said('gateway started'), worker?.said('started leading')]);
  await storeStrategy(site);
  await createKubeVirt(site, SPEC);
  const { status } = await whenDeployed(site);
  assert.equal(status?.observedKubeVirtVersion, 'v0.0.1');

  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/only-one`;
  const account = await api.expect('GET', path);
  assert.equal(account.metadata?.labels?.['app.kubernetes.io/managed-by'], 'virt-operator');
  await api.expect('DELETE', path);
  await eventually(
    () => api.call('GET', path),
    (answer) => answer.status === 200,
  );

  const writers = new Set((await readAudit(site)).filter(isWrite).map(({ userAgent }) => userAgent));
  assert.deepEqual(
    [...writers].map((agent) => /\((.*)\)/.exec(agent)?.[1]),
    ['worker'],
    'only the worker writes',
  );

  await api.expect('DELETE', `${KUBEVIRT_PATH}/kubevirt`);
  await eventually(
    () => api.call('GET', path),
    (answer) => answer.status === 404,
  );
  await eventually(
    () => api.call('GET', `${KUBEVIRT_PATH}/kubevirt`),
    (answer) => answer.status === 404,
  );
});

test('of two KubeVirt objects neither is reconciled; when one goes, the other is again', async (context) => {
  const site = await startSite(context);
  const { api } = site.plane;
  await api.expect('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'elsewhere' },
  });
  await storeStrategy(site);
  await createKubeVirt(site, SPEC);
  const other = '/apis/kubevirt.io/v1/namespaces/elsewhere/kubevirts';
  const surplus = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'surplus', namespace: 'elsewhere' },
    spec: {},
  };
  await api.expect('POST', other, surplus);
  await startOperator(site, 'all');
  const blocked = await eventually(
    () => readKubeVirt(site),
    ({ status }) => (status?.conditions ?? []).some(({ reason }) => reason === 'ExistingDeployment'),
  );
  assert.match(blocked.status?.conditions?.[0]?.message ?? '', /elsewhere\/surplus/);
  assert.equal((await api.call('GET', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/only-one`)).status, 404);

  await api.expect('DELETE', `${other}/surplus`);
  await eventually(
    () => api.call('GET', `${other}/surplus`),
    (answer) => answer.status === 404,
  );
  await whenDeployed(site);
});
