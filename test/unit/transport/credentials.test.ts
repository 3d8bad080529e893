import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshed, type Access } from '../../../src/transport/credentials.ts';

const server = new URL('https://api.example');

/** Credentials whose loads are counted and can be made to fail. */
function build(): {
  read: () => Promise<Access>;
  forget: () => void;
  clock: { now: number };
  loads: boolean[];
  script: { fail: boolean; ca: string };
  failures: unknown[];
} {
  const clock = { now: 0 };
  const loads: boolean[] = [];
  const failures: unknown[] = [];
  const script = { fail: false, ca: 'one' };
  const credentials = refreshed(
    server,
    async (refused) => {
      loads.push(refused);
      await Promise.resolve();
      if (script.fail) throw new Error('volume is being updated');
      return { headers: { authorization: String(loads.length) }, tls: { ca: script.ca } };
    },
    (error) => failures.push(error),
    () => clock.now,
  );
  return {
    read: async () => credentials.read(),
    forget: () => {
      credentials.forget();
    },
    clock,
    loads,
    script,
    failures,
  };
}

test('credentials: read once a minute, by one load for all callers', async () => {
  const { read, clock, loads } = build();
  const [first, second] = await Promise.all([read(), read()]);
  assert.equal(first, second);
  clock.now = 59_999;
  assert.equal(await read(), first);
  clock.now = 60_000;
  const later = await read();
  assert.equal(later.headers['authorization'], '2');
  assert.equal(loads.length, 2);
  assert.equal(later.tls, first.tls, 'unchanged TLS material keeps its sockets');
});

test('credentials: a changed CA is a new value', async () => {
  const { read, clock, script } = build();
  const first = await read();
  script.ca = 'two';
  clock.now = 60_000;
  assert.notEqual((await read()).tls, first.tls);
});

test('credentials: after a refusal the next read loads at once and knows why', async () => {
  const { read, forget, loads } = build();
  await read();
  forget();
  await read();
  await read();
  assert.deepEqual(loads, [false, true]);
});

test('credentials: a failing repetition keeps the last good access and is told', async () => {
  const { read, clock, script, failures } = build();
  const first = await read();
  script.fail = true;
  clock.now = 60_000;
  assert.equal(await read(), first);
  assert.equal(failures.length, 1);
});

test('credentials: a failing first load is an error, and is tried again', async () => {
  const { read, script } = build();
  script.fail = true;
  await assert.rejects(read(), /being updated/);
  script.fail = false;
  assert.equal((await read()).headers['authorization'], '2');
});
