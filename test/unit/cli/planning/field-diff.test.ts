import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { diffFields } from '../../../../src/cli/planning/field-diff.ts';

const object = (parts: Partial<KubernetesObject>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'x' },
  ...parts,
});

const container = (name: string, image: string) => ({ name, image });

describe('diffFields', () => {
  const rows = [
    { name: 'nothing', before: {}, after: {}, want: [] },
    {
      name: 'a value',
      before: { spec: { a: 1 } },
      after: { spec: { a: 2 } },
      want: [{ path: 'spec.a', from: 1, to: 2 }],
    },
    { name: 'a new value', before: { spec: {} }, after: { spec: { a: 1 } }, want: [{ path: 'spec.a', to: 1 }] },
    {
      name: 'a value that goes',
      before: { spec: { a: 'x' } },
      after: { spec: {} },
      want: [{ path: 'spec.a', from: 'x' }],
    },
    {
      name: 'what the API server fills in is no difference',
      before: {
        spec: {
          template: { spec: { containers: [{ name: 'a', imagePullPolicy: 'IfNotPresent' }] } },
          revisionHistoryLimit: 10,
        },
      },
      after: { spec: { template: { spec: { containers: [{ name: 'a', imagePullPolicy: 'IfNotPresent' }] } } } },
      want: [],
    },
    {
      name: 'entries with names are compared by name',
      before: { spec: { containers: [container('a', '1'), container('b', '1')] } },
      after: { spec: { containers: [container('b', '2'), container('a', '1')] } },
      want: [{ path: 'spec.containers[b].image', from: '1', to: '2' }],
    },
    {
      name: 'others by place',
      before: { rules: [{ verbs: ['get'] }] },
      after: { rules: [{ verbs: ['get'] }, { verbs: ['list'] }] },
      want: [{ path: 'rules[1]', to: { verbs: ['list'] } }],
    },
    {
      name: 'plain lists as a whole',
      before: { rules: [{ verbs: ['get'] }] },
      after: { rules: [{ verbs: ['get', 'list'] }] },
      want: [{ path: 'rules[0].verbs', from: ['get'], to: ['get', 'list'] }],
    },
    {
      name: 'labels and annotations, but not the generation of the KubeVirt object',
      before: {
        metadata: {
          name: 'x',
          labels: { a: '1' },
          annotations: { 'kubevirt.io/generation': '1', 'b/c': '1' },
          resourceVersion: '1',
        },
      },
      after: {
        metadata: {
          name: 'x',
          labels: { a: '2' },
          annotations: { 'kubevirt.io/generation': '2', 'b/c': '2' },
          resourceVersion: '2',
        },
      },
      want: [
        { path: 'metadata.labels.a', from: '1', to: '2' },
        { path: 'metadata.annotations[b/c]', from: '1', to: '2' },
      ],
    },
    { name: 'status is none of our business', before: { status: { a: 1 } }, after: { status: { a: 2 } }, want: [] },
  ];
  for (const { name, before, after, want } of rows) {
    test(name, () => {
      assert.deepEqual(diffFields(object(before), object(after)), want);
    });
  }

  test('the content of Secrets stays hidden', () => {
    const secret = (value: string, label: string) =>
      object({ kind: 'Secret', metadata: { name: 'x', labels: { a: label } }, data: { 'tls.key': value } });
    assert.deepEqual(diffFields(secret('old', '1'), secret('new', '2')), [
      { path: 'data[tls.key]', from: '(hidden)', to: '(hidden)' },
      { path: 'metadata.labels.a', from: '1', to: '2' },
    ]);
  });
});
