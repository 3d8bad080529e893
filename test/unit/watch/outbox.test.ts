import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { Cause } from '../../../src/api/causes.ts';
import { createLog } from '../../../src/log.ts';
import { Outbox } from '../../../src/watch/outbox.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

const cause = (kind: Cause['kind'], version: number, type: Cause['type'] = 'modified'): Cause => ({
  type,
  ...(kind === undefined ? {} : { kind }),
  resourceVersion: String(version),
  at: version,
});
const tell = ({ type, kind, resourceVersion, note }: Cause): string =>
  [type, kind, resourceVersion, note].filter((part) => part !== undefined).join(' ');

/** An outbox before a queue that can be closed, and what the queue got. */
function build(): {
  outbox: Outbox;
  got: string[];
  queue: { open: boolean; gate: Promise<void> | undefined };
  abort: AbortController;
} {
  const got: string[] = [];
  const queue: { open: boolean; gate: Promise<void> | undefined } = { open: true, gate: undefined };
  const abort = new AbortController();
  const outbox = new Outbox({
    enqueue: async (key, given) => {
      await queue.gate;
      if (!queue.open) throw new Error('no connection');
      got.push(`${key}: ${tell(given)}`);
    },
    log,
    signal: abort.signal,
    retry: { first: 5, longest: 10 },
  });
  return { outbox, got, queue, abort };
}

test('outbox: a key is handed over at once', async () => {
  const { outbox, got } = build();
  outbox.push('ns/a', cause('Pod', 5));
  await turn();
  assert.deepEqual(got, ['ns/a: modified Pod 5']);
  assert.equal(outbox.size, 0);
});

test('outbox: what comes while the queue is busy is merged by type and kind, with the highest version', async () => {
  const { outbox, got, queue } = build();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  queue.gate = promise;
  outbox.push('ns/a', cause('Pod', 1));
  for (const version of [7, 12, 9]) outbox.push('ns/a', cause('Pod', version));
  outbox.push('ns/a', cause('Secret', 3));
  outbox.push('ns/a', cause('Pod', 4, 'deleted'));
  assert.equal(outbox.size, 1);
  queue.gate = undefined;
  resolve(undefined);
  await turn();
  assert.deepEqual(got, [
    'ns/a: modified Pod 1',
    'ns/a: modified Pod 12 and 2 more of this kind',
    'ns/a: modified Secret 3',
    'ns/a: deleted Pod 4',
  ]);
});

test('outbox: nothing is lost while the queue refuses, and memory stays bounded', async () => {
  const { outbox, got, queue } = build();
  const waiting = (): number => outbox.size;
  queue.open = false;
  for (let version = 1; version <= 1000; version += 1) outbox.push('ns/a', cause('Pod', version));
  outbox.push('ns/b', cause('KubeVirt', 3, 'added'));
  await turn();
  assert.equal(waiting(), 2);
  queue.open = true;
  while (waiting() > 0) await turn();
  assert.deepEqual(got.sort(), ['ns/a: modified Pod 1000 and 999 more of this kind', 'ns/b: added KubeVirt 3']);
});

test('outbox: the signal ends the tries', async () => {
  const { outbox, queue, abort } = build();
  queue.open = false;
  outbox.push('ns/a', cause('Pod', 1));
  await turn();
  abort.abort();
  while (outbox.size > 1) await turn();
  queue.open = true;
  await turn();
  assert.equal(outbox.size, 1, 'kept, not handed over');
});
