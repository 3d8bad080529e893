import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createGate, GateFull } from '../../../functions/gate.ts';

const LIMITS = { running: 2, waiting: 2, what: 'tasks' };

/** Tasks that end when they are told to. */
function openTasks() {
  const gate = createGate(LIMITS);
  const begun: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const start = (id: number, signal?: AbortSignal) =>
    gate(() => {
      begun.push(id);
      return new Promise<number>((resolve, reject) => {
        ends.set(id, (error) => {
          if (error === undefined) resolve(id);
          else reject(error);
        });
      });
    }, signal);
  return { begun, start, end: (id: number, error?: Error) => ends.get(id)?.(error) };
}

test('a gate lets in as many as it may, in their order, and turns away who would wait too long a time', async () => {
  const { begun, start, end } = openTasks();
  const settled = Promise.allSettled([1, 2, 3, 4].map((id) => start(id)));
  await assert.rejects(start(5), (error) => error instanceof GateFull && /too many tasks/.test(error.message));
  await turn();
  assert.deepEqual(begun, [1, 2]);
  end(2);
  await turn();
  assert.deepEqual(begun, [1, 2, 3]);
  end(1, new Error('broken'));
  await turn();
  assert.deepEqual(begun, [1, 2, 3, 4]);
  end(3);
  end(4);
  const results = await settled;
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  void start(6);
  await turn();
  assert.deepEqual(begun.slice(4), [6], 'every place is free again');
});

test('who leaves makes room, and is not let in any more', async () => {
  const { begun, start, end } = openTasks();
  const leaving = new AbortController();
  void start(1);
  void start(2);
  const gone = start(3, leaving.signal);
  void start(4);
  leaving.abort(new Error('left'));
  await assert.rejects(gone, /left/);
  void start(5);
  await assert.rejects(start(6, leaving.signal), /left/);
  end(1);
  end(2);
  await turn();
  assert.deepEqual(begun, [1, 2, 4, 5]);
});
