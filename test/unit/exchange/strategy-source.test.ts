import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { decideStrategySource, type SourceInput, type StrategySource } from '../../../src/exchange/strategy-source.ts';
import { target } from '../strategy/builders.ts';

const foreign = target({ imageTag: 'v1.8.4' });
const NOW = new Date('2026-08-01T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();
const IDENTIFIER = 'kubevirt.io/install-strategy-identifier';

const configMap = (name: string, manifests: string, created = ago(60)): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'kubevirt',
    creationTimestamp: created,
    labels: { 'kubevirt.io/install-strategy': '' },
    annotations: { [IDENTIFIER]: foreign.id },
  },
  data: { manifests },
});
const GOOD = 'kind: Secret\napiVersion: v1\nmetadata: {name: s, namespace: n}\n';

const job = (name: string, status: JsonObject, attempt?: number, id = foreign.id): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name,
    namespace: 'kubevirt',
    annotations: {
      [IDENTIFIER]: id,
      ...(attempt === undefined ? {} : { 'kubevirt.io/install-strategy-attempt': String(attempt) }),
    },
  },
  status,
});
const complete = (seconds: number): JsonObject => ({ completionTime: ago(seconds) });
const failed = (seconds: number): JsonObject => ({
  conditions: [
    {
      type: 'Failed',
      status: 'True',
      message: 'Job has reached the specified backoff limit',
      lastTransitionTime: ago(seconds),
    },
  ],
});

const decide = (changes: Partial<SourceInput>): StrategySource =>
  decideStrategySource({ target: foreign, configMaps: [], jobs: [], now: NOW, ...changes });

/** What a decision says, in short. */
const summary = (source: StrategySource): string => {
  switch (source.type) {
    case 'native':
      return 'native';
    case 'configmap':
      return `configmap ${source.configMap.metadata.name ?? ''}`;
    case 'create-job':
      return `create ${source.attempt}`;
    case 'wait':
      return source.until === undefined ? 'wait' : `wait ${(source.until.getTime() - NOW.getTime()) / 1000}`;
  }
};

describe('decideStrategySource', () => {
  const terminating = job('gone', complete(60));
  terminating.metadata.deletionTimestamp = ago(1);
  const rows: { name: string; input: Partial<SourceInput>; want: string; obsolete?: string[] }[] = [
    { name: 'the compiled-in release is generated', input: { target: target() }, want: 'native' },
    {
      name: 'also when the CR names its tag',
      input: { target: target({ imageTag: 'v1.9.0', imageRegistry: 'r' }) },
      want: 'native',
    },
    {
      name: 'all Jobs for other releases go with the compiled-in one',
      input: { target: target(), jobs: [job('a', complete(1)), job('b', {}), job('c', failed(1))] },
      want: 'native',
      obsolete: ['a', 'b', 'c'],
    },
    {
      name: 'a ConfigMap: finished Jobs go, and those for other deployments, whose image may not exist',
      input: {
        configMaps: [configMap('cm', GOOD)],
        jobs: [job('ended', complete(1)), job('running', {}), job('other', {}, 1, 'x')],
      },
      want: 'configmap cm',
      obsolete: ['ended', 'other'],
    },
    { name: 'a ConfigMap', input: { configMaps: [configMap('cm', GOOD)] }, want: 'configmap cm' },
    {
      name: 'the newest one',
      input: { configMaps: [configMap('old', GOOD, ago(60)), configMap('new', GOOD, ago(5))] },
      want: 'configmap new',
    },
    {
      name: 'an older one when the newest is damaged',
      input: { configMaps: [configMap('old', GOOD, ago(60)), configMap('bad', 'kind: X', ago(5))] },
      want: 'configmap old',
    },
    { name: 'nothing there', input: {}, want: 'create 1' },
    { name: 'only a damaged ConfigMap', input: { configMaps: [configMap('bad', '')] }, want: 'create 1' },
    { name: 'Jobs of other deployments do not count', input: { jobs: [job('other', {}, 1, 'x')] }, want: 'create 1' },
    {
      name: 'a Job on its way out does not count, and is not deleted again',
      input: { jobs: [terminating] },
      want: 'create 1',
    },
    { name: 'a running Job', input: { jobs: [job('a', { active: 1 })] }, want: 'wait' },
    {
      name: 'a running Job after failed ones, which go',
      input: { jobs: [job('a', failed(99), 1), job('b', {}, 2)] },
      want: 'wait',
      obsolete: ['a'],
    },
    {
      name: 'complete a moment ago: its ConfigMap may be on the way',
      input: { jobs: [job('a', complete(3))] },
      want: 'wait 7',
    },
    { name: 'complete long ago without a ConfigMap', input: { jobs: [job('a', complete(10))] }, want: 'create 2' },
    { name: 'failed a moment ago', input: { jobs: [job('a', failed(0))] }, want: 'wait 10' },
    { name: 'failed long ago', input: { jobs: [job('a', failed(60))] }, want: 'create 2' },
    { name: 'waits double with each attempt', input: { jobs: [job('c', failed(0), 3)] }, want: 'wait 40' },
    { name: 'waits have a limit', input: { jobs: [job('c', failed(0), 30)] }, want: 'wait 300' },
    {
      name: 'the last attempt counts, the others go',
      input: { jobs: [job('a', failed(900), 1), job('b', failed(100), 2)] },
      want: 'create 3',
      obsolete: ['a'],
    },
    {
      name: 'a time that cannot be read is now',
      input: { jobs: [job('a', { conditions: [{ type: 'Failed', status: 'True' }] })] },
      want: 'wait 10',
    },
    {
      name: 'Failed=False is not failed',
      input: { jobs: [job('a', { conditions: [{ type: 'Failed', status: 'False' }] })] },
      want: 'wait',
    },
  ];
  for (const { name, input, want, obsolete = [] } of rows) {
    test(name, () => {
      const source = decide(input);
      assert.equal(summary(source), want);
      assert.deepEqual(
        source.obsoleteJobs.map(({ metadata }) => metadata.name),
        obsolete,
      );
    });
  }

  test('reasons name the Job, its failure and the damaged ConfigMap', () => {
    const source = decide({ jobs: [job('dump-1', failed(0))], configMaps: [configMap('bad', '')] });
    assert.equal(source.type, 'wait');
    assert.match(
      source.reason,
      /Job dump-1 has failed: Job has reached the specified backoff limit; strategy ConfigMap kubevirt\/bad/,
    );
  });

  const told: { name: string; jobs: KubernetesObject[]; want: RegExp | undefined }[] = [
    { name: 'the first Job runs', jobs: [job('a', { active: 1 })], want: undefined },
    {
      name: 'the first Job is complete, its ConfigMap may be on the way',
      jobs: [job('a', complete(3))],
      want: undefined,
    },
    { name: 'a Job has failed', jobs: [job('a', failed(3))], want: /Job a has failed: .*; the next attempt is at 20/ },
    {
      name: 'a second Job leaves no ConfigMap either',
      jobs: [job('b', complete(3), 2)],
      want: /Job b ended without leaving a readable strategy; the next/,
    },
    { name: 'a second Job runs', jobs: [job('b', { active: 1 }, 2)], want: /Job b .*attempt 2/ },
  ];
  for (const { name, jobs, want } of told) {
    test(`what is told while waiting: ${name}`, () => {
      const source = decide({ jobs });
      assert.equal(source.type, 'wait');
      if (want === undefined) assert.equal(source.failure, undefined);
      else assert.match(source.failure ?? '', want);
    });
  }

  test('problems are told even when another ConfigMap serves', () => {
    const source = decide({ configMaps: [configMap('old', GOOD, ago(60)), configMap('bad', 'kind: X', ago(5))] });
    assert.equal(source.type, 'configmap');
    assert.match(source.problems.join(), /kubevirt\/bad.*unknown kind "X"/);
  });

  test('the caller may remember what it has read', () => {
    let calls = 0;
    const strategy = { objects: [], ofKind: () => [] };
    const source = decide({ configMaps: [configMap('cm', 'unread')], parse: () => (calls++, strategy) });
    assert.deepEqual([source.type === 'configmap' && source.strategy, calls], [strategy, 1]);
  });
});
