import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ApiError, errorText, UnansweredCall } from '../../../src/errors.ts';
import type { ActiveJob, WakeUps } from '../../../src/queue/types.ts';
import { joinFailures } from '../../../src/worker/pass-outcome.ts';
import { settle } from '../../../src/worker/settle.ts';

const forbidden = new ApiError('pods/eviction is not yours to give', { status: 403, reason: 'Forbidden' });
const broken = new ApiError('the server is broken', { status: 500, reason: 'InternalError' });
const invalid = new ApiError('no such field', { status: 422, reason: 'Invalid' });
const full = new ApiError('too many requests', { status: 429, reason: 'TooManyRequests' });
const unknown = new ApiError('who are you', { status: 401, reason: 'Unauthorized' });
const silence = new UnansweredCall('no answer');
const failureOf = (object: string, cause: Error) => ({ error: new Error(`cannot create ${object}`, { cause }) });

/** How a failed pass is settled: the arguments of `armRetry`. */
async function retryOf(error: Error): Promise<unknown[]> {
  const armed: unknown[][] = [];
  const wakeUps: Pick<WakeUps, 'armRetry'> = {
    armRetry: (...given) => {
      armed.push(given);
      return Promise.resolve(new Date(0));
    },
  };
  const job = { key: 'kubevirt/kubevirt', fail: () => Promise.resolve() } as unknown as ActiveJob;
  await settle(job, { type: 'retry', error }, wakeUps as WakeUps);
  assert.equal(armed.length, 1);
  return armed[0] ?? [];
}

describe('a failed pass', () => {
  const ROWS = [
    { name: 'a right that is lacking', error: failureOf('ClusterRole a', forbidden).error, want: 30_000 },
    { name: 'the same on the way', error: forbidden, want: 30_000 },
    {
      name: 'the same among others',
      error: joinFailures([failureOf('Secret b', broken), failureOf('ClusterRole a', forbidden)]),
      want: 30_000,
    },
    { name: 'a server that is broken', error: joinFailures([failureOf('Secret b', broken)]), want: 30_000 },
    { name: 'a server that is away', error: failureOf('Secret b', silence).error, want: 30_000 },
    { name: 'a server that is full', error: joinFailures([failureOf('Secret b', full)]), want: 30_000 },
    { name: 'a token that is refused', error: failureOf('Secret b', unknown).error, want: 30_000 },
    { name: 'an object that is wrong', error: joinFailures([failureOf('Secret b', invalid)]), want: undefined },
    { name: 'anything else', error: new Error('no'), want: undefined },
  ];
  for (const { name, error, want } of ROWS) {
    it(`B06: is tried again within seconds where nothing tells that it is mended: ${name}`, async () => {
      assert.deepEqual(await retryOf(error), ['kubevirt/kubevirt', errorText(error), want]);
    });
  }
});

describe('joinFailures', () => {
  it('tells every failure once, with what was answered', () => {
    const joined = joinFailures([failureOf('a', forbidden), failureOf('b', broken), failureOf('b', broken)]);
    const want = 'cannot create a: pods/eviction is not yours to give; cannot create b: the server is broken';
    assert.equal(errorText(joined), want);
  });
});
