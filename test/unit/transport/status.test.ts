import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, isStale } from '../../../src/errors.ts';
import { decideRetryDelay, parseApiError } from '../../../src/transport/status.ts';

const status = (fields: object): string => JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...fields });

const decoding: {
  name: string;
  answer: { status: number; body: string; headers?: Record<string, string> };
  want: { message: string; reason: string; retryAfterSeconds?: number };
}[] = [
  {
    name: 'Status object',
    answer: { status: 409, body: status({ reason: 'AlreadyExists', message: 'pods "x" already exists' }) },
    want: { message: 'POST /api/v1/pods: 409 AlreadyExists: pods "x" already exists', reason: 'AlreadyExists' },
  },
  {
    name: 'Status object without a reason',
    answer: { status: 422, body: status({ message: 'testing value /metadata failed' }) },
    want: { message: 'POST /api/v1/pods: 422 Invalid: testing value /metadata failed', reason: 'Invalid' },
  },
  {
    name: 'text of a proxy',
    answer: { status: 502, body: `<html>${'x'.repeat(1000)}` },
    want: { message: `POST /api/v1/pods: 502 BadGateway: <html>${'x'.repeat(294)}`, reason: 'BadGateway' },
  },
  {
    name: 'JSON that is no object',
    answer: { status: 500, body: 'null' },
    want: { message: 'POST /api/v1/pods: 500 InternalError: null', reason: 'InternalError' },
  },
  {
    name: 'empty body',
    answer: { status: 410, body: '' },
    want: { message: 'POST /api/v1/pods: 410 Gone', reason: 'Gone' },
  },
  {
    name: 'patience in seconds',
    answer: { status: 429, body: '', headers: { 'retry-after': '7' } },
    want: { message: 'POST /api/v1/pods: 429 TooManyRequests', reason: 'TooManyRequests', retryAfterSeconds: 7 },
  },
  {
    name: 'patience as a date is left aside',
    answer: { status: 503, body: '', headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' } },
    want: { message: 'POST /api/v1/pods: 503 ServiceUnavailable', reason: 'ServiceUnavailable' },
  },
];

for (const { name, answer, want } of decoding) {
  test(`error answer: ${name}`, () => {
    const error = parseApiError('POST', '/api/v1/pods', { headers: {}, ...answer });
    assert.ok(error instanceof ApiError);
    const { message, reason, retryAfterSeconds } = error;
    assert.deepEqual({ message, reason, retryAfterSeconds }, { retryAfterSeconds: undefined, ...want });
    assert.equal(error.status, answer.status);
  });
}

test('error answer: a failed JSON Patch test is recognised as stale', () => {
  const body = status({ reason: 'Invalid', message: 'the server rejected our request due to an error in our request' });
  assert.equal(isStale(parseApiError('PATCH', '/x', { status: 422, headers: {}, body })), true);
});

const patience: {
  name: string;
  status: number;
  retryAfterSeconds?: number;
  tries: number;
  want: number | undefined;
}[] = [
  { name: '429 with a header', status: 429, retryAfterSeconds: 2, tries: 1, want: 2000 },
  { name: '429 without a header', status: 429, tries: 1, want: 1000 },
  { name: '429 with zero seconds', status: 429, retryAfterSeconds: 0, tries: 1, want: 100 },
  { name: '429 with an hour', status: 429, retryAfterSeconds: 3600, tries: 1, want: 30_000 },
  { name: '503 with a header', status: 503, retryAfterSeconds: 1, tries: 5, want: 1000 },
  { name: '503 with a long wait', status: 503, retryAfterSeconds: 5, tries: 1, want: 1000 },
  { name: '503 without a header', status: 503, tries: 1, want: undefined },
  { name: 'conflict', status: 409, retryAfterSeconds: 1, tries: 1, want: undefined },
  { name: 'too many tries', status: 429, retryAfterSeconds: 1, tries: 6, want: undefined },
];

for (const { name, tries, want, ...answer } of patience) {
  test(`patience: ${name}`, () => {
    assert.equal(decideRetryDelay(new ApiError('x', { reason: 'x', ...answer }), tries, 0), want);
  });
}

test('patience: a storage that is being set up is ready sooner than it says', () => {
  const message = 'GET /x: 429 TooManyRequests: storage is (re)initializing';
  const error = new ApiError(message, { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 });
  assert.equal(decideRetryDelay(error, 1, 0.9), 100);
  assert.equal(decideRetryDelay(error, 6, 0.9), undefined);
});
