import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';

import { createLog } from '../../../src/log.ts';
import type { ActiveJob, Term } from '../../../src/queue/types.ts';
import { runJob, type JobContext } from '../../../src/worker/run-job.ts';

test('what a pass throws is told in the log, with the key', async () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const failed: Error[] = [];
  const job = {
    id: '7',
    key: 'kubevirt/kubevirt',
    fail: (error: Error) => {
      failed.push(error);
      return Promise.resolve();
    },
  } as unknown as ActiveJob;
  const term: Term = { fence: 1, signal: new AbortController().signal, isHeld: () => true };
  const context = {
    queue: { takeCauses: () => Promise.resolve({ causes: [{ type: 'added', at: 1 }], versions: {}, deletes: [] }) },
    wakeUps: { armRetry: () => Promise.resolve(new Date()) },
    history: { append: () => Promise.resolve() },
    pass: () => Promise.reject(new Error('the status cannot be written')),
    log: createLog({ role: 'test', verbosity: 2, destination }),
    name: 'w',
    spacing: new Map(),
    settleMs: 1000,
    onStuck: () => undefined,
  } as unknown as JobContext;
  await runJob(job, term, context);
  assert.equal(failed.length, 1);
  const told = lines.filter((line) => line.includes('the status cannot be written'));
  assert.equal(told.length, 1);
  assert.ok(told[0]?.includes('"kubevirt/kubevirt"') && told[0].includes('error'), told[0]);
});
