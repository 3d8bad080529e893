/** The chart tells its pods what the code reads: no variable too many, none that cannot be set. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { environmentOf, noHelm, podOf, render, type Pod, type Values } from '../chart/render.ts';
import { listReadable, listUnread, readTold, roleOf, type Told } from './settings.ts';

const IMAGES = [
  'virtApi',
  'virtController',
  'virtHandler',
  'virtLauncher',
  'virtExportProxy',
  'virtExportServer',
  'virtSynchronizationController',
  'virtTemplateApiserver',
  'virtTemplateController',
  'libguestfsTools',
  'prHelper',
  'sidecarShim',
];

/** All that names a release. */
const release: Values = {
  ...Object.fromEntries(
    IMAGES.map((name) => [`kubevirt.images.${name}`, `registry.example.com/${name.toLowerCase()}:1`]),
  ),
  'kubevirt.passthroughEnv': { HTTPS_PROXY: 'http://proxy.example.com' },
  'kubevirt.runbookUrlTemplate': 'https://runbooks.example.com/%s',
};
const external = { 'redis.enabled': false };
const sentinel: Values = {
  ...external,
  'externalRedis.sentinel.nodes': ['a.example.com:26379', 'b.example.com:26379'],
  'externalRedis.sentinel.passwordSecret': 'sentinel',
  'externalRedis.username': 'operator',
  'externalRedis.passwordSecret': 'redis',
  'externalRedis.tls': true,
};
const settings: { name: string; values: Values }[] = [
  { name: 'default', values: {} },
  { name: 'split', values: { mode: 'split', 'dashboard.clusterUid': '0b1d9f1e-0000-4000-8000-000000000000' } },
  { name: 'a release of its own', values: release },
  { name: 'Redis by its name', values: { ...external, mode: 'split', 'externalRedis.host': 'redis.example.com' } },
  { name: 'Sentinels', values: sentinel },
  {
    name: 'traces, and a Redis that may evict',
    values: {
      ...external,
      mode: 'split',
      'externalRedis.host': 'redis.example.com',
      'externalRedis.mayEvict': true,
      'tracing.endpoint': 'http://collector.example.com:4318',
      'tracing.ratio': 0.5,
    },
  },
];

/** Variables that say nothing which the chart would not say otherwise. */
const ELSEWHERE: Record<string, string> = {
  OPERATOR_IMAGE: 'an old name of VIRT_OPERATOR_IMAGE',
  TARGET_DEPLOYMENT_CONFIG: 'set by whoever starts a strategy Job',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'a closer name of OTEL_EXPORTER_OTLP_ENDPOINT, which is tracing.endpoint',
  VIRT_OPERATOR_CLIENT_QPS: 'a flag: client.qps',
  VIRT_OPERATOR_CLIENT_BURST: 'a flag: client.burst',
};

/** What the roles of a rendering are told. References to Secrets stand for their content. */
function listTold(values: Values): Told[] {
  const pods = render(values)
    .filter(({ kind }) => kind === 'Deployment')
    .map(podOf);
  return pods.flatMap((pod: Pod) => {
    const [{ args }] = pod.containers;
    const role = roleOf(args);
    if (role === undefined) return [];
    const env = Object.entries(environmentOf(pod)).map(([name, value = '']) => [name, value] as const);
    return [{ role, args: args.slice(1), env: Object.fromEntries(env) }];
  });
}

describe('environment of the chart', { skip: noHelm }, () => {
  for (const { name, values } of settings) {
    test(`${name}: every role starts from what it is told, and reads all of it`, () => {
      const told = listTold(values);
      assert.equal(told.length, values['mode'] === 'split' ? 4 : 1);
      for (const each of told) {
        assert.deepEqual(readTold(each).config.warnings, []);
        // One template serves all roles: what only some of them read is the same for all.
        const shared = /^REDIS_/;
        assert.deepEqual(
          listUnread(each).filter((variable) => !shared.test(variable)),
          [],
          each.role,
        );
      }
    });
  }

  test('every variable that the code reads can be set', () => {
    const set = new Set(settings.flatMap(({ values }) => listTold(values).flatMap(({ env }) => Object.keys(env))));
    const readable = [...listReadable()].filter((name) => !(name in ELSEWHERE));
    assert.ok(readable.length > 20);
    assert.deepEqual(
      readable.filter((name) => !set.has(name)),
      [],
    );
    assert.deepEqual(
      Object.keys(ELSEWHERE).filter((name) => !listReadable().has(name)),
      [],
      'no longer read',
    );
  });
});
