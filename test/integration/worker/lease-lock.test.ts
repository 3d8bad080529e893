import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';

import type { ApiClient } from '../../../sandbox/api-client.ts';
import { createClient } from '../../../src/apply/client.ts';
import type { Term } from '../../../src/queue/types.ts';
import { whenAborted } from '../../../src/queue/wait.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { LeaseLock, type LeaseTimes } from '../../../src/worker/lease-lock.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { createNamespace, useSharedControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';
import { testLog } from '../queue/harness.ts';

/** A fifth of the real times. */
const TIMES: LeaseTimes = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 200, quietMs: 100 };

let api: ApiClient;
let client: ReturnType<typeof createClient>;

before(async () => {
  const plane = await useSharedControlPlane();
  api = plane.api;
  const { kubeconfig } = plane;
  const connection = await createConnection({
    kubeconfig,
    qps: 100,
    burst: 100,
    userAgent: 'lease-test',
    log: testLog(),
  });
  atEnd(() => {
    connection.close();
  });
  client = createClient(connection);
});

interface Candidate {
  terms: Term[];
  isLeading(): boolean;
  isWanted: boolean;
  stop(): Promise<void>;
}

/** A process that would lead by the Lease. */
function join(t: TestContext, namespace: string, holder: string, times = TIMES): Candidate {
  let leading = false;
  const candidate: Candidate = { terms: [], isLeading: () => leading, isWanted: true, stop: () => Promise.resolve() };
  const lock = new LeaseLock({
    client,
    namespace,
    holder,
    log: testLog(),
    isWanted: () => candidate.isWanted,
    times,
  });
  const stopping = new AbortController();
  const running = lock.run({
    signal: stopping.signal,
    onLead: async (term) => {
      candidate.terms.push(term);
      leading = true;
      await whenAborted(term.signal);
      leading = false;
    },
  });
  candidate.stop = async () => {
    stopping.abort();
    await running;
  };
  t.after(() => candidate.stop());
  return candidate;
}

const pathOf = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/virt-operator`;

async function readLease(namespace: string) {
  const { spec } = await api.expect('GET', pathOf(namespace));
  return spec as { holderIdentity: string; leaseTransitions: number; renewTime: string; leaseDurationSeconds: number };
}

/** A Lease as a live operator of upstream holds it. */
async function holdAsUpstream(namespace: string): Promise<() => Promise<void>> {
  const spec = () => ({
    holderIdentity: 'virt-operator-upstream',
    leaseDurationSeconds: 3,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  });
  await api.expect('POST', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'virt-operator' },
    spec: spec(),
  });
  return async () => {
    await api.expect('PATCH', pathOf(namespace), { spec: spec() }, 'application/merge-patch+json');
  };
}

test('the Lease is taken, renewed, and given back so that the next one leads at once', async (t) => {
  const namespace = await createNamespace(api, 'lease');
  const times = { ...TIMES, leaseMs: 20_000 };
  const a = join(t, namespace, 'a', times);
  await eventually(() => a.isLeading(), Boolean);
  const first = await readLease(namespace);
  assert.deepEqual([first.holderIdentity, first.leaseDurationSeconds, first.leaseTransitions], ['a', 20, 0]);
  await eventually(
    () => readLease(namespace),
    ({ renewTime }) => renewTime > first.renewTime,
  );
  const b = join(t, namespace, 'b', times);
  await a.stop();
  const given = performance.now();
  await eventually(() => b.isLeading(), Boolean);
  assert.ok(performance.now() - given < 15_000, 'sooner than the Lease runs out');
  const second = await readLease(namespace);
  assert.deepEqual([second.holderIdentity, second.leaseTransitions], ['b', 1]);
  assert.ok((b.terms[0]?.fence ?? 0) > (a.terms[0]?.fence ?? Infinity), 'fencing numbers grow');
});

test('of many that want it one leads', async (t) => {
  const namespace = await createNamespace(api, 'lease');
  const all = ['a', 'b', 'c', 'd'].map((name) => join(t, namespace, name));
  const leading = () => all.filter((candidate) => candidate.isLeading()).length;
  await eventually(leading, (count) => count === 1);
  const seen = new Set<number>();
  const renewals = new Set<string>();
  await eventually(
    async () => {
      renewals.add((await readLease(namespace)).renewTime);
      seen.add(leading());
      return renewals.size;
    },
    // As often as it is renewed the others have looked whether they might have it.
    (count) => count > 5,
  );
  assert.deepEqual([...seen], [1]);
});

test('a live operator of upstream keeps us out; when it is gone we lead after its Lease has run out', async (t) => {
  const namespace = await createNamespace(api, 'lease');
  const renew = await holdAsUpstream(namespace);
  const a = join(t, namespace, 'a');
  const end = performance.now() + 4000;
  await eventually(
    async () => {
      await renew();
      assert.equal(a.isLeading(), false);
      return performance.now();
    },
    (now) => now > end,
  );
  const gone = performance.now();
  await eventually(() => a.isLeading(), Boolean);
  assert.ok(performance.now() - gone > 2500, 'not before it has run out');
});

test('a holder whose Lease somebody takes ends its tenure, and does not take it back', async (t) => {
  const namespace = await createNamespace(api, 'lease');
  const a = join(t, namespace, 'a');
  await eventually(() => a.isLeading(), Boolean);
  const spec = { holderIdentity: 'thief', leaseDurationSeconds: 60 };
  await api.expect('PATCH', pathOf(namespace), { spec }, 'application/merge-patch+json');
  await eventually(() => a.terms[0]?.signal.aborted, Boolean);
  await a.stop();
  assert.equal((await readLease(namespace)).holderIdentity, 'thief');
});

test('when it is no longer wanted the tenure ends and the Lease is free; wanted again, it is taken again', async (t) => {
  const namespace = await createNamespace(api, 'lease');
  const a = join(t, namespace, 'a');
  await eventually(() => a.isLeading(), Boolean);
  a.isWanted = false;
  await eventually(
    () => readLease(namespace),
    ({ holderIdentity }) => holderIdentity === '',
  );
  assert.equal(a.isLeading(), false);
  a.isWanted = true;
  await eventually(() => a.isLeading(), Boolean);
  assert.equal(a.terms.length, 2);
});
