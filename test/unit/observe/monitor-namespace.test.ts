import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createMonitorFinder, findMonitoring } from '../../../src/observe/monitor-namespace.ts';
import type { ClusterFeatures } from '../../../src/plan/types.ts';

const SEARCH = { candidates: ['openshift-monitoring', 'monitoring'], account: 'prometheus-k8s' };
const features = (serviceMonitor: boolean, prometheusRule = false): ClusterFeatures => ({
  openshift: false,
  serviceMonitor,
  prometheusRule,
  validatingAdmissionPolicy: true,
  validatingAdmissionPolicyBinding: true,
});

/** A cluster with these objects, `Kind namespace/name`; counts what it is asked. */
function cluster(...objects: string[]) {
  const asked: string[] = [];
  return {
    asked,
    find: ({ kind, name, namespace }: { kind: string; name: string; namespace?: string }) => {
      const key = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
      asked.push(key);
      return Promise.resolve(objects.includes(key) ? { apiVersion: 'v1', kind, metadata: { name } } : undefined);
    },
  };
}

const ROWS = [
  { name: 'nothing there', objects: [], want: { namespace: '', missing: 'namespace' } },
  {
    name: 'namespace without the account',
    objects: ['Namespace monitoring'],
    want: { namespace: '', missing: 'account' },
  },
  {
    name: 'the second candidate',
    objects: ['Namespace openshift-monitoring', 'Namespace monitoring', 'ServiceAccount monitoring/prometheus-k8s'],
    want: { namespace: 'monitoring' },
  },
  {
    name: 'the first of both',
    objects: [
      'Namespace openshift-monitoring',
      'ServiceAccount openshift-monitoring/prometheus-k8s',
      'Namespace monitoring',
      'ServiceAccount monitoring/prometheus-k8s',
    ],
    want: { namespace: 'openshift-monitoring' },
  },
];
for (const { name, objects, want } of ROWS) {
  test(name, async () => {
    assert.deepEqual(await findMonitoring(SEARCH, cluster(...objects).find), want);
  });
}

test('without a monitoring API nothing is asked', async () => {
  const { asked, find } = cluster();
  assert.deepEqual(await createMonitorFinder(find)(SEARCH, features(false)), { namespace: '' });
  assert.deepEqual(asked, []);
});

test('the answer is kept until the search or the APIs change', async () => {
  const { asked, find } = cluster('Namespace monitoring', 'ServiceAccount monitoring/prometheus-k8s');
  const finder = createMonitorFinder(find);
  for (let i = 0; i < 3; i++) assert.deepEqual(await finder(SEARCH, features(true)), { namespace: 'monitoring' });
  assert.equal(asked.length, 3);
  await finder(SEARCH, features(true, true));
  assert.equal(asked.length, 6);
  assert.deepEqual(await finder({ ...SEARCH, candidates: ['elsewhere'] }, features(true, true)), {
    namespace: '',
    missing: 'namespace',
  });
  assert.equal(asked.length, 7);
});

test('an answer that failed is asked for again', async () => {
  let fails = true;
  const finder = createMonitorFinder(() => (fails ? Promise.reject(new Error('503')) : Promise.resolve(undefined)));
  await assert.rejects(finder(SEARCH, features(true)), /503/);
  fails = false;
  assert.equal((await finder(SEARCH, features(true))).namespace, '');
});

test('B63: that monitoring runs nowhere is believed for a minute: its CRDs are often there before its account', async () => {
  const objects: string[] = [];
  const { asked, find } = cluster();
  let now = 0;
  const finder = createMonitorFinder(
    async (wanted) => {
      await find(wanted);
      return cluster(...objects).find(wanted);
    },
    () => now,
  );
  assert.equal((await finder(SEARCH, features(true))).namespace, '');
  const before = asked.length;
  now = 59_999;
  assert.equal((await finder(SEARCH, features(true))).namespace, '');
  assert.equal(asked.length, before);
  objects.push('Namespace monitoring', 'ServiceAccount monitoring/prometheus-k8s');
  now = 60_000;
  assert.equal((await finder(SEARCH, features(true))).namespace, 'monitoring');
  now = 3_600_000;
  const found = asked.length;
  assert.equal((await finder(SEARCH, features(true))).namespace, 'monitoring');
  assert.equal(asked.length, found, 'what was found is not asked for again');
});
