import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createLog } from '../../../src/log.ts';
import { findEmptyDefinitions } from '../../../src/observe/empty-definitions.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

const definition = (plural: string): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.export.kubevirt.io` },
  spec: { group: 'export.kubevirt.io', names: { plural } },
});

test('one object is asked for, in the version given; CRDs without any are named', async () => {
  const asked: string[] = [];
  const connection = {
    request: ({ path, query }: { path: string; query?: object }) => {
      asked.push(`${path} ${JSON.stringify(query)}`);
      return Promise.resolve({ items: path.endsWith('full') ? [{}] : [] });
    },
  };
  const candidates = ['full', 'empty'].map((plural) => ({ definition: definition(plural), version: 'v1beta1' }));
  const names = await findEmptyDefinitions(candidates, connection, new AbortController().signal, log);
  assert.deepEqual(names, ['empty.export.kubevirt.io']);
  assert.deepEqual(asked, [
    '/apis/export.kubevirt.io/v1beta1/full {"limit":1}',
    '/apis/export.kubevirt.io/v1beta1/empty {"limit":1}',
  ]);
});

test('an answer that is no list counts as "there may be objects"', async () => {
  const connection = { request: () => Promise.resolve({}) };
  const candidates = [{ definition: definition('x'), version: 'v1' }];
  assert.deepEqual(await findEmptyDefinitions(candidates, connection, new AbortController().signal, log), []);
});

test('B20: one whose objects cannot be read counts as one with objects, and holds up no other', async () => {
  const request = ({ path }: { path: string }) =>
    path.endsWith('/lost')
      ? Promise.reject(new Error('the conversion webhook is away'))
      : Promise.resolve({ items: [] });
  const candidates = ['lost', 'empty'].map((plural) => ({ definition: definition(plural), version: 'v1' }));
  const names = await findEmptyDefinitions(candidates, { request }, new AbortController().signal, log);
  assert.deepEqual(names, ['empty.export.kubevirt.io']);
});
