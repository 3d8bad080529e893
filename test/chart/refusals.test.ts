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
];

const external = { 'redis.enabled': false, 'externalRedis.host': 'redis.example.com' };
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
  { name: 'a CA for the bundled Redis', values: { 'externalRedis.caSecret': 'ca' }, want: /the bundled one has none/ },
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
