import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Cause } from '../../../src/api/causes.ts';
import { MemoryQueue } from '../../../src/queue/memory-queue.ts';
import { OwnWrites } from '../../../src/queue/own-writes.ts';
import type { ActiveJob } from '../../../src/queue/types.ts';

const cause = (note: string): Cause => ({ type: 'requested', note, at: 1 });
const changeOf = (resourceVersion: string): Cause => ({ type: 'modified', kind: 'Secret', resourceVersion, at: 1 });

/** A queue, and its jobs one after the other. */
function open() {
  const own = new OwnWrites();
  const queue = new MemoryQueue(own);
  const ending = new AbortController();
  const jobs = queue.jobs(ending.signal)[Symbol.asyncIterator]();
  const next = async (): Promise<ActiveJob> => {
    const { value } = await jobs.next();
    assert.ok(value !== undefined, 'no job');
    return value;
  };
  return { own, queue, next, ending, jobs };
}

test('a key waits once, with all its causes', async () => {
  const { queue, next } = open();
  await queue.add('a', cause('1'));
  await queue.add('a', [cause('2'), cause('3')]);
  await queue.add('b', cause('4'));
  assert.equal(queue.size, 2);
  const job = await next();
  assert.equal(job.key, 'a');
  const { causes } = await queue.takeCauses('a');
  assert.deepEqual(
    causes.map(({ note }) => note),
    ['1', '2', '3'],
  );
  assert.deepEqual((await queue.takeCauses('a')).causes, []);
});

test('added while it runs, a key runs exactly once more', async () => {
  const { queue, next } = open();
  await queue.add('a', cause('1'));
  const job = await next();
  await queue.takeCauses('a');
  await queue.add('a', cause('2'));
  await queue.add('a', cause('3'));
  await job.complete({});
  const again = await next();
  assert.deepEqual([again.key, queue.size], ['a', 0]);
  assert.notEqual(again.id, job.id);
});

test('a job that comes after a while is handed out at once', async () => {
  const { queue, next } = open();
  const waiting = next();
  await queue.add('a', cause('1'));
  assert.equal((await waiting).key, 'a');
});

test('put back, a key gets another turn; so does one whose job nobody settled', async () => {
  const { queue, next } = open();
  await queue.add('a', cause('1'));
  await (await next()).putBack();
  const unsettled = await next();
  await queue.takeCauses(unsettled.key);
  assert.equal((await next()).key, 'a');
  assert.deepEqual(
    (await queue.takeCauses('a')).causes.map(({ type }) => type),
    ['recovered'],
  );
});

test('answers to own writes are no causes, and the pass waits for what was seen and written', async () => {
  const { queue, own } = open();
  own.recordWrite('Secret', '7');
  own.recordDelete('Pod', 'u', Date.now());
  await queue.add('a', [changeOf('7'), changeOf('9')]);
  const { causes, versions, deletes } = await queue.takeCauses('a');
  assert.deepEqual(
    causes.map(({ resourceVersion }) => resourceVersion),
    ['9'],
  );
  assert.deepEqual(versions, { Secret: '9' });
  assert.deepEqual(deletes, [{ kind: 'Pod', uid: 'u' }]);
});

test('of very many causes the last ones are kept, and that there were others', async () => {
  const { queue } = open();
  for (let i = 0; i < 1005; i++) await queue.add('a', cause(String(i)));
  const { causes } = await queue.takeCauses('a');
  assert.deepEqual([causes.length, causes[0]?.type, causes.at(-1)?.note], [1001, 'resync', '1004']);
});

test('the jobs end when the signal aborts, and a cleared queue is empty', async () => {
  const { queue, jobs, ending } = open();
  await queue.add('a', cause('1'));
  queue.clear();
  const waiting = jobs.next();
  ending.abort();
  assert.deepEqual([(await waiting).done, queue.size], [true, 0]);
  assert.deepEqual((await queue.takeCauses('a')).causes, []);
});
