import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog, levelOf, type Log } from '../../src/log.ts';

/** The lines that `write` makes a logger write. */
function capture(write: (log: Log) => void, verbosity = 2): Record<string, unknown>[] {
  const destination = new PassThrough();
  write(createLog({ role: 'test', verbosity, destination }));
  const text = String(destination.read() ?? '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a line has upstream’s keys', () => {
  const [line] = capture((log) => {
    log.warn({ kind: 'Secret', name: 'a' }, 'something');
  });
  assert.deepEqual(
    { ...line, timestamp: '' },
    {
      level: 'warning',
      timestamp: '',
      component: 'virt-operator',
      role: 'test',
      kind: 'Secret',
      name: 'a',
      msg: 'something',
    },
  );
  assert.match(String(line?.['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

const failure = new Error('outer', { cause: new Error('inner') });
const errors: { name: string; fields: object; want: string }[] = [
  { name: 'an error as err', fields: { err: failure }, want: 'outer: inner' },
  { name: 'a text as error', fields: { error: 'gone' }, want: 'gone' },
  { name: 'a reason', fields: { reason: 'because' }, want: 'because' },
];
for (const { name, fields, want } of errors) {
  test(`${name} is the reason of a line`, () => {
    const [line] = capture((log) => {
      log.error(fields, 'failed');
    });
    assert.equal(line?.['reason'], want);
    assert.deepEqual(
      Object.keys(line).filter((key) => key === 'err' || key === 'error'),
      [],
    );
  });
}

test('secrets do not appear', () => {
  const [line] = capture((log) => {
    log.info({ token: 'x', deep: { password: 'y' }, headers: { authorization: 'z' } }, 'm');
  });
  assert.doesNotMatch(JSON.stringify(line), /"[xyz]"/);
});

test('verbosity becomes a level, and changes for all children while the process runs', () => {
  assert.deepEqual([0, 2, 3, 4, 9].map(levelOf), ['info', 'info', 'debug', 'trace', 'trace']);
  const lines = capture((log) => {
    const child = log.child({ key: 'a' }).child({ step: 'b' });
    child.debug('before');
    log.level = levelOf(3);
    child.debug('while');
    log.level = levelOf(2);
    child.debug('after');
  });
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['while'],
  );
});
