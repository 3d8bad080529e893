import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  createSession,
  decideAccess,
  isKnownToken,
  readSessionEnd,
  SESSION_MS,
  type Access,
  type Credentials,
  type DashboardTokens,
} from '../../../src/dashboard/access.ts';

const NOW = 1_800_000_000_000;
const BOTH = { read: 'reader', write: 'writer' };

const rows: { name: string; tokens: DashboardTokens; given?: Credentials; want: Access }[] = [
  { name: 'no tokens are set: everybody reads', tokens: {}, want: 'read' },
  { name: 'only a write token is set: everybody reads', tokens: { write: 'writer' }, want: 'read' },
  {
    name: 'only a write token is set, and given',
    tokens: { write: 'writer' },
    given: { token: 'writer' },
    want: 'write',
  },
  { name: 'nothing is given', tokens: BOTH, want: 'none' },
  { name: 'the reading token', tokens: BOTH, given: { token: 'reader' }, want: 'read' },
  { name: 'the write token reads as well', tokens: BOTH, given: { token: 'writer' }, want: 'write' },
  { name: 'a wrong token', tokens: BOTH, given: { token: 'readers' }, want: 'none' },
  { name: 'an empty token', tokens: BOTH, given: { token: '' }, want: 'none' },
  {
    name: 'a session of the reading token',
    tokens: BOTH,
    given: { session: createSession('reader', NOW) },
    want: 'read',
  },
  {
    name: 'a session of the write token',
    tokens: BOTH,
    given: { session: createSession('writer', NOW) },
    want: 'write',
  },
  {
    name: 'a session that has just ended',
    tokens: BOTH,
    given: { session: createSession('writer', NOW - SESSION_MS) },
    want: 'none',
  },
  {
    name: 'a session of a token that is no longer set',
    tokens: BOTH,
    given: { session: createSession('old', NOW) },
    want: 'none',
  },
  {
    name: 'a session whose end was put off',
    tokens: BOTH,
    given: { session: createSession('writer', NOW - SESSION_MS).replace(/^\d+/, String(NOW + 1)) },
    want: 'none',
  },
  { name: 'a session that is the token itself', tokens: BOTH, given: { session: 'writer' }, want: 'none' },
  { name: 'a session that is nonsense', tokens: BOTH, given: { session: '...' }, want: 'none' },
];

for (const { name, tokens, given = {}, want } of rows) {
  test(`access: ${name}`, () => {
    assert.equal(decideAccess(given, tokens, NOW), want);
  });
}

test('the end of a session is told as long as the session is good', () => {
  const session = createSession('reader', NOW);
  assert.equal(readSessionEnd(session, BOTH, NOW), NOW + SESSION_MS);
  assert.equal(readSessionEnd(session, BOTH, NOW + SESSION_MS), undefined);
  assert.equal(readSessionEnd(session, { read: 'other' }, NOW), undefined);
  assert.equal(readSessionEnd(session, {}, NOW), undefined);
});

test('a session does not hold its token', () => {
  assert.ok(!createSession('writer', NOW).includes('writer'));
});

test('only a token that is set starts a session', () => {
  assert.deepEqual(
    ['reader', 'writer', 'other', ''].map((token) => isKnownToken(token, BOTH)),
    [true, true, false, false],
  );
  assert.equal(isKnownToken('anything', {}), false);
});
