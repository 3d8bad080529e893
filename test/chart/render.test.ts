import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS, type KindName } from '../../src/api/kinds.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { buildTable } from '../../src/watch/table.ts';
import { environmentOf, find, noHelm, podOf, podsOf, render, type Values } from './render.ts';

const modes: { mode: string; values: Values }[] = [
  { mode: 'all', values: {} },
  { mode: 'split', values: { mode: 'split', 'kubevirt.enabled': true } },
];

for (const { mode, values } of modes) {
  describe(`mode ${mode}`, { skip: noHelm }, () => {
    const objects = noHelm === false ? render(values) : [];

    test('holds every right that upstream holds', () => {
      // Upstream's, and one of ours: the status of CRDs.
      assert.equal((find(objects, 'ClusterRole', 'kubevirt-operator')['rules'] as unknown[]).length, 139 + 1);
      assert.equal((find(objects, 'Role', 'kubevirt-operator')['rules'] as unknown[]).length, 14);
    });

    test('puts every namespaced object into the namespace of the values', () => {
      const namespaces = new Set(
        render({ ...values, 'namespace.name': 'virt-system' }).map((object) => object.metadata.namespace),
      );
      namespaces.delete('kube-system');
      assert.deepEqual(namespaces, new Set([undefined, 'virt-system']));
    });

    test('marks no object as an operand', () => {
      for (const { metadata } of objects) assert.equal(metadata.labels?.['app.kubernetes.io/managed-by'], undefined);
    });

    test('every container runs restricted, with a read-only root', () => {
      const containers = podsOf(objects).flatMap(({ initContainers = [], containers }) => [
        ...initContainers,
        ...containers,
      ]);
      assert.ok(containers.length >= 4);
      for (const { securityContext } of containers) {
        assert.equal(securityContext['readOnlyRootFilesystem'], true);
        assert.equal(securityContext['allowPrivilegeEscalation'], false);
        assert.deepEqual(securityContext['capabilities'], { drop: ['ALL'] });
      }
    });
  });
}

interface Rule {
  apiGroups?: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

/** What an account may do, by the roles of its name. */
function rulesOf(objects: KubernetesObject[], account: string, kinds = ['ClusterRole', 'Role']): Rule[] {
  return objects
    .filter(({ kind, metadata }) => kinds.includes(kind) && metadata.name === account)
    .flatMap((role) => role['rules'] as Rule[]);
}

function allows({ apiGroups = [], resources, resourceNames, verbs }: Rule, kind: KindName, verb: string): boolean {
  const { group, plural } = KINDS[kind];
  const includes = (list: string[], item: string): boolean => list.includes(item) || list.includes('*');
  return (
    resourceNames === undefined && apiGroups.includes(group) && includes(resources, plural) && includes(verbs, verb)
  );
}

describe('roles', { skip: noHelm }, () => {
  const split = noHelm === false ? render({ mode: 'split' }) : [];
  const accounts: { deployment: string; want: string }[] = [
    { deployment: 'virt-operator', want: 'kubevirt-operator-functions' },
    { deployment: 'virt-operator-gateway', want: 'kubevirt-operator-gateway' },
    { deployment: 'virt-operator-worker', want: 'kubevirt-operator' },
    { deployment: 'kubevirt-dashboard', want: 'kubevirt-dashboard' },
    { deployment: 'kubevirt-redis', want: 'default' },
  ];
  for (const { deployment, want } of accounts) {
    test(`${deployment} runs as ${want}`, () => {
      const { serviceAccountName = 'default', automountServiceAccountToken = true } = podOf(
        find(split, 'Deployment', deployment),
      );
      assert.equal(serviceAccountName, want);
      assert.equal(automountServiceAccountToken, want.startsWith('kubevirt-operator'));
    });
  }

  const writes: { account: string; want: object[] }[] = [
    { account: 'kubevirt-operator-gateway', want: [] },
    {
      account: 'kubevirt-operator-functions',
      want: [{ apiGroups: ['apps'], resources: ['daemonsets', 'deployments'], verbs: ['create'] }],
    },
  ];
  for (const { account, want } of writes) {
    test(`${account} may change ${want.length === 0 ? 'nothing' : 'what it may only try'}`, () => {
      const isWriting = ({ verbs }: Rule): boolean => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb));
      assert.deepEqual(rulesOf(split, account).filter(isWriting), want);
    });
  }

  test('the dashboard has no right at all', () => {
    assert.ok(
      !split.some(
        ({ kind, ...rest }) => kind.endsWith('Binding') && JSON.stringify(rest).includes('kubevirt-dashboard'),
      ),
    );
  });

  for (const account of ['kubevirt-operator-gateway', 'kubevirt-operator']) {
    test(`${account} may read all that the watches read`, () => {
      const missing = buildTable('kubevirt').filter(({ kind, scope }) => {
        const rules = rulesOf(split, account, scope === 'all' ? ['ClusterRole'] : ['ClusterRole', 'Role']);
        return !['get', 'list', 'watch'].every((verb) => rules.some((rule) => allows(rule, kind, verb)));
      });
      assert.deepEqual(
        missing.map(({ id }) => id),
        [],
      );
    });
  }

  test('only pods that serve admission are behind the webhook Service', () => {
    const labelled = split
      .filter(({ kind }) => kind === 'Deployment')
      .filter((object) => JSON.stringify(object.spec).includes('"kubevirt.io":"virt-operator"'))
      .map(({ metadata }) => metadata.name);
    assert.deepEqual(labelled, ['virt-operator']);
  });
});

describe('the KubeVirt release', { skip: noHelm }, () => {
  const rows: { name: string; values: Values; want: Record<string, string | undefined> }[] = [
    {
      name: 'is named by registry and version',
      values: {},
      want: { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0', KUBEVIRT_VERSION: 'v1.9.0' },
    },
    {
      name: 'may come from a mirror with a prefix',
      values: {
        'kubevirt.registry': 'registry.example.com/mirror',
        'kubevirt.imagePrefix': 'acme-',
        'kubevirt.version': 'v1.8.4',
      },
      want: {
        VIRT_OPERATOR_IMAGE: 'registry.example.com/mirror/acme-virt-operator:v1.8.4',
        KUBEVIRT_VERSION: 'v1.8.4',
      },
    },
    {
      name: 'may have images of its own',
      values: {
        'kubevirt.operatorImage': `quay.io/kubevirt/virt-operator@sha256:${'0'.repeat(64)}`,
        'kubevirt.images.virtApi': 'registry.example.com/api:1',
        'kubevirt.passthroughEnv': { HTTPS_PROXY: 'http://proxy.example.com:3128' },
        'kubevirt.runbookUrlTemplate': 'https://runbooks.example.com/%s',
      },
      want: {
        VIRT_OPERATOR_IMAGE: `quay.io/kubevirt/virt-operator@sha256:${'0'.repeat(64)}`,
        VIRT_API_IMAGE: 'registry.example.com/api:1',
        KV_IO_EXTRA_ENV_HTTPS_PROXY: 'http://proxy.example.com:3128',
        RUNBOOK_URL_TEMPLATE: 'https://runbooks.example.com/%s',
      },
    },
  ];
  for (const { name, values, want } of rows) {
    test(name, () => {
      const environment = environmentOf(podOf(find(render(values), 'Deployment', 'virt-operator')));
      assert.deepEqual({ ...environment, ...want }, environment);
    });
  }

  test('never is the image of our own pods', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const [container] = podOf(
      find(render({ 'image.registry': 'registry.example.com', 'image.digest': digest }), 'Deployment', 'virt-operator'),
    ).containers;
    assert.equal(container.image, `registry.example.com/virt-operator@${digest}`);
  });
});

describe('Redis', { skip: noHelm }, () => {
  const without = { 'redis.enabled': false };
  const rows: { name: string; values: Values; want: Record<string, string | undefined> }[] = [
    {
      name: 'bundled',
      values: {},
      want: {
        REDIS_PASSWORD: 'kubevirt-redis/password',
        REDIS_URL: 'redis://kubevirt-redis.kubevirt.svc:6379',
      },
    },
    {
      name: 'bundled with a password of yours',
      values: { 'redis.auth.existingSecret': 'mine', 'redis.auth.secretKey': 'pw' },
      want: { REDIS_PASSWORD: 'mine/pw', REDIS_URL: 'redis://kubevirt-redis.kubevirt.svc:6379' },
    },
    {
      name: 'external by URL',
      values: { ...without, 'externalRedis.url': 'redis://:secret@redis.example.com:6379/2' },
      want: { REDIS_URL: 'kubevirt-external-redis/url' },
    },
    {
      name: 'external by Secret',
      values: { ...without, 'externalRedis.existingSecret': 'mine', 'externalRedis.secretKey': 'address' },
      want: { REDIS_URL: 'mine/address' },
    },
    {
      name: 'external by URL, with the password beside it',
      values: { ...without, 'externalRedis.url': 'redis://redis.example.com', 'externalRedis.passwordSecret': 'redis' },
      want: { REDIS_URL: 'kubevirt-external-redis/url', REDIS_PASSWORD: 'redis/password' },
    },
    {
      name: 'external by Secret, with the password beside it',
      values: { ...without, 'externalRedis.existingSecret': 'mine', 'externalRedis.passwordSecret': 'redis' },
      want: { REDIS_URL: 'mine/url', REDIS_PASSWORD: 'redis/password' },
    },
    {
      name: 'external by parts',
      values: { ...without, 'externalRedis.host': 'redis.example.com' },
      want: { REDIS_URL: 'redis://redis.example.com:6379/0' },
    },
    {
      name: 'external with TLS and a user',
      values: {
        ...without,
        externalRedis: {
          host: 'redis.example.com',
          port: 6380,
          tls: true,
          username: 'operator',
          passwordSecret: 'redis',
          caSecret: 'redis-ca',
        },
      },
      want: {
        REDIS_PASSWORD: 'redis/password',
        REDIS_URL: 'rediss://operator@redis.example.com:6380/0',
        NODE_EXTRA_CA_CERTS: '/etc/redis-ca/ca.crt',
      },
    },
    {
      name: 'L04: external with an eviction policy that is put up with',
      values: { ...without, 'externalRedis.host': 'redis.example.com', 'externalRedis.mayEvict': true },
      want: { REDIS_URL: 'redis://redis.example.com:6379/0', REDIS_MAY_EVICT: 'true' },
    },
    {
      name: 'external, named by Sentinels',
      values: {
        ...without,
        'externalRedis.sentinel': {
          nodes: ['a.example.com:26379', 'b.example.com:26379'],
          master: 'queue',
          passwordSecret: 'sentinel',
        },
        'externalRedis.passwordSecret': 'redis',
        'externalRedis.database': 3,
      },
      want: {
        REDIS_SENTINELS: 'a.example.com:26379,b.example.com:26379',
        REDIS_SENTINEL_MASTER: 'queue',
        REDIS_SENTINEL_PASSWORD: 'sentinel/password',
        REDIS_TLS: 'false',
        REDIS_DATABASE: '3',
        REDIS_PASSWORD: 'redis/password',
      },
    },
  ];
  for (const { name, values, want } of rows) {
    test(name, () => {
      const objects = render(values);
      const environment = environmentOf(podOf(find(objects, 'Deployment', 'virt-operator')));
      const redis = Object.entries(environment).filter(([key]) => /^(REDIS_|NODE_EXTRA)/.test(key));
      assert.deepEqual(Object.fromEntries(redis), want);
      assert.equal(
        objects.some(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'kubevirt-redis'),
        !('redis.enabled' in values),
      );
    });
  }
});

describe('patience with Redis', { skip: noHelm }, () => {
  for (const [mode, deployment] of [
    ['all', 'virt-operator'],
    ['split', 'virt-operator-worker'],
  ] as const) {
    test(`is told to whoever reconciles in mode ${mode}`, () => {
      const { args } = podOf(find(render({ mode, redisPatienceSeconds: 7.5 }), 'Deployment', deployment)).containers[0];
      assert.ok(args.includes('--redis-patience-seconds=7.5'), args.join(' '));
      assert.ok(!args.some((arg) => arg.startsWith('--migration-patience')), args.join(' '));
    });

    test(`B28: patience with migrations is told in mode ${mode} where it is asked for`, () => {
      const values = { mode, migrationPatienceSeconds: 900 };
      const { args } = podOf(find(render(values), 'Deployment', deployment)).containers[0];
      assert.ok(args.includes('--migration-patience-seconds=900'), args.join(' '));
    });
  }
});

describe('placement', { skip: noHelm }, () => {
  const rows: { controlPlane: string; want: string[] | undefined }[] = [
    {
      controlPlane: 'required',
      want: ['preferredDuringSchedulingIgnoredDuringExecution', 'requiredDuringSchedulingIgnoredDuringExecution'],
    },
    { controlPlane: 'preferred', want: ['preferredDuringSchedulingIgnoredDuringExecution'] },
    { controlPlane: 'any', want: undefined },
  ];
  for (const { controlPlane, want } of rows) {
    test(`control plane ${controlPlane}`, () => {
      const { affinity } = podOf(find(render({ controlPlane }), 'Deployment', 'virt-operator'));
      const nodes = affinity?.nodeAffinity;
      assert.deepEqual(nodes === undefined ? undefined : Object.keys(nodes).toSorted(), want);
    });
  }

  test("a role's own values replace the common ones", () => {
    const objects = render({
      mode: 'split',
      nodeSelector: { zone: 'a' },
      'worker.nodeSelector': { zone: 'b' },
      'worker.tolerations': [{ operator: 'Exists' }],
    });
    assert.deepEqual(podOf(find(objects, 'Deployment', 'virt-operator-gateway')).nodeSelector, {
      zone: 'a',
      'kubernetes.io/os': 'linux',
    });
    const worker = podOf(find(objects, 'Deployment', 'virt-operator-worker'));
    assert.deepEqual(worker.nodeSelector, { zone: 'b' });
    assert.deepEqual(worker.tolerations, [{ operator: 'Exists' }]);
  });
});

describe('the KubeVirt object', { skip: noHelm }, () => {
  test('is applied by our own image after the release', () => {
    const spec = { workloadUpdateStrategy: {} };
    const objects = render({ 'kubevirt.enabled': true, 'kubevirt.spec': spec });
    const data = find(objects, 'ConfigMap', 'virt-operator-kubevirt').data?.['kubevirt.yaml'] ?? '';
    assert.match(
      data,
      /kind: KubeVirt\nmetadata:\n {2}name: kubevirt\n {2}namespace: kubevirt\nspec:\n {2}workloadUpdateStrategy: \{\}/,
    );
    const job = find(objects, 'Job', 'virt-operator-apply-kubevirt');
    assert.equal(job.metadata.annotations?.['helm.sh/hook'], 'post-install,post-upgrade');
    const { args } = podOf(job).containers[0];
    assert.deepEqual(args, [
      'setup',
      '--timeout=300',
      '--namespace=kubevirt',
      '--kubevirt',
      '/etc/kubevirt/kubevirt.yaml',
    ]);
  });

  test('is removed before the operator', () => {
    const job = find(render(), 'Job', 'virt-operator-remove-kubevirt');
    assert.equal(job.metadata.annotations?.['helm.sh/hook'], 'pre-delete');
    assert.equal(podOf(job).containers[0].args[0], 'remove');
    const names = render({ 'hooks.removeKubeVirt': false }).map(({ metadata }) => metadata.name);
    assert.ok(!names.includes('virt-operator-remove-kubevirt'));
  });

  test('is waited for by `helm test`', () => {
    const job = find(render({ 'namespace.name': 'virt-system' }), 'Job', 'virt-operator-test');
    assert.equal(job.metadata.annotations?.['helm.sh/hook'], 'test');
    const { args } = podOf(job).containers[0];
    assert.deepEqual(args, ['status', '--wait', '--namespace', 'virt-system', '--timeout=300']);
  });
});

describe('monitoring', { skip: noHelm }, () => {
  const kinds = ['ServiceMonitor', 'PrometheusRule'];
  const rows: { name: string; values: Values; options: string[]; want: string[] }[] = [
    { name: 'without the API', values: {}, options: [], want: [] },
    { name: 'with the API', values: {}, options: ['--api-versions', 'monitoring.coreos.com/v1'], want: kinds },
    {
      name: 'as told',
      values: { 'monitoring.serviceMonitor': 'disabled', 'monitoring.rules': 'enabled' },
      options: [],
      want: ['PrometheusRule'],
    },
  ];
  for (const { name, values, options, want } of rows) {
    test(name, () => {
      const found = render(values, options).filter(({ kind }) => kinds.includes(kind));
      assert.deepEqual(found.map(({ kind }) => kind).toSorted(), want.toSorted());
    });
  }

  test("KubeVirt's own ServiceMonitor does not scrape the chart's Service as well", () => {
    const service = find(render({ 'monitoring.serviceMonitor': 'enabled' }), 'Service', 'virt-operator-metrics');
    assert.equal(service.metadata.labels?.['prometheus.kubevirt.io'], undefined);
  });
});
