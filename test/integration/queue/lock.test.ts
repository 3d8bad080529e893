import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { PassAborted } from '../../../src/errors.ts';
import { openRedis, type RedisConnections } from '../../../src/queue/connection.ts';
import { buildKeys } from '../../../src/queue/keys.ts';
import { LeaderLock, readLeader, type LeaderLockOptions } from '../../../src/queue/lock.ts';
import type { Term } from '../../../src/queue/types.ts';
import { whenAborted } from '../../../src/queue/wait.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from './harness.ts';

/** A tenth of the real times. */
const TIMES = { ttlMs: 1000, renewMs: 300, marginMs: 200, pollMs: 100, permissionMs: 100 };

let server: TestRedis;
before(async () => {
  server = await startRedis({ own: true });
});
after(() => server.stop());

/** A candidate for leadership that writes down what it goes through. */
interface Candidate {
  lock: LeaderLock;
  redis: RedisConnections;
  /** Terms that began, and when they were over, in order of time. */
  terms: { term: Term; began: number; aborted?: number; ended?: number }[];
  stop(): Promise<void>;
}

function join(
  t: TestContext,
  options: Partial<LeaderLockOptions> & { uid: string; url?: string; name: string; settleMs?: number },
): Candidate {
  const log = testLog();
  const redis = openRedis({ url: options.url ?? server.url }, { clusterUid: options.uid, name: options.name, log });
  const lock = new LeaderLock({ redis, log, holder: options.name, times: TIMES, ...options });
  const terms: Candidate['terms'] = [];
  const stopping = new AbortController();
  const running = lock.run({
    signal: stopping.signal,
    onLead: async (term) => {
      const entry: Candidate['terms'][number] = { term, began: performance.now() };
      terms.push(entry);
      await whenAborted(term.signal);
      entry.aborted = performance.now();
      await new Promise((resolve) => setTimeout(resolve, options.settleMs ?? 0));
      entry.ended = performance.now();
    },
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  t.after(async () => {
    await stop();
    redis.close();
  });
  return { lock, redis, terms, stop };
}

async function leads(candidate: Candidate, count = 1): Promise<void> {
  await eventually(() => candidate.terms.length >= count && candidate.lock.isLeading(), Boolean);
}

test('one leads, the other waits, and follows at once when the lock is given back', async (t) => {
  const uid = freshUid();
  const a = join(t, { uid, name: 'a' });
  await leads(a);
  // Polling cannot be what wakes the other one.
  const b = join(t, { uid, name: 'b', times: { ...TIMES, pollMs: 60_000, ttlMs: 60_000 } });
  await eventually(
    () => b.redis.subscriber().status,
    (status) => status === 'ready',
  );
  assert.equal(b.lock.isLeading(), false);
  await a.stop();
  const released = performance.now();
  await leads(b);
  assert.ok((b.terms[0]?.began ?? Infinity) - released < 20_000, 'not by polling, nor when the lock runs out');
  assert.ok((b.terms[0]?.term.fence ?? 0) > (a.terms[0]?.term.fence ?? 0));
});

test('without lock events the other one follows by polling', async (t) => {
  const uid = freshUid();
  const a = join(t, { uid, name: 'a' });
  await leads(a);
  const b = join(t, { uid, name: 'b' });
  await b.redis.subscriber().unsubscribe();
  b.redis.subscriber().disconnect();
  await a.stop();
  await leads(b);
});

test('a leader stays longer than the time to live, and says who it is', async (t) => {
  const uid = freshUid();
  const a = join(t, { uid, name: 'virt-operator-1' });
  await leads(a);
  await eventually(
    () => a.lock.leadingForMs() ?? 0,
    (age) => age > 1500,
  );
  assert.equal(a.terms.length, 1);
  assert.equal(a.terms[0]?.term.signal.aborted, false);
  const leader = await readLeader(a.redis);
  assert.equal(leader?.holder, 'virt-operator-1');
  assert.equal(leader.fence, a.terms[0].term.fence);
  assert.ok(leader.ageMs > 1000 && leader.ageMs < 5000, String(leader.ageMs));
});

test('nobody leads: nobody is named', async (t) => {
  const redis = openRedis({ url: server.url }, { clusterUid: freshUid(), name: 'x', log: testLog() });
  t.after(() => {
    redis.close();
  });
  await eventually(
    () => redis.impatient.status,
    (status) => status === 'ready',
  );
  assert.equal(await readLeader(redis), undefined);
});

test('a leader that is cut off is followed when its time to live is over, and has given up before', async (t) => {
  const uid = freshUid();
  const a = join(t, { uid, name: 'a' });
  await leads(a);
  const b = join(t, { uid, name: 'b' });
  a.redis.close();
  await leads(b);
  const aborted = a.terms[0]?.aborted ?? Infinity;
  assert.ok(aborted < (b.terms[0]?.began ?? 0), 'the old leader gave up first');
  assert.ok(a.terms[0]?.term.signal.reason instanceof PassAborted);
  assert.equal(a.terms[0].term.isHeld(), false);
});

test('a leader gives up by its own clock when Redis is gone', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const times = { ...TIMES, ttlMs: 10_000, marginMs: 9000 };
  const a = join(t, { uid: freshUid(), name: 'a', url: own.url, times });
  await leads(a);
  await own.crash();
  const gone = performance.now();
  await eventually(
    () => a.terms[0]?.aborted,
    (aborted) => aborted !== undefined,
  );
  assert.ok((a.terms[0]?.aborted ?? Infinity) - gone < times.ttlMs, 'before the lock runs out');
  await own.restart();
  await leads(a, 2);
  assert.ok((a.terms[1]?.term.fence ?? 0) > (a.terms[0]?.term.fence ?? 0), 'the fence grows over a loss of all data');
});

test('an emptied Redis: the leader sets its lock again, nobody notices', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const a = join(t, { uid: freshUid(), name: 'a', url: own.url });
  await leads(a);
  await a.redis.impatient.flushall();
  await eventually(
    () => readLeader(a.redis),
    (leader) => leader?.fence === a.terms[0]?.term.fence,
  );
  assert.equal(a.terms.length, 1);
  assert.equal(a.lock.isLeading(), true);
});

test('an emptied Redis: whoever takes the lock waits until the former leader has settled', async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const uid = freshUid();
  // A would not notice by itself for a long time: only the other one's message tells it.
  const slow = { ttlMs: 8000, renewMs: 7000, marginMs: 200 };
  const a = join(t, { uid, url: own.url, name: 'a', settleMs: 400, times: { ...TIMES, ...slow } });
  await leads(a);
  let readings = 0;
  const now = (): number => {
    readings += 1;
    return performance.now();
  };
  const b = join(t, { uid, url: own.url, name: 'b', now });
  await eventually(
    () => readings,
    (count) => count >= 4,
  );
  await a.redis.impatient.flushall();
  await leads(b);
  const settled = a.terms[0]?.ended ?? Infinity;
  const began = b.terms[0]?.began ?? 0;
  assert.ok(settled <= began, 'the former leader has settled');
  assert.ok(began - settled < 5000, 'and its message was enough');
});

test('a leader whose lock someone else has is told so, and does not take it back', async (t) => {
  const uid = freshUid();
  const a = join(t, { uid, name: 'a' });
  await leads(a);
  const { lock } = buildKeys(a.redis.prefix);
  await a.redis.impatient.set(lock, 'thief/1', 'PX', 5000);
  await eventually(
    () => a.terms[0]?.ended,
    (ended) => ended !== undefined,
  );
  assert.equal(a.terms[0]?.term.isHeld(), false);
  await a.stop();
  assert.equal(await a.redis.impatient.get(lock), 'thief/1');
});

test('a worker that may not lead waits and says why, and leads as soon as it may', async (t) => {
  const uid = freshUid();
  let reason: string | undefined = 'the Lease virt-operator is held by upstream';
  const a = join(t, { uid, name: 'a', mayLead: () => Promise.resolve(reason) });
  let asked = 0;
  const b = join(t, {
    uid,
    name: 'b',
    mayLead: () => {
      asked += 1;
      return Promise.reject(new Error('the API server does not answer'));
    },
  });
  await eventually(
    () => asked,
    (times) => times >= 2,
  );
  assert.deepEqual([a.terms.length, b.terms.length], [0, 0]);
  reason = undefined;
  await leads(a);
  reason = 'somebody came';
  await eventually(
    () => a.terms[0]?.ended,
    (ended) => ended !== undefined,
  );
  assert.match(String(a.terms[0]?.term.signal.reason), /may not lead/);
});

test('three that come and go never lead together', async (t) => {
  const uid = freshUid();
  const all = ['a', 'b', 'c'].map((name) => join(t, { uid, name, settleMs: 20 }));
  const [{ redis }] = all as [Candidate, ...Candidate[]];
  const { lock, lockEvents } = buildKeys(redis.prefix);
  for (let round = 0; round < 8; round += 1) {
    await eventually(() => all.some((one) => one.lock.isLeading()), Boolean);
    await redis.impatient.del(lock);
    if (round % 2 === 0) await redis.impatient.publish(lockEvents, 'taken x');
    await eventually(() => redis.impatient.exists(lock), Boolean);
  }
  await Promise.all(all.map((one) => one.stop()));
  const terms = all.flatMap((one) => one.terms).toSorted((x, y) => x.began - y.began);
  assert.ok(terms.length > 1);
  for (const [index, next] of terms.slice(1).entries()) {
    assert.ok((terms[index]?.ended ?? Infinity) <= next.began, `term ${index} and the one after it overlap`);
    assert.ok((terms[index]?.term.fence ?? Infinity) < next.term.fence, 'the fence grows');
  }
});
