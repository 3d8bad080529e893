import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GenerationStatus } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { hashSpec, isGenerationRecorded, readRecord } from '../../../src/plan/generations.ts';

const deployment = (generation?: number): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'virt-api', namespace: 'kubevirt', ...(generation === undefined ? {} : { generation }) },
});
const entry = (changes: Partial<GenerationStatus>): GenerationStatus[] => [
  { group: 'apps', resource: 'deployments', namespace: 'kubevirt', name: 'virt-api', lastGeneration: 4, ...changes },
];

describe('readRecord', () => {
  const hash = hashSpec({ replicas: 2 });
  const rows: { name: string; entries: GenerationStatus[]; generation?: number; want: string; recorded: boolean }[] = [
    {
      name: 'our last write, of this spec',
      entries: entry({ hash }),
      generation: 4,
      want: 'unchanged',
      recorded: true,
    },
    {
      name: 'our last write, of another spec',
      entries: entry({ hash: 'other' }),
      generation: 4,
      want: 'outdated',
      recorded: true,
    },
    { name: 'a write of upstream', entries: entry({ hash: '' }), generation: 4, want: 'unknown', recorded: true },
    {
      name: 'a write of upstream without the field',
      entries: entry({}),
      generation: 4,
      want: 'unknown',
      recorded: true,
    },
    {
      name: 'somebody has changed it since',
      entries: entry({ hash }),
      generation: 5,
      want: 'unknown',
      recorded: false,
    },
    { name: 'never recorded', entries: [], generation: 4, want: 'unknown', recorded: false },
    {
      name: 'another namespace',
      entries: entry({ hash, namespace: 'other' }),
      generation: 4,
      want: 'unknown',
      recorded: false,
    },
    {
      name: 'another resource of that name',
      entries: entry({ hash, resource: 'daemonsets' }),
      generation: 4,
      want: 'unknown',
      recorded: false,
    },
    { name: 'an object without a generation', entries: [], want: 'unknown', recorded: false },
  ];
  for (const { name, entries, generation, want, recorded } of rows) {
    it(`${name}: ${want}`, () => {
      assert.equal(readRecord(entries, 'Deployment', deployment(generation), hash), want);
      assert.equal(isGenerationRecorded(entries, 'Deployment', deployment(generation)), recorded);
    });
  }
});

describe('hashSpec', () => {
  it('does not depend on the order of keys, but on that of lists', () => {
    assert.equal(hashSpec({ a: 1, b: { c: 2, d: [3, 4] } }), hashSpec({ b: { d: [3, 4], c: 2 }, a: 1 }));
    assert.notEqual(hashSpec([1, 2]), hashSpec([2, 1]));
    assert.notEqual(hashSpec({ a: 1 }), hashSpec({ a: '1' }));
  });
});
