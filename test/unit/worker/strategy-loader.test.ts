import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { pino } from 'pino';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { ApiClient } from '../../../src/apply/client.ts';
import { ApiError } from '../../../src/errors.ts';
import { buildStrategyConfigMap } from '../../../src/exchange/config-map.ts';
import { StrategyLoader } from '../../../src/worker/strategy-loader.ts';
import { buildInstallStrategy } from '../../../src/strategy/install-strategy.ts';
import { kubeVirt, target as targetOf } from '../strategy/builders.ts';

const spec = { imageTag: 'v1.8.4' };
const target = targetOf(spec);
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one', namespace: 'kubevirt' } };

/** The ConfigMap as a Job of that release has left it in the cluster. */
function storedConfigMap(): KubernetesObject {
  const built = buildStrategyConfigMap(target, buildInstallStrategy([SECRET]));
  const metadata = { ...built.metadata, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { ...built, metadata };
}

const spoilt = (configMap: KubernetesObject): KubernetesObject => {
  const manifests = (configMap.data?.['manifests'] ?? '').slice(0, 40);
  return { ...configMap, metadata: { ...configMap.metadata, resourceVersion: '8' }, data: { manifests } };
};

function prepare(other: Partial<ApiClient> = {}) {
  const written: { verb: string; object: KubernetesObject }[] = [];
  const note = (verb: string) => (_kind: string, object: KubernetesObject) => {
    written.push({ verb, object });
    return Promise.resolve(object);
  };
  const client = { create: note('create'), replace: note('replace'), ...other } as unknown as ApiClient;
  const loader = new StrategyLoader({
    operatorNamespace: 'kubevirt',
    runbookUrlTemplate: '',
    findMonitorNamespace: () => Promise.resolve({ namespace: '' }),
    log: pino({ enabled: false }),
  });
  const load = (strategyConfigMaps: readonly KubernetesObject[], wanted = target) =>
    loader.load({
      kubeVirt: kubeVirt(spec),
      target: wanted,
      observed: {
        kubeVirt: kubeVirt(spec),
        others: [],
        features: {
          openshift: false,
          serviceMonitor: false,
          prometheusRule: false,
          validatingAdmissionPolicy: true,
          validatingAdmissionPolicyBinding: true,
        },
        schedulableNodes: 3,
        strategyConfigMaps,
        strategyJobs: [],
      },
      client,
      now: new Date('2026-03-01T12:00:00Z'),
    });
  return { loader, load, written };
}

describe('the stored strategy of another release', () => {
  const losses: { name: string; left: (configMap: KubernetesObject) => KubernetesObject[]; verb: string }[] = [
    { name: 'deleted', left: () => [], verb: 'create' },
    { name: 'cut', left: (configMap) => [spoilt(configMap)], verb: 'replace' },
    {
      name: 'deleted, with an unreadable one beside it',
      left: (configMap) => [{ ...spoilt(configMap), metadata: { ...configMap.metadata, name: 'theirs' } }],
      verb: 'create',
    },
  ];
  for (const { name, left, verb } of losses) {
    it(`${name} after it was read goes on to be used, and is put back with one write and no Job`, async () => {
      const { load, written } = prepare();
      const configMap = storedConfigMap();
      assert.equal((await load([configMap])).type, 'ready');
      const loaded = await load(left(configMap));
      assert.ok(loaded.type === 'ready');
      assert.equal(loaded.strategy.objects.length, 1);
      await loaded.writeConfigMap();
      assert.deepEqual(
        written.map((write) => [write.verb, write.object.kind, write.object.data]),
        [[verb, 'ConfigMap', configMap.data]],
      );
      assert.equal(written[0]?.object.metadata.uid, undefined);
    });
  }

  it('that somebody changes while it is put back fails no pass: the event of that brings the next one', async () => {
    for (const status of [409, 404]) {
      const stale = new ApiError('somebody was faster', { status, reason: 'Conflict' });
      const { load } = prepare({ replace: () => Promise.reject(stale) });
      await load([storedConfigMap()]);
      const loaded = await load([spoilt(storedConfigMap())]);
      assert.ok(loaded.type === 'ready');
      await loaded.writeConfigMap();
    }
    const broken = new ApiError('broken', { status: 500, reason: 'InternalError' });
    const { load } = prepare({ replace: () => Promise.reject(broken) });
    await load([storedConfigMap()]);
    const loaded = await load([spoilt(storedConfigMap())]);
    assert.ok(loaded.type === 'ready');
    await assert.rejects(loaded.writeConfigMap(), broken);
  });

  it('is asked for anew where it was never read, after a removal, and when another release was wanted in between', async () => {
    const { loader, load, written } = prepare();
    assert.equal((await load([])).type, 'pending');
    await load([storedConfigMap()]);
    loader.forget();
    assert.equal((await load([])).type, 'pending');
    await load([storedConfigMap()]);
    await load([], targetOf());
    assert.equal((await load([])).type, 'pending');
    assert.deepEqual(
      written.map((write) => [write.verb, write.object.kind]),
      [
        ['create', 'Job'],
        ['create', 'Job'],
        ['create', 'Job'],
      ],
    );
  });
});
