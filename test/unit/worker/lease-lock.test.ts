import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { ApiError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { whenAborted } from '../../../src/queue/wait.ts';
import { LeaseLock, type LeaseLockOptions } from '../../../src/worker/lease-lock.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

const TIMES = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 5, quietMs: 0 };

/** A Lease that somebody else writes just before each of the first `conflicts` attempts to give it back. */
function openLease(conflicts: number) {
  const state = { lease: undefined as KubernetesObject | undefined, version: 0, conflicts };
  const store = (object: KubernetesObject) => {
    state.version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(state.version) };
    state.lease = { ...object, metadata };
    return Promise.resolve(state.lease);
  };
  const client: LeaseLockOptions['client'] = {
    find: () => Promise.resolve(state.lease),
    create: (_kind, object) => store(object),
    replace: (_kind, object) => {
      const isReleased = object.spec?.['holderIdentity'] === '';
      if (!isReleased || state.conflicts === 0) return store(object);
      state.conflicts -= 1;
      return Promise.reject(new ApiError('the object has been modified', { status: 409, reason: 'Conflict' }));
    },
  };
  return { state, client };
}

const rows = [
  { name: 'nobody writes it', conflicts: 0, want: '' },
  { name: 'its own last renewal was still on its way', conflicts: 1, want: '' },
  { name: 'it is written without end', conflicts: 100, want: 'me' },
];
for (const { name, conflicts, want } of rows) {
  test(`L03: the Lease is given back when ${name}`, async () => {
    const { state, client } = openLease(conflicts);
    const stopping = new AbortController();
    const lock = new LeaseLock({ client, namespace: 'n', holder: 'me', log, isWanted: () => true, times: TIMES });
    await lock.run({
      signal: stopping.signal,
      onLead: async (term) => {
        stopping.abort();
        await whenAborted(term.signal);
      },
    });
    assert.equal(state.lease?.spec?.['holderIdentity'], want);
  });
}
