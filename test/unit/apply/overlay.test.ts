import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { Overlay } from '../../../src/apply/overlay.ts';

const secret = (name: string, resourceVersion: string, uid = `${name}-1`): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'kubevirt', resourceVersion, uid },
});

/** A cache with these Secrets; the array may be changed later. */
const cacheOf = (secrets: KubernetesObject[]) => ({
  get: (_kind: string, name: string) => secrets.find((each) => each.metadata.name === name),
  list: () => secrets,
});

const versions = (world: Overlay) =>
  world.list('Secret').map(({ metadata }) => `${String(metadata.name)}@${String(metadata.resourceVersion)}`);

const ROWS: { name: string; cached: KubernetesObject[]; act: (world: Overlay) => void; want: string[] }[] = [
  { name: 'no answers: the cache', cached: [secret('a', '5')], act: () => undefined, want: ['a@5'] },
  {
    name: 'a create that the cache has not seen is there',
    cached: [],
    act: (world) => {
      world.record('Secret', secret('a', '7'), 'created');
    },
    want: ['a@7'],
  },
  {
    name: 'our patch wins over an older cache',
    cached: [secret('a', '9')],
    act: (world) => {
      world.record('Secret', secret('a', '10'), 'changed');
    },
    want: ['a@10'],
  },
  {
    name: 'a cache that ran ahead wins over our patch',
    cached: [secret('a', '100')],
    act: (world) => {
      world.record('Secret', secret('a', '99'), 'changed');
    },
    want: ['a@100'],
  },
  {
    name: 'a deleted object is gone although the cache still shows it',
    cached: [secret('a', '5'), secret('b', '6')],
    act: (world) => {
      world.remove('Secret', 'a', 'kubevirt');
    },
    want: ['b@6'],
  },
  {
    name: 'created after deleted is there again',
    cached: [secret('a', '5')],
    act: (world) => {
      world.remove('Secret', 'a', 'kubevirt');
      world.record('Secret', secret('a', '8', 'a-2'), 'created');
    },
    want: ['a@8'],
  },
];

for (const { name, cached, act, want } of ROWS) {
  test(name, () => {
    const world = new Overlay(cacheOf(cached));
    act(world);
    assert.deepEqual(versions(world), want);
    for (const key of ['a', 'b']) {
      const got = world.get('Secret', key, 'kubevirt');
      assert.equal(want.includes(`${key}@${String(got?.metadata.resourceVersion)}`), got !== undefined);
    }
  });
}

test('an object created by somebody else after our deletion is seen, because its UID differs', () => {
  const secrets = [secret('a', '5')];
  const world = new Overlay(cacheOf(secrets));
  world.remove('Secret', 'a', 'kubevirt');
  secrets[0] = secret('a', '9', 'a-2');
  assert.deepEqual(versions(world), ['a@9']);
});

test('what we have changed is gone when the cache, which has shown it, shows it no more', () => {
  const secrets = [secret('a', '5')];
  const world = new Overlay(cacheOf(secrets));
  world.record('Secret', secret('a', '8'), 'changed');
  secrets.splice(0);
  assert.deepEqual(versions(world), []);
  assert.equal(world.get('Secret', 'a', 'kubevirt'), undefined);
});

test('what we have created is gone when the cache has shown it once', () => {
  const secrets: KubernetesObject[] = [];
  const world = new Overlay(cacheOf(secrets));
  world.record('Secret', secret('a', '8'), 'created');
  assert.deepEqual(versions(world), ['a@8'], 'the cache lags');
  secrets.push(secret('a', '8'));
  assert.deepEqual(versions(world), ['a@8']);
  secrets.splice(0);
  assert.deepEqual(versions(world), []);
});

test('what we have created in place of a deleted object is there, although the cache shows neither', () => {
  const secrets = [secret('a', '5')];
  const world = new Overlay(cacheOf(secrets));
  world.remove('Secret', 'a', 'kubevirt');
  world.record('Secret', secret('a', '8', 'a-2'), 'created');
  secrets.splice(0);
  assert.deepEqual(versions(world), ['a@8']);
});

test('what we have changed is gone when the cache has dropped it before our answer came', () => {
  const secrets = [secret('a', '5')];
  const world = new Overlay(cacheOf(secrets));
  secrets.splice(0);
  world.record('Secret', secret('a', '8'), 'changed');
  assert.deepEqual(versions(world), []);
});

test('what we have created and changed is there as long as the cache lags', () => {
  const world = new Overlay(cacheOf([]));
  world.record('Secret', secret('a', '7'), 'created');
  world.record('Secret', secret('a', '8'), 'changed');
  assert.deepEqual(versions(world), ['a@8']);
});
