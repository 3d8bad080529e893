import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { DashboardTokens } from '../../../src/dashboard/access.ts';
import { startDashboard } from '../../../src/dashboard/server.ts';
import { ConfigurationError } from '../../../src/errors.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from '../queue/harness.ts';
import { ask, cookieOf, openDashboard, type Ask } from './harness.ts';

let server: TestRedis;
before(async () => {
  server = await startRedis();
});
after(() => server.stop());

const TOKENS = { read: 'reader', write: 'writer' };
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const FORM = { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('L27: it does not open beyond loopback without a reading token', async () => {
  for (const host of ['0.0.0.0', '::', '127.0.0.1.example.com']) {
    await assert.rejects(
      startDashboard({ host, port: 0, tokens: { write: 'w' }, log: testLog() }),
      (error) => error instanceof ConfigurationError && /DASHBOARD_TOKEN/.test(error.message),
      host,
    );
  }
});

test('a port that is taken is told with the way out', async (t) => {
  const { url, log } = await openDashboard(t, server.url);
  const port = Number(new URL(url).port);
  await assert.rejects(startDashboard({ host: '127.0.0.1', port, tokens: {}, log }), /EADDRINUSE.*--dashboard-port/);
});

test('L27: with a reading token nothing but the page to sign in is open', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  const paths = [
    '/',
    '/events',
    '/api/passes',
    '/queues',
    '/queues/api/queues',
    '/queues/static/images/logo.svg',
    '/nothing',
  ];
  for (const path of paths) assert.equal((await ask(url, path)).status, 401, path);
  const page = await ask(url, '/', { headers: BROWSER });
  assert.equal(page.status, 401);
  assert.match(page.text, /<form[^>]+action="\/sign-in"/);
  assert.equal((await ask(url, '/assets/style.css')).status, 200);
  for (const token of ['reader', 'writer']) {
    for (const path of ['/', '/api/passes', '/queues/']) {
      assert.equal((await ask(url, path, { headers: bearer(token) })).status, 200, `${token} ${path}`);
    }
  }
  assert.equal((await ask(url, '/', { headers: bearer('wrong') })).status, 401);
});

test('signing in gives a session for a day that pages of other sites cannot use, and signing out ends it', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  const answer = await ask(url, '/sign-in', { method: 'POST', headers: FORM, body: 'token=reader' });
  assert.equal(answer.status, 303);
  const { pair, attributes } = cookieOf(answer);
  assert.ok(!pair.includes('reader'), pair);
  for (const attribute of ['httponly', 'samesite=strict', 'max-age=86400', 'path=/']) {
    assert.ok(attributes.includes(attribute), attributes.join('; '));
  }
  assert.ok(!attributes.includes('secure'), 'a cookie for TLS alone would be of no use here');
  assert.equal((await ask(url, '/', { headers: { cookie: `other=1; ${pair}; more=2` } })).status, 200);
  assert.equal((await ask(url, '/', { headers: { cookie: `${pair}x` } })).status, 401);
  assert.equal((await ask(url, '/', { headers: { cookie: `${pair.split('=')[0] ?? ''}=%E0%A4%A` } })).status, 401);
  const out = await ask(url, '/sign-out', { method: 'POST', headers: { cookie: pair } });
  assert.deepEqual([out.status, cookieOf(out).pair], [303, `${pair.split('=')[0] ?? ''}=`]);
});

test('a wrong token is refused with a sentence, and starts no session', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  for (const body of ['token=wrong', 'token=', '', 'token=a&token=reader', `token=${'a'.repeat(3000)}`]) {
    const answer = await ask(url, '/sign-in', { method: 'POST', headers: FORM, body });
    assert.equal(answer.status, 401, body.slice(0, 20));
    assert.match(answer.text, /role="alert">This is not a token/);
    assert.equal(answer.headers['set-cookie'], undefined);
  }
});

test('behind TLS the session is for TLS alone', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  const headers = { ...FORM, 'x-forwarded-proto': 'https' };
  const answer = await ask(url, '/sign-in', { method: 'POST', headers, body: 'token=reader' });
  assert.ok(cookieOf(answer).attributes.includes('secure'));
});

test('two dashboards on one host keep their sessions apart', async (t) => {
  const [one, other] = await Promise.all([openDashboard(t, server.url, TOKENS), openDashboard(t, server.url, TOKENS)]);
  const signIn = ({ url }: { url: string }) =>
    ask(url, '/sign-in', { method: 'POST', headers: FORM, body: 'token=reader' });
  const names = [cookieOf(await signIn(one)), cookieOf(await signIn(other))].map(({ pair }) => pair.split('=')[0]);
  assert.notEqual(names[0], names[1]);
});

const addresses: { path: string; want: string; signsIn?: boolean }[] = [
  { path: '/?token=reader', want: '/', signsIn: true },
  {
    path: '/queues/queue/reconcile?status=failed&token=writer',
    want: '/queues/queue/reconcile?status=failed',
    signsIn: true,
  },
  { path: '/?token=wrong', want: '/' },
  { path: '//example.com/?token=reader', want: '/', signsIn: true },
  { path: '/\\example.com/?token=reader', want: '/', signsIn: true },
  { path: '/.//example.com/?token=reader', want: '/example.com/', signsIn: true },
];
for (const { path, want, signsIn = false } of addresses) {
  test(`a token in the address ${path} ${signsIn ? 'signs in' : 'does nothing'}, and leads to ${want} of this server`, async (t) => {
    const { url } = await openDashboard(t, server.url, TOKENS);
    const answer = await ask(url, path, { headers: BROWSER });
    assert.deepEqual([answer.status, answer.headers.location], [303, want]);
    assert.equal(answer.headers['set-cookie'] !== undefined, signsIn);
  });
}

const hosts: { host: string; tokens?: typeof TOKENS; want: number }[] = [
  { host: 'localhost:8189', want: 200 },
  { host: '127.0.0.1', want: 200 },
  { host: '[::1]:8189', want: 200 },
  { host: 'example.com', want: 421 },
  { host: 'localhost.example.com:8189', want: 421 },
  { host: '127.0.0.1.example.com', want: 421 },
  { host: 'example.com', tokens: TOKENS, want: 200 },
];
for (const { host, tokens, want } of hosts) {
  test(`${tokens === undefined ? 'without a token' : 'with a token'}, Host "${host}" is answered ${want}`, async (t) => {
    const { url } = await openDashboard(t, server.url, tokens);
    const headers = { host, ...(tokens === undefined ? {} : bearer('reader')) };
    for (const path of ['/', '/assets/app.js', '/api/passes']) {
      assert.equal((await ask(url, path, { headers })).status, want, path);
    }
  });
}

const again: { name: string; headers: Record<string, string>; want: number }[] = [
  { name: 'nobody', headers: {}, want: 401 },
  { name: 'the reading token', headers: bearer('reader'), want: 403 },
  { name: 'the write token', headers: bearer('writer'), want: 202 },
  {
    name: 'the write token, from a page of this server',
    headers: { ...bearer('writer'), 'sec-fetch-site': 'same-origin' },
    want: 202,
  },
  {
    name: 'the write token, from another port of this host',
    headers: { ...bearer('writer'), 'sec-fetch-site': 'same-site' },
    want: 403,
  },
  {
    name: 'the write token, from another site',
    headers: { ...bearer('writer'), 'sec-fetch-site': 'cross-site' },
    want: 403,
  },
  {
    name: 'the write token, from another origin',
    headers: { ...bearer('writer'), origin: 'http://127.0.0.1:1' },
    want: 403,
  },
];
for (const { name, headers, want } of again) {
  test(`a pass is asked for with ${name}: ${want}`, async (t) => {
    const { url, queue } = await openDashboard(t, server.url, TOKENS);
    const sent: Ask = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'kubevirt/kubevirt' }),
    };
    assert.equal((await ask(url, '/api/again', sent)).status, want);
    const { causes } = await queue.takeCauses('kubevirt/kubevirt');
    assert.deepEqual(
      causes.map(({ type }) => type),
      want === 202 ? ['requested'] : [],
    );
  });
}

const changes: { name: string; tokens: DashboardTokens; headers?: Record<string, string>; want: number }[] = [
  { name: 'no token is set, and nobody may write', tokens: {}, want: 403 },
  { name: 'whoever reads without a token may sign in as a writer', tokens: { write: 'writer' }, want: 401 },
  { name: 'a token is needed for reading', tokens: { read: 'reader' }, want: 401 },
  { name: 'only reading is possible', tokens: { read: 'reader' }, headers: bearer('reader'), want: 403 },
];
for (const { name, tokens, headers = {}, want } of changes) {
  test(`L27: a change is answered ${want}: ${name}`, async (t) => {
    const { url } = await openDashboard(t, server.url, tokens);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/api/again', '/queues/api/queues/reconcile/pause', '/', '/nothing']) {
        assert.equal((await ask(url, path, { method, headers })).status, want, `${method} ${path}`);
      }
    }
  });
}

test('L27: a page of another site signs nobody in or out', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  for (const path of ['/sign-in', '/sign-out']) {
    const headers = { ...FORM, 'sec-fetch-site': 'cross-site' };
    const answer = await ask(url, path, { method: 'POST', headers, body: 'token=reader' });
    assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined], path);
  }
});

test('a body that names no key is refused with a sentence', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  for (const body of ['', '{}', '{"key":"a"}', '{"key":"A/B"}', '{"key":1}', 'no JSON']) {
    const headers = { ...bearer('writer'), 'content-type': 'application/json' };
    const { status, text } = await ask(url, '/api/again', { method: 'POST', headers, body });
    assert.equal(status, 400, body);
    assert.ok((JSON.parse(text) as { error: string }).error.length > 10);
  }
});

test('pages allow nothing inline and nothing from elsewhere; files are not guessed and not framed', async (t) => {
  const { url } = await openDashboard(t, server.url, TOKENS);
  for (const path of ['/', '/queues/', '/sign-in']) {
    const { headers } = await ask(url, path, { headers: bearer('reader') });
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /script-src 'self'(;|$)/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/, path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-powered-by'], undefined);
    assert.equal(headers['strict-transport-security'], undefined);
  }
});

test('files outside of the public folder are not served', async (t) => {
  const { url } = await openDashboard(t, server.url);
  for (const path of ['/assets/../app.ts', '/assets/..%2fapp.ts', '/assets/%2e%2e/app.ts', '/assets/', '/assets']) {
    assert.equal((await ask(url, path)).status >= 400, true, path);
  }
});
