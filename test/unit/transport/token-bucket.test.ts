import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Limiter } from '../../../src/transport/limiter.ts';
import { TokenBucket, type BucketSize } from '../../../src/transport/token-bucket.ts';

/** Moves of a bucket with 10 tokens per second and a burst of 2, at times in milliseconds. */
type Move = { at: number; take: boolean } | { at: number; wait: number } | { pauseUntil: number };

const rows: { name: string; moves: Move[] }[] = [
  {
    name: 'starts full and gives the burst at once',
    moves: [
      { at: 0, take: true },
      { at: 0, take: true },
      { at: 0, take: false },
    ],
  },
  {
    name: 'gives one token per 100 ms afterwards',
    moves: [
      { at: 0, take: true },
      { at: 0, take: true },
      { at: 0, wait: 100 },
      { at: 99, take: false },
      { at: 99, wait: 1 },
      { at: 100, take: true },
      { at: 100, take: false },
    ],
  },
  {
    name: 'saves no more than the burst',
    moves: [
      { at: 60_000, take: true },
      { at: 60_000, take: true },
      { at: 60_000, take: false },
    ],
  },
  {
    name: 'a pause takes the saved tokens away and is followed by no burst',
    moves: [
      { pauseUntil: 1000 },
      { at: 0, wait: 1100 },
      { at: 999, take: false },
      { at: 1000, take: false },
      { at: 1100, take: true },
      { at: 1100, take: false },
      { at: 1200, take: true },
    ],
  },
  {
    name: 'a shorter second pause does not end the first',
    moves: [{ pauseUntil: 1000 }, { pauseUntil: 500 }, { at: 600, take: false }, { at: 1100, take: true }],
  },
];

for (const { name, moves } of rows) {
  test(`token bucket: ${name}`, () => {
    const bucket = new TokenBucket({ qps: 10, burst: 2 }, 0);
    for (const move of moves) {
      if ('pauseUntil' in move) bucket.pause(move.pauseUntil);
      else if ('take' in move) assert.equal(bucket.take(move.at), move.take, `take at ${move.at}`);
      else assert.equal(bucket.wait(move.at), move.wait, `wait at ${move.at}`);
    }
  });
}

/** A limiter by a clock that only `pass` moves on. */
function build(
  context: TestContext,
  size: BucketSize,
): { limiter: Limiter; pass: (milliseconds: number) => Promise<void> } {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const pass = async (milliseconds: number): Promise<void> => {
    for (let step = 0; step < milliseconds; step += 1) {
      now += 1;
      context.mock.timers.tick(1);
      await Promise.resolve();
    }
  };
  return { limiter: new Limiter(size, () => now), pass };
}

test('limiter: waiting callers are served in the order in which they came, at the steady rate', async (context) => {
  const { limiter, pass } = build(context, { qps: 100, burst: 1 });
  const order: number[] = [];
  const calls = [0, 1, 2, 3].map(async (index) => {
    await limiter.take();
    order.push(index);
  });
  await pass(9);
  assert.deepEqual(order, [0]);
  await pass(2);
  assert.deepEqual(order, [0, 1]);
  await pass(20);
  assert.deepEqual(order, [0, 1, 2, 3]);
  await Promise.all(calls);
});

test('limiter: an aborted wait rejects with the reason and takes no token', async (context) => {
  const { limiter, pass } = build(context, { qps: 100, burst: 1 });
  await limiter.take();
  const abort = new AbortController();
  const given = assert.rejects(limiter.take(abort.signal), /enough/);
  let served = false;
  const next = limiter.take().then(() => {
    served = true;
  });
  abort.abort(new Error('enough'));
  await given;
  await pass(11);
  assert.equal(served, true, 'the next in line gets the token that the aborted one had waited for');
  await next;
  await assert.rejects(limiter.take(AbortSignal.abort(new Error('before'))), /before/);
});

test('limiter: nobody jumps the queue', async (context) => {
  const { limiter, pass } = build(context, { qps: 100, burst: 1 });
  await limiter.take();
  const waiting = limiter.take();
  await pass(9);
  assert.equal(limiter.tryTake(), false);
  await pass(2);
  await waiting;
});

test('limiter: a pause holds callers that already wait', async (context) => {
  const { limiter, pass } = build(context, { qps: 1000, burst: 1 });
  await limiter.take();
  let served = false;
  const waiting = limiter.take().then(() => {
    served = true;
  });
  limiter.pause(60);
  await pass(60);
  assert.equal(served, false);
  await pass(2);
  assert.equal(served, true);
  await waiting;
});
