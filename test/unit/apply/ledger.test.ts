import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ObjectMeta } from '../../../src/api/objects.ts';
import type { ApiClient } from '../../../src/apply/client.ts';
import { openLedger } from '../../../src/apply/ledger.ts';

const TARGET = { kind: 'KubeVirt', name: 'kubevirt', namespace: 'kubevirt' } as const;

/** A client whose answers have this metadata; what it sends is of no interest. */
function clientAnswering(metadata: ObjectMeta): ApiClient {
  const answer = () => Promise.resolve({ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata });
  const none = () => Promise.reject(new Error('not expected'));
  return {
    get: none,
    find: none,
    list: none,
    create: answer,
    replace: answer,
    patch: answer,
    merge: answer,
    delete: () => Promise.resolve(undefined),
  };
}

async function recordedBy(metadata: ObjectMeta, act: (client: ApiClient) => Promise<unknown>): Promise<string[]> {
  const recorded: string[] = [];
  const ledger = openLedger(clientAnswering(metadata), {
    recordWrite: (kind, version) => Promise.resolve(void recorded.push(`write ${kind} ${version}`)),
    recordDelete: (kind, uid) => Promise.resolve(void recorded.push(`delete ${kind} ${uid}`)),
  });
  await act(ledger.client);
  await ledger.settled();
  assert.equal(ledger.count(), 1);
  return recorded;
}

const DELETED = { uid: 'u', resourceVersion: '7', deletionTimestamp: '2026-01-01T00:00:00Z' };
const ROWS: { name: string; metadata: ObjectMeta; act: (client: ApiClient) => Promise<unknown>; want: string[] }[] = [
  {
    name: 'a patch',
    metadata: { uid: 'u', resourceVersion: '7' },
    act: (client) => client.patch(TARGET, []),
    want: ['write KubeVirt 7'],
  },
  {
    name: 'a patch of an object that is being deleted and held',
    metadata: { ...DELETED, finalizers: ['x'] },
    act: (client) => client.patch(TARGET, []),
    want: ['write KubeVirt 7'],
  },
  {
    name: 'a patch that takes the last finalizer off',
    metadata: DELETED,
    act: (client) => client.patch(TARGET, []),
    want: ['delete KubeVirt u'],
  },
  {
    name: 'a patch of a pod within its grace period',
    metadata: { ...DELETED, ...{ deletionGracePeriodSeconds: 30 } },
    act: (client) => client.patch(TARGET, []),
    want: ['write KubeVirt 7'],
  },
  {
    name: 'a deletion',
    metadata: {},
    act: (client) => client.delete(TARGET, { uid: 'u' }),
    want: ['delete KubeVirt u'],
  },
];

for (const { name, metadata, act, want } of ROWS) {
  test(name, async () => {
    assert.deepEqual(await recordedBy(metadata, act), want);
  });
}
