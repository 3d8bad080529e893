import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';

import { followNpm } from '../../../sandbox/start/parent.ts';

const FILE = new URL('../../../sandbox/start/parent.ts', import.meta.url).href;
/** Says when it runs, when its parent has gone, and lives until then or until it is told to end. */
const CHILD = `
  const { followNpm } = await import(${JSON.stringify(FILE)});
  followNpm(() => { console.log('gone'); process.exit(); });
  process.on('SIGTERM', () => { console.log('told'); process.exit(); });
  setInterval(() => undefined, 1000);
  console.log(process.pid);
`;
/** Starts the child and waits, as npm does. */
const PARENT = `
  const { spawn } = await import('node:child_process');
  spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(CHILD)}], { stdio: ['ignore', 'inherit', 'inherit'] });
  setInterval(() => undefined, 1000);
`;

/** A parent with a child; the first line of the output, and what comes after it until both are gone. */
async function startPair(t: TestContext) {
  const parent: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ['--input-type=module', '-e', PARENT],
    { env: { ...process.env, npm_lifecycle_event: 'start' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  parent.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const closed = once(parent, 'close');
  await once(parent.stdout, 'data');
  const child = Number(text);
  assert.ok(child > 0, text);
  t.after(async () => {
    parent.kill('SIGKILL');
    await closed;
  });
  return { parent, rest: () => closed.then(() => text.slice(String(child).length).trim()) };
}

test('what npm start has started ends when npm alone is killed', async (t) => {
  const { parent, rest } = await startPair(t);
  parent.kill('SIGKILL');
  assert.equal(await rest(), 'gone');
});

test('what something else has started outlives it', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let parent = 7;
  const gone: string[] = [];
  for (const event of [undefined, 'test', 'start']) {
    const env = event === undefined ? {} : { npm_lifecycle_event: event };
    followNpm(() => gone.push(String(event)), { env, ppid: () => parent });
  }
  t.mock.timers.tick(5000);
  assert.deepEqual(gone, [], 'the parent is there');
  parent = 1;
  t.mock.timers.tick(5000);
  assert.deepEqual(gone, ['start']);
});
