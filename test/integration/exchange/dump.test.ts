/** `virt-operator --dump-install-strategy` as a Job runs it, against a real API server (spec/strategy.md §1). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { parseStrategyConfigMap, strategyConfigMapsOf } from '../../../src/exchange/config-map.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { environment, kubeVirt } from '../../unit/strategy/builders.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { createNamespace, useSharedControlPlane } from '../fixtures/control-plane.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
/** The name by which the Jobs of either operator call the program. */
const NAME = 'virt-operator';
const IMAGE = { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0' };

const plane = await useSharedControlPlane();
const namespace = await createNamespace(plane.api, 'dump');
/** A folder of the PATH in which the program has that name. */
const programs = await mkdtemp(join(tmpdir(), 'virt-operator-dump-'));
atEnd(() => rm(programs, { recursive: true, force: true }));
before(() => symlink(MAIN, join(programs, NAME)));

const targetOf = (spec: Parameters<typeof kubeVirt>[0] = {}, where = namespace): TargetDeployment => {
  const object = kubeVirt(spec);
  return decideTarget({ ...object, metadata: { ...object.metadata, namespace: where } }, environment());
};

interface Ended {
  code: number;
  log: string;
}

/** Runs the program under its name; `config` undefined leaves the variable out. */
function dump(config: string | undefined, env: Record<string, string> = IMAGE): Promise<Ended> {
  const path = [programs, dirname(process.execPath)].join(delimiter);
  const variables = config === undefined ? {} : { TARGET_DEPLOYMENT_CONFIG: config };
  return new Promise((done) => {
    execFile(
      NAME,
      ['--dump-install-strategy', '--kubeconfig', plane.kubeconfig],
      { cwd: programs, env: { PATH: path, ...env, ...variables } },
      (error, _stdout, stderr) => {
        done({ code: error === null ? 0 : Number(error.code), log: stderr });
      },
    );
  });
}

async function readConfigMaps(target: TargetDeployment): Promise<KubernetesObject[]> {
  const list = await plane.api.expect('GET', `/api/v1/namespaces/${target.namespace}/configmaps`);
  return strategyConfigMapsOf(target, list['items'] as KubernetesObject[]);
}

const generate = (target: TargetDeployment, monitorNamespace: string) =>
  generateStrategy({
    target,
    operatorNamespace: 'kubevirt',
    monitorNamespace,
    runbookUrlTemplate: environment().runbookUrlTemplate,
  }).objects;

/** As it comes back from JSON: without unset members. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('--dump-install-strategy', () => {
  test('leaves a ConfigMap with the strategy that the config asks for, and a further one when it runs again', async () => {
    const target = targetOf({ imagePullPolicy: 'Always', monitorNamespace: 'nowhere-at-all' });
    for (const runs of [1, 2]) {
      const { code, log } = await dump(target.json);
      assert.equal(code, 0, log);
      const found = await readConfigMaps(target);
      assert.equal(found.length, runs);
      for (const configMap of found) {
        assert.match(configMap.metadata.name ?? '', /^kubevirt-install-strategy-/);
        assert.deepEqual(asJson(parseStrategyConfigMap(configMap).objects), asJson(generate(target, '')));
      }
    }
  });

  test('takes the ID of the config as it stands', async () => {
    const { id, json, ...rest } = targetOf({ imageTag: 'v9' });
    const { code, log } = await dump(json.replaceAll(id, 'of-an-older-operator'));
    assert.equal(code, 0, log);
    const [found] = await readConfigMaps({ ...rest, id: 'of-an-older-operator', json });
    assert.equal(found?.metadata.annotations?.['kubevirt.io/install-strategy-version'], 'v9');
  });

  test('looks for monitoring in the cluster', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader' } };
    await plane.api.expect('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
    const target = targetOf({ monitorNamespace: namespace, monitorAccount: 'reader' });
    const { code, log } = await dump(target.json);
    assert.equal(code, 0, log);
    const [found] = await readConfigMaps(target);
    assert.ok(found);
    const objects = parseStrategyConfigMap(found).objects;
    assert.deepEqual(asJson(objects), asJson(generate(target, namespace)));
    assert.ok(objects.some(({ kind }) => kind === 'PrometheusRule'));
  });

  const bad: { name: string; config: string | undefined; env?: Record<string, string>; want: RegExp }[] = [
    { name: 'no config', config: undefined, want: /needs TARGET_DEPLOYMENT_CONFIG/ },
    { name: 'an empty config', config: '', want: /needs TARGET_DEPLOYMENT_CONFIG/ },
    { name: 'a config that is cut off', config: targetOf().json.slice(0, 100), want: /TARGET_DEPLOYMENT_CONFIG.*JSON/ },
    { name: 'a config that is no object', config: '[1]', want: /TARGET_DEPLOYMENT_CONFIG.*not a JSON object/ },
    {
      name: 'a config with a number for a text',
      config: '{"namespace":"a","registry":7}',
      want: /TARGET_DEPLOYMENT_CONFIG.*key "registry/,
    },
    { name: 'a config without a namespace', config: '{}', want: /TARGET_DEPLOYMENT_CONFIG.*key "namespace/ },
    {
      name: 'a namespace that does not exist',
      config: targetOf({}, 'gone').json,
      want: /namespaces?.*gone.*not found/,
    },
    { name: 'no image', config: targetOf().json, env: {}, want: /VIRT_OPERATOR_IMAGE/ },
  ];
  for (const { name, config, env, want } of bad) {
    test(`${name}: ends with one clear error`, async () => {
      const { code, log } = await dump(config, env);
      assert.equal(code, 1, log);
      const fatal = log.split('\n').filter((line) => line.includes('"level":"fatal"'));
      assert.equal(fatal.length, 1, log);
      const { msg } = JSON.parse(fatal[0] ?? '') as { msg: string };
      assert.match(msg, want);
    });
  }
});
