import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasFlag, readConfig, UsageError, type Config, type ConfigSources, type Role } from '../../../src/config.ts';
import { ConfigurationError } from '../../../src/errors.ts';

const IMAGE = 'quay.io/kubevirt/virt-operator:v1.9.0';

function sources(change: Partial<ConfigSources> & { role?: Role } = {}): ConfigSources {
  return {
    role: 'all',
    args: [],
    env: { VIRT_OPERATOR_IMAGE: IMAGE, REDIS_URL: 'redis://127.0.0.1:6379' },
    readNamespaceFile: () => undefined,
    hostname: 'virt-operator-0',
    ...change,
  };
}
const env = (more: Record<string, string>) => ({ ...sources().env, ...more });

const GOOD: { name: string; given: Partial<ConfigSources>; want: Partial<Config> }[] = [
  {
    name: 'defaults of upstream',
    given: {},
    want: {
      listen: '0.0.0.0',
      port: 8186,
      webhookPort: 8444,
      clientQps: 200,
      clientBurst: 400,
      verbosity: 2,
      operatorNamespace: 'kubevirt',
      kubeconfig: undefined,
      master: undefined,
      warnings: [],
    },
  },
  {
    name: 'flags of the shipped Deployment',
    given: { args: ['--port', '8443', '-v', '2'] },
    want: { port: 8443, verbosity: 2 },
  },
  { name: 'patience with Redis', given: {}, want: { redisPatienceMs: 60_000 } },
  {
    name: 'less patience with Redis',
    given: { args: ['--redis-patience-seconds=1.5'] },
    want: { redisPatienceMs: 1500 },
  },
  { name: '-v=4', given: { args: ['-v=4'] }, want: { verbosity: 4 } },
  { name: '--v=3', given: { args: ['--v=3'] }, want: { verbosity: 3 } },
  { name: 'positional arguments are ignored', given: { args: ['x', '--port=1', 'y'] }, want: { port: 1 } },
  {
    name: 'the boolean flag may carry a value',
    given: { args: ['--dump-install-strategy=false', '--port=2'] },
    want: { port: 2 },
  },
  {
    name: 'own flags',
    given: {
      args: ['--webhook-port=0', '--dashboard-port=9', '--master=https://[::1]:6443', '--redis-url=rediss://h:1/2'],
    },
    want: { webhookPort: 0, dashboardPort: 9, master: 'https://[::1]:6443', redisUrl: 'rediss://h:1/2' },
  },
  { name: 'role all has a dashboard', given: {}, want: { hasDashboard: true } },
  { name: 'role all without a dashboard', given: { args: ['--no-dashboard'] }, want: { hasDashboard: false } },
  {
    name: 'admission: upstream’s ways by default; time to be taken out of Services in a pod',
    given: {},
    want: { requireClientCertificates: false, checkNewObjects: false, drainMs: 5000 },
  },
  {
    name: 'admission: outside of a cluster nobody has to be waited for',
    given: { args: ['--kubeconfig=/x'] },
    want: { drainMs: 0 },
  },
  {
    name: 'admission: options',
    given: { args: ['--require-client-certificates', '--check-new-objects=true', '--drain-seconds=2.5'] },
    want: { requireClientCertificates: true, checkNewObjects: true, drainMs: 2500 },
  },
  {
    name: 'rate limits: flag before variable',
    given: {
      args: ['--client-qps=7.5'],
      env: env({ VIRT_OPERATOR_CLIENT_QPS: '9', VIRT_OPERATOR_CLIENT_BURST: '11' }),
    },
    want: { clientQps: 7.5, clientBurst: 11, warnings: [] },
  },
  {
    name: 'rate limits: unusable values fall back to the default with a warning each',
    given: { args: ['--client-qps=-1'], env: env({ VIRT_OPERATOR_CLIENT_BURST: 'many' }) },
    want: {
      clientQps: 200,
      clientBurst: 400,
      warnings: [
        '--client-qps must be positive, not -1; the default is used',
        'VIRT_OPERATOR_CLIENT_BURST must be a positive number, not "many"; the default is used',
      ],
    },
  },
  {
    name: 'the burst is a whole number',
    given: { env: env({ VIRT_OPERATOR_CLIENT_BURST: '1.5' }) },
    want: {
      clientBurst: 400,
      warnings: ['VIRT_OPERATOR_CLIENT_BURST must be a positive number, not "1.5"; the default is used'],
    },
  },
  { name: 'namespace file', given: { readNamespaceFile: () => ' kv \n' }, want: { operatorNamespace: 'kv' } },
  { name: 'blank namespace file', given: { readNamespaceFile: () => '\n' }, want: { operatorNamespace: 'kubevirt' } },
  {
    name: 'functions need neither Redis nor image',
    given: { role: 'functions', env: {} },
    want: { redisUrl: undefined },
  },
  {
    name: 'gateway needs no image',
    given: { role: 'gateway', env: { REDIS_URL: 'redis://h' } },
    want: { release: undefined },
  },
  {
    name: 'secrets beside the addresses',
    given: { env: env({ REDIS_PASSWORD: 'p', DASHBOARD_TOKEN: 'r' }) },
    want: { redisPassword: 'p', dashboardTokens: { read: 'r', write: undefined } },
  },
  {
    name: 'Sentinels instead of an address',
    given: {
      env: {
        VIRT_OPERATOR_IMAGE: IMAGE,
        REDIS_SENTINELS: 'a.example.com:26380, b.example.com',
        REDIS_SENTINEL_MASTER: 'queue',
        REDIS_TLS: 'true',
        REDIS_DATABASE: '3',
      },
    },
    want: {
      redisUrl: undefined,
      redisSentinel: {
        nodes: [
          { host: 'a.example.com', port: 26380 },
          { host: 'b.example.com', port: 26379 },
        ],
        master: 'queue',
        password: undefined,
        username: undefined,
        database: 3,
        tls: true,
      },
    },
  },
  { name: 'L04: a Redis that may evict is not taken', given: {}, want: { redisMayEvict: false } },
  {
    name: 'L04: a Redis that may evict is taken on request',
    given: { env: env({ REDIS_MAY_EVICT: 'true' }) },
    want: { redisMayEvict: true },
  },
  {
    name: 'dump reads its target',
    given: { role: 'dump', env: { VIRT_OPERATOR_IMAGE: IMAGE, TARGET_DEPLOYMENT_CONFIG: '{}' } },
    want: { targetDeploymentConfig: '{}' },
  },
];

for (const { name, given, want } of GOOD) {
  test(name, () => {
    const config = readConfig(sources(given));
    for (const [key, value] of Object.entries(want)) assert.deepEqual(config[key as keyof Config], value, key);
  });
}

const BAD: { name: string; given: Partial<ConfigSources>; want: RegExp; usage?: boolean }[] = [
  { name: 'unknown flag', given: { args: ['--nope'] }, want: /--nope.*--help/, usage: true },
  { name: 'flag without value', given: { args: ['--port'] }, want: /--port/, usage: true },
  { name: 'port that is no number', given: { args: ['--port=https'] }, want: /--port cannot be "https"/, usage: true },
  {
    name: 'Sentinels without the name of a master',
    given: { env: env({ REDIS_SENTINELS: 'a:26379' }) },
    want: /REDIS_SENTINEL_MASTER/,
  },
  {
    name: 'a database of another name than a number',
    given: { env: env({ REDIS_SENTINELS: 'a:26379', REDIS_SENTINEL_MASTER: 'm', REDIS_DATABASE: 'three' }) },
    want: /REDIS_DATABASE takes the number of a database, not "three"/,
  },
  {
    name: 'port out of range',
    given: { args: ['--webhook-port=70000'] },
    want: /--webhook-port cannot be "70000"/,
    usage: true,
  },
  {
    name: 'malformed master',
    given: { args: ['--master=not a url'] },
    want: /--master cannot be "not a url"/,
    usage: true,
  },
  {
    name: 'master of another protocol',
    given: { args: ['--master=ftp://x'] },
    want: /--master cannot be/,
    usage: true,
  },
  { name: 'verbosity', given: { args: ['-v', 'much'] }, want: /--v cannot be "much"/, usage: true },
  { name: 'qps', given: { args: ['--client-qps=fast'] }, want: /--client-qps cannot be "fast"/, usage: true },
  { name: 'empty port', given: { args: ['--port='] }, want: /--port cannot be ""/, usage: true },
  { name: 'blank qps', given: { args: ['--client-qps', ' '] }, want: /--client-qps cannot be " "/, usage: true },
  { name: 'empty verbosity', given: { args: ['--v='] }, want: /--v cannot be ""/, usage: true },
  {
    name: 'the way out alone',
    given: { args: ['--nope'] },
    want: /^Unknown option '--nope'; --help lists/,
    usage: true,
  },
  {
    name: 'words of ours',
    given: { args: ['--port=https'] },
    want: /^--port cannot be "https": .*number/,
    usage: true,
  },
  { name: 'no Redis', given: { env: { VIRT_OPERATOR_IMAGE: IMAGE } }, want: /REDIS_URL or --redis-url/ },
  { name: 'Redis address', given: { env: env({ REDIS_URL: 'http://:secret@h' }) }, want: /redis:\/\/host:port/ },
  { name: 'no image', given: { env: { REDIS_URL: 'redis://h' } }, want: /VIRT_OPERATOR_IMAGE/ },
  { name: 'dump without target', given: { role: 'dump' }, want: /TARGET_DEPLOYMENT_CONFIG/ },
];

for (const { name, given, want, usage = false } of BAD) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => readConfig(sources(given)),
      (error) =>
        error instanceof ConfigurationError && want.test(error.message) && error instanceof UsageError === usage,
    );
  });
}

test('a password in a malformed Redis address is not repeated', () => {
  assert.throws(
    () => readConfig(sources({ env: env({ REDIS_URL: 'http://:secret@h' }) })),
    (error) => error instanceof Error && !error.message.includes('secret'),
  );
});

test('the configuration is frozen to the bottom', () => {
  const config = readConfig(sources());
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.release) && Object.isFrozen(config.release?.images));
});

test('help and dump mode are found wherever they stand', () => {
  assert.equal(hasFlag(['-v', '2', '--dump-install-strategy'], 'dump-install-strategy'), true);
  assert.equal(hasFlag(['--dump-install-strategy=true'], 'dump-install-strategy'), true);
  assert.equal(hasFlag(['--dump-install-strategy=false'], 'dump-install-strategy'), false);
  assert.equal(hasFlag(['-h'], 'help'), true);
});
