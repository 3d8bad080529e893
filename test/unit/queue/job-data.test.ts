import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_VERSION, parseJobData } from '../../../src/queue/job-data.ts';

const ROWS = [
  { name: 'ours', data: { version: JOB_VERSION, key: 'a/b' }, want: { type: 'ours', key: 'a/b' } },
  { name: 'ours with more fields', data: { version: 1, key: 'a/b', x: 1 }, want: { type: 'ours', key: 'a/b' } },
  { name: 'newer', data: { version: 2, key: 'a/b' }, want: { type: 'newer', version: 2 } },
  { name: 'newer, without a key', data: { version: 3 }, want: { type: 'newer', version: 3 } },
  { name: 'no version', data: { key: 'a/b' }, want: { type: 'unreadable' } },
  { name: 'no key', data: { version: 1 }, want: { type: 'unreadable' } },
  { name: 'an empty key', data: { version: 1, key: '' }, want: { type: 'unreadable' } },
  { name: 'nothing', data: null, want: { type: 'unreadable' } },
  { name: 'a text', data: 'a/b', want: { type: 'unreadable' } },
];

for (const { name, data, want } of ROWS) {
  test(`job data: ${name}`, () => {
    assert.deepEqual(parseJobData(data), want);
  });
}
