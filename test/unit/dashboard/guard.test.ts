import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLoopback } from '../../../src/dashboard/guard.ts';

const rows: [host: string, want: boolean][] = [
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example.com', false],
  ['127.example.com', false],
  ['localhost.example.com', false],
  ['', false],
];

for (const [host, want] of rows) {
  test(`${host || 'an empty name'} is ${want ? '' : 'not '}loopback`, () => {
    assert.equal(isLoopback(host), want);
  });
}
