import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noHelm, renderText, type Values } from './render.ts';

interface Refusal {
  name: string;
  values: Values;
  want: RegExp;
}

const unfit: Refusal[] = [
  { name: 'an unknown value', values: { replica: 3 }, want: /replica/ },
  { name: 'an unknown mode', values: { mode: 'both' }, want: /mode/ },
  { name: 'no replicas', values: { 'all.replicas': 0 }, want: /replicas/ },
  { name: 'a digest without algorithm', values: { 'image.digest': 'abc' }, want: /digest/ },
  { name: 'a runbook URL without %s', values: { 'kubevirt.runbookUrlTemplate': 'https://a.example' }, want: /runbook/ },
  { name: 'a registry that ends in a slash', values: { 'kubevirt.registry': 'quay.io/kubevirt/' }, want: /registry/ },
  {
    name: 'an operator image of another name',
    values: { 'kubevirt.operatorImage': 'quay.io/a/b' },
    want: /operatorImage/,
  },
  {
    name: 'a variable name with a dash',
    values: { 'kubevirt.passthroughEnv': { 'A-B': 'x' } },
    want: /passthroughEnv/,
  },
  { name: 'a namespace in upper case', values: { 'namespace.name': 'Virt' }, want: /namespace/ },
  { name: 'no patience with Redis', values: { redisPatienceSeconds: 0 }, want: /redisPatienceSeconds/ },
  { name: 'an unknown placement', values: { controlPlane: 'sometimes' }, want: /controlPlane/ },
  { name: 'a Redis address of another scheme', values: { 'externalRedis.url': 'http://redis' }, want: /externalRedis/ },
  { name: 'a mode that is taken away', values: { mode: null }, want: /mode is required/ },
  {
    name: 'a group of values that is taken away',
    values: { 'functions.autoscaling': null },
    want: /autoscaling is req/,
  },
  { name: 'a text that is taken away', values: { 'image.registry': null }, want: /registry is required/ },
  { name: 'a registry with a scheme', values: { 'image.registry': 'https://registry.example.com' }, want: /registry/ },
  { name: 'an image name with a tag', values: { 'image.repository': 'virt-operator:1' }, want: /repository/ },
  { name: 'a tag with a blank', values: { 'image.tag': 'a b' }, want: /image\.tag/ },
  { name: 'a KubeVirt version with a blank', values: { 'kubevirt.version': 'v1 9' }, want: /kubevirt\.version/ },
  { name: 'a KubeVirt registry with a scheme', values: { 'kubevirt.registry': 'https://quay.io/k' }, want: /registry/ },
  {
    name: 'an operator image with half a digest',
    values: { 'kubevirt.operatorImage': 'quay.io/a/virt-operator@sha256:ab' },
    want: /operatorImage/,
  },
  { name: 'an image of a component that is none', values: { 'kubevirt.images.virtApi': 'https://q' }, want: /virtApi/ },
  { name: 'a pull secret in upper case', values: { imagePullSecrets: [{ name: 'Mine' }] }, want: /imagePullSecrets/ },
  {
    name: 'a Secret whose name has a blank',
    values: { 'dashboard.existingSecret': 'my secret' },
    want: /existingSecret/,
  },
  { name: 'a key that leads out of its Secret', values: { 'externalRedis.caSecretKey': '../ca' }, want: /caSecretKey/ },
  { name: 'a token with a blank', values: { 'dashboard.token': 'a b' }, want: /dashboard\.token/ },
  { name: 'a Redis host with its port', values: { 'externalRedis.host': 'redis:6380' }, want: /externalRedis\.host/ },
  {
    name: 'a Redis port that is none',
    values: { 'externalRedis.url': 'redis://redis:99999' },
    want: /externalRedis\.url/,
  },
  {
    name: 'a Redis database by name',
    values: { 'externalRedis.url': 'redis://redis/mine' },
    want: /externalRedis\.url/,
  },
  { name: 'a Sentinel port that is none', values: { 'externalRedis.sentinel.nodes': ['a:99999'] }, want: /nodes/ },
  { name: 'a Sentinel twice', values: { 'externalRedis.sentinel.nodes': ['a:1', 'a:1'] }, want: /nodes.*unique/ },
  { name: 'a label with a blank', values: { podLabels: { team: 'a b' } }, want: /podLabels/ },
  { name: 'a node label with a blank', values: { nodeSelector: { 'a b': 'c' } }, want: /nodeSelector/ },
  { name: 'an amount in words', values: { 'all.resources.limits.memory': 'lots' }, want: /memory/ },
  { name: 'a variable whose name has a blank', values: { extraEnv: [{ name: 'A B', value: 'c' }] }, want: /extraEnv/ },
  { name: 'a variable that is a number', values: { extraEnv: [{ name: 'A', value: 1 }] }, want: /extraEnv/ },
  { name: 'a misspelt variable', values: { extraEnv: [{ name: 'A', valeu: 'b' }] }, want: /valeu/ },
  {
    name: 'a rule without verbs',
    values: { 'rbac.extraClusterRules': [{ resources: ['pods'] }] },
    want: /verbs is req/,
  },
  { name: 'a misspelt toleration', values: { tolerations: [{ kee: 'a' }] }, want: /kee/ },
  { name: 'an affinity of another kind', values: { affinity: { nodes: {} } }, want: /nodes/ },
  {
    name: 'a misspelt affinity',
    values: { affinity: { nodeAffinity: { required: {} } } },
    want: /required is not allowed/,
  },
  { name: 'half a spread', values: { topologySpreadConstraints: [{ maxSkew: 1 }] }, want: /topologyKey is required/ },
  { name: 'a peer of no kind', values: { 'networkPolicies.dashboardFrom': [{ pods: {} }] }, want: /pods/ },
  { name: 'a collector with a blank', values: { 'tracing.endpoint': 'http:// collector' }, want: /endpoint/ },
  { name: 'scraping all the time', values: { 'monitoring.interval': '0s' }, want: /interval/ },
];

const external = { 'redis.enabled': false, 'externalRedis.host': 'redis.example.com' };
const byUrl = { 'redis.enabled': false, 'externalRedis.url': 'redis://redis.example.com' };
const bySentinels = { 'redis.enabled': false, 'externalRedis.sentinel.nodes': ['a.example.com'] };
const contradictory: Refusal[] = [
  {
    name: 'two Redis',
    values: { 'externalRedis.host': 'redis.example.com' },
    want: /redis\.enabled and externalRedis are both set/,
  },
  { name: 'no Redis', values: { 'redis.enabled': false }, want: /externalRedis names none/ },
  {
    name: 'an external Redis given twice',
    values: { ...external, 'externalRedis.url': 'redis://redis' },
    want: /more than one way/,
  },
  {
    name: 'a user without a password',
    values: { ...external, 'externalRedis.username': 'operator' },
    want: /username needs a password/,
  },
  ...['caSecret', 'mayEvict', 'passwordSecret', 'sentinel.passwordSecret', 'tls', 'username', 'database', 'port'].map(
    (name) => ({
      name: `externalRedis.${name} for the bundled Redis`,
      values: { [`externalRedis.${name}`]: { mayEvict: true, tls: true, database: 1, port: 6380 }[name] ?? 'x' },
      want: new RegExp(`externalRedis\\.${name.replace('.', '\\.')} is for a Redis of yours`),
    }),
  ),
  {
    name: 'a password of the bundled Redis for another one',
    values: { ...external, 'redis.auth.password': 'x' },
    want: /name that of yours in externalRedis\.passwordSecret/,
  },
  {
    name: 'parts beside a whole address',
    values: { ...byUrl, 'externalRedis.tls': true },
    want: /externalRedis\.tls is a part of the address, and externalRedis\.url is the whole of it/,
  },
  {
    name: 'parts beside a Secret with the whole address',
    values: { 'redis.enabled': false, 'externalRedis.existingSecret': 'mine', 'externalRedis.database': 3 },
    want: /externalRedis\.database is a part of the address, and externalRedis\.existingSecret is the whole of it/,
  },
  {
    name: 'a password of Sentinels that there are not',
    values: { ...external, 'externalRedis.sentinel.passwordSecret': 'x' },
    want: /sentinel\.passwordSecret needs Sentinels/,
  },
  {
    name: 'a port that Sentinels tell',
    values: { ...bySentinels, 'externalRedis.port': 6380 },
    want: /externalRedis\.port comes from the Sentinels/,
  },
  ...[external, bySentinels].map((values) => ({
    name: `a CA without TLS, ${Object.keys(values).at(-1) ?? ''}`,
    values: { ...values, 'externalRedis.caSecret': 'ca' },
    want: /set externalRedis\.tls=true too/,
  })),
  {
    name: 'a CA without TLS in the address',
    values: { ...byUrl, 'externalRedis.caSecret': 'ca' },
    want: /let externalRedis\.url begin with rediss/,
  },
  ...['1gb', '128mb', '0'].map((maxMemory) => ({
    name: `a Redis that may take more than its pod: ${maxMemory}`,
    values: { 'redis.maxMemory': maxMemory },
    want: /redis\.maxMemory .* leaves nothing of the limit of its pod, .*128Mi/,
  })),
  {
    name: 'one token for reading and writing',
    values: { 'dashboard.token': 'a', 'dashboard.writeToken': 'a' },
    want: /whoever may read could write/,
  },
  {
    name: 'peers that nothing keeps to',
    values: { 'networkPolicies.enabled': false, 'networkPolicies.dashboardFrom': [{ podSelector: {} }] },
    want: /needs networkPolicies\.enabled/,
  },
  {
    name: 'rights without roles',
    values: { 'rbac.create': false, 'rbac.escalate': true },
    want: /roles that rbac\.create=false leaves out/,
  },
  {
    name: "a label of the chart's own",
    values: { commonLabels: { 'app.kubernetes.io/name': 'x' } },
    want: /commonLabels has/,
  },
  {
    name: 'a label that marks operands',
    values: { commonLabels: { 'app.kubernetes.io/managed-by': 'virt-operator' } },
    want: /marks what the operator installs/,
  },
  {
    name: 'a label of pods by which they are found',
    values: { 'worker.podLabels': { 'kubevirt.io': 'x' } },
    want: /worker\.podLabels has kubevirt\.io, by which the pods are found/,
  },
  {
    name: 'a password given twice',
    values: { 'redis.auth.password': 'a', 'redis.auth.existingSecret': 'b' },
    want: /redis\.auth\.existingSecret are both set/,
  },
  {
    name: 'tokens given twice',
    values: { 'dashboard.token': 'a', 'dashboard.existingSecret': 'b' },
    want: /dashboard\.existingSecret holds the tokens/,
  },
  {
    name: 'a spec that nothing is made of',
    values: { 'kubevirt.spec': { imageTag: 'v1.8.4' } },
    want: /kubevirt\.enabled is not/,
  },
  {
    name: 'a drain that lasts to the end',
    values: { 'admission.drainSeconds': 30 },
    want: /make terminationGracePeriodSeconds longer/,
  },
  {
    name: 'autoscaling bounds the wrong way round',
    values: { mode: 'split', 'functions.autoscaling.minReplicas': 9 },
    want: /minReplicas \(9\) is more than maxReplicas \(6\)/,
  },
  {
    name: 'autoscaling of a Deployment that does everything',
    values: { 'functions.autoscaling.enabled': true },
    want: /needs mode=split/,
  },
  {
    name: 'autoscaling without a measure',
    values: {
      mode: 'split',
      'functions.autoscaling.enabled': true,
      'functions.resources.requests': { memory: '1Gi', cpu: null },
    },
    want: /set functions\.resources\.requests\.cpu/,
  },
];

for (const [title, rows] of [
  ['the schema refuses', unfit],
  ['the chart refuses with a sentence', contradictory],
] as const) {
  describe(title, { skip: noHelm }, () => {
    for (const { name, values, want } of rows) {
      test(name, () => {
        assert.throws(() => renderText(values), want);
      });
    }
  });
}
