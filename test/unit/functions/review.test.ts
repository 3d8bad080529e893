import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { pino } from 'pino';
import { createReviewRouter } from '../../../functions/review.ts';
import { buildResponse, type Verdict } from '../../../functions/verdict.ts';

const log = pino({ level: 'silent' });
let decide: (signal: AbortSignal) => Promise<Verdict> = () => Promise.resolve({ kind: 'allowed' });
const observed: string[] = [];
const observe = (review: object, seconds: number) => observed.push(`${JSON.stringify(review)} ${seconds >= 0}`);
const server = createServer(
  express().use(
    createReviewRouter({ path: '/check', name: 'check', admit: (_request, signal) => decide(signal), log, observe }),
  ),
);
let url = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
});
after(() => server.close());

const request = {
  uid: 'u-1',
  operation: 'UPDATE',
  resource: { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' },
};
const review = (changes: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request,
  ...changes,
});
const post = (body: string | Uint8Array, contentType = 'application/json', headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { 'content-type': contentType, ...headers }, body });

const unreadable: { name: string; send: () => Promise<Response>; want: number }[] = [
  { name: 'no body', send: () => post(''), want: 400 },
  { name: 'half a document', send: () => post('{"kind":'), want: 400 },
  { name: 'JSON that is no object', send: () => post('[1,2]'), want: 400 },
  { name: 'null', send: () => post('null'), want: 400 },
  { name: 'no request', send: () => post(JSON.stringify({ ...review(), request: undefined })), want: 400 },
  {
    name: 'an older review version',
    send: () => post(JSON.stringify(review({ apiVersion: 'admission.k8s.io/v1beta1' }))),
    want: 400,
  },
  { name: 'another kind', send: () => post(JSON.stringify(review({ kind: 'Pod' }))), want: 400 },
  { name: 'no uid', send: () => post(JSON.stringify(review({ request: { ...request, uid: '' } }))), want: 400 },
  {
    name: 'an unknown operation',
    send: () => post(JSON.stringify(review({ request: { ...request, operation: 'STEAL' } }))),
    want: 400,
  },
  {
    name: 'an object that is a list',
    send: () => post(JSON.stringify(review({ request: { ...request, object: [] } }))),
    want: 400,
  },
  ...['..', '.', 'a/b', 'a%2Fb'].map((name) => ({
    name: `the name ${name}, which would lead a request of ours astray`,
    send: () => post(JSON.stringify(review({ request: { ...request, name } }))),
    want: 400,
  })),
  {
    name: 'a namespace that is a path',
    send: () => post(JSON.stringify(review({ request: { ...request, namespace: '../../secrets' } }))),
    want: 400,
  },
  { name: 'YAML', send: () => post('kind: AdmissionReview', 'application/yaml'), want: 415 },
  { name: 'no content type', send: () => fetch(url, { method: 'POST', body: new Uint8Array([123, 125]) }), want: 415 },
  {
    name: 'an unknown encoding',
    send: () => post(JSON.stringify(review()), 'application/json', { 'content-encoding': 'lzma' }),
    want: 415,
  },
  {
    name: 'an unknown charset',
    send: () => post(JSON.stringify(review()), 'application/json; charset=klingon'),
    want: 415,
  },
  {
    name: '20 MiB in 20 kB of gzip',
    send: () =>
      post(gzipSync(JSON.stringify(review({ padding: 'x'.repeat(20 * 1024 * 1024) }))), 'application/json', {
        'content-encoding': 'gzip',
      }),
    want: 413,
  },
  { name: 'GET', send: () => fetch(url), want: 405 },
  { name: '8 MiB', send: () => post(JSON.stringify(review({ padding: 'x'.repeat(8 * 1024 * 1024) }))), want: 413 },
];
for (const { name, send, want } of unreadable) {
  test(`a review with ${name} is answered ${want}`, async () => {
    assert.equal((await send()).status, want);
  });
}

test('a compressed review and one without a length are read', async () => {
  const compressed = await post(gzipSync(JSON.stringify(review())), 'application/json', { 'content-encoding': 'gzip' });
  assert.equal(compressed.status, 200);
  const body = new Blob([JSON.stringify(review())]).stream();
  const chunked = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' } as const;
  assert.equal((await fetch(url, chunked)).status, 200);
});

test('a charset parameter is accepted', async () => {
  const response = await post(JSON.stringify(review()), 'application/json; charset=utf-8');
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(await response.json(), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', allowed: true },
  });
  assert.equal(observed.at(-1), '{"function":"check","verdict":"allowed"} true');
});

test('an error while deciding refuses with its text and keeps the connection', async () => {
  decide = () => Promise.reject(new Error('the API server is away', { cause: new Error('ECONNREFUSED') }));
  const body = (await (await post(JSON.stringify(review()))).json()) as { response: unknown };
  assert.deepEqual(body.response, {
    uid: 'u-1',
    allowed: false,
    status: { metadata: {}, message: 'the API server is away: ECONNREFUSED', code: 400 },
  });
});

const shapes: { name: string; verdict: Verdict; want: object }[] = [
  {
    name: 'allowed with warnings',
    verdict: { kind: 'allowed', warnings: ['w'] },
    want: { uid: 'u', allowed: true, warnings: ['w'] },
  },
  { name: 'allowed without warnings', verdict: { kind: 'allowed', warnings: [] }, want: { uid: 'u', allowed: true } },
  {
    name: 'refused',
    verdict: { kind: 'refused', message: 'no' },
    want: { uid: 'u', allowed: false, status: { metadata: {}, message: 'no', code: 400 } },
  },
  {
    name: 'violations',
    verdict: {
      kind: 'violations',
      violations: [
        { reason: 'FieldValueInvalid', field: 'spec.a', message: 'one' },
        { reason: 'FieldValueForbidden', message: 'two' },
      ],
      warnings: ['w'],
    },
    want: {
      uid: 'u',
      allowed: false,
      status: {
        metadata: {},
        message: 'one, two',
        reason: 'Invalid',
        code: 422,
        details: {
          causes: [
            { reason: 'FieldValueInvalid', field: 'spec.a', message: 'one' },
            { reason: 'FieldValueForbidden', message: 'two' },
          ],
        },
      },
      warnings: ['w'],
    },
  },
];
for (const { name, verdict: given, want } of shapes) {
  test(`the answer of a verdict: ${name}`, () => {
    assert.deepEqual(buildResponse('u', given), want);
  });
}

test('a schema rejection names ten problems and counts the rest', () => {
  const problems = Array.from({ length: 13 }, (_, i) => `p${i}`);
  const response = buildResponse('u', { kind: 'schema', problems }) as {
    status: { message: string; details: { causes: unknown[] } };
  };
  assert.equal(response.status.details.causes.length, 10);
  assert.match(response.status.message, /^p0, .*p9, and 3 more$/);
});

test('what an answer quotes is bounded: texts are cut, warnings counted', () => {
  const long = 'x'.repeat(5000);
  const violations = [{ reason: 'FieldValueInvalid', field: 'spec.a', message: long } as const];
  const verdicts: Verdict[] = [
    { kind: 'refused', message: long },
    { kind: 'schema', problems: [long] },
    { kind: 'violations', violations, warnings: Array.from({ length: 1000 }, () => long) },
  ];
  for (const given of verdicts) {
    const response = buildResponse('u', given) as { status: { message: string }; warnings?: string[] };
    assert.equal(response.status.message.length, 1025, given.kind);
    assert.ok((response.warnings ?? []).length <= 65);
    assert.equal(response.warnings?.at(-1) ?? 'and 936 more warnings', 'and 936 more warnings');
  }
});

test('a rejection lists five hundred violations and counts the rest', () => {
  const violations = Array.from({ length: 1234 }, () => ({ reason: 'FieldValueInvalid', message: 'm' }) as const);
  const response = buildResponse('u', { kind: 'violations', violations }) as {
    status: { message: string; details: { causes: unknown[] } };
  };
  assert.equal(response.status.details.causes.length, 500);
  assert.match(response.status.message, /m, and 734 more$/);
});

test('a caller that leaves ends the decision', async () => {
  const left = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<undefined>();
  decide = (signal) => {
    signal.addEventListener('abort', () => {
      left.resolve(signal.reason);
    });
    begun.resolve(undefined);
    return new Promise(() => undefined);
  };
  const leaving = new AbortController();
  const answer = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(review()),
    signal: leaving.signal,
  });
  await begun.promise;
  leaving.abort();
  await assert.rejects(answer);
  assert.match(String(await left.promise), /the caller has left/);
});

test('an object that exhausts the stack is refused with a sentence', async () => {
  const dig = (depth: number): number => 1 + dig(depth + 1);
  decide = () => Promise.resolve().then(() => ({ kind: 'refused', message: String(dig(0)) }));
  const body = (await (await post(JSON.stringify(review()))).json()) as { response: { status: { message: string } } };
  assert.match(body.response.status.message, /nested too deeply/);
});
