import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bell, orGiveUp, wait, whenAborted } from '../../../src/queue/wait.ts';

const LONG_MS = 60_000;

test('a bell ends every wait that is going on', async () => {
  const bell = new Bell();
  const waits = [bell.wait(LONG_MS), bell.wait(LONG_MS)];
  bell.ring();
  await Promise.all(waits);
});

test('a wait ends with its signal, also with one that is aborted already', async () => {
  const stop = new AbortController();
  const waiting = wait(LONG_MS, stop.signal);
  stop.abort();
  await waiting;
  await wait(LONG_MS, stop.signal);
  await whenAborted(stop.signal);
});

test('a wait ends after its time', async () => {
  const began = performance.now();
  await wait(20);
  assert.ok(performance.now() - began >= 18);
});

test('a result is passed on, an error too', async () => {
  const { signal } = new AbortController();
  assert.equal(await orGiveUp(Promise.resolve(7), signal, 0), 7);
  await assert.rejects(orGiveUp(Promise.reject(new Error('no')), signal, 0), /no/);
});

test('what is pending is given up some time after the signal aborted, not before', async () => {
  const stop = new AbortController();
  const never = new Promise<never>(() => undefined);
  const given = orGiveUp(never, stop.signal, 30);
  stop.abort(new Error('the lock is lost'));
  const aborted = performance.now();
  await assert.rejects(given, { message: /did not answer/, cause: stop.signal.reason });
  assert.ok(performance.now() - aborted >= 28);
});

test('a result that comes within the grace is passed on', async () => {
  const stop = new AbortController();
  const result = Promise.withResolvers<number>();
  const given = orGiveUp(result.promise, stop.signal, LONG_MS);
  stop.abort();
  result.resolve(7);
  assert.equal(await given, 7);
});
