import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectSocket, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createAuthority } from '../../../sandbox/certificates.ts';
import { ApiError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import {
  createConnection,
  type Connection,
  type ConnectionOptions,
  type RequestRecord,
} from '../../../src/transport/connection.ts';
import { whenReachable } from '../../../src/transport/when-reachable.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import { sendJson, sendStatus, startScriptedServer } from '../fixtures/scripted-server.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

async function connect(master: string, options: Partial<ConnectionOptions> = {}): Promise<Connection> {
  const base = { qps: 1000, burst: 1000, userAgent: 'virt-operator/test (test)', log };
  const connection = await createConnection({
    ...base,
    ...(options.kubeconfig === undefined ? { master } : {}),
    ...options,
  });
  atEnd(() => {
    connection.close();
  });
  return connection;
}

async function failure(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  return assert.fail('the call should have failed');
}

test('a call carries query, body, content type and user agent, and is recorded', async () => {
  const server = await startScriptedServer((_, response) => {
    sendJson(response, { ok: true });
  });
  const records: RequestRecord[] = [];
  const connection = await connect(server.url, { onRequest: (record) => records.push(record) });
  const answer = await connection.request({
    method: 'PATCH',
    path: '/api/v1/namespaces/a',
    query: { dryRun: 'All', force: true, absent: undefined },
    body: [{ op: 'add', path: '/x', value: 'ü' }],
    contentType: 'application/json-patch+json',
  });
  assert.deepEqual(answer, { ok: true });
  const got = server.received.at(0);
  assert.equal(got?.method, 'PATCH');
  assert.equal(String(got.query), 'dryRun=All&force=true');
  assert.equal(got.body, '[{"op":"add","path":"/x","value":"ü"}]');
  assert.equal(got.headers['content-type'], 'application/json-patch+json');
  assert.equal(got.headers['user-agent'], 'virt-operator/test (test)');
  const { verb, resource, code, host } = records[0] ?? {};
  assert.deepEqual(
    { verb, resource, code, host },
    { verb: 'PATCH', resource: 'namespaces', code: '200', host: new URL(server.url).host },
  );
});

test('an empty answer is an empty object; one that is no JSON is an error', async () => {
  const server = await startScriptedServer(({ path: asked }, response) =>
    response.end(asked === '/empty' ? '' : '<html>'),
  );
  const connection = await connect(server.url);
  assert.deepEqual(await connection.request({ method: 'GET', path: '/empty' }), {});
  const error = await failure(connection.request({ method: 'GET', path: '/page' }));
  assert.match(error.message, /^GET \/page: no answer from http/);
  assert.match((error.cause as Error).message, /not JSON: "<html>"/);
});

test('a full server is left in peace: after 429 the whole lane waits, then goes on without a burst', async () => {
  let refusals = 1;
  const server = await startScriptedServer((_, response) => {
    if (refusals-- > 0) sendStatus(response, 429, 'TooManyRequests', { 'retry-after': '0' });
    else sendJson(response, {});
  });
  const connection = await connect(server.url, { qps: 100 });
  const start = performance.now();
  await connection.request({ method: 'GET', path: '/first' });
  await Promise.all(Array.from({ length: 10 }, () => connection.request({ method: 'GET', path: '/next' })));
  const took = performance.now() - start;
  assert.ok(took >= 195, `100 ms of patience and ten tokens at 100 per second, took ${took}`);
  assert.equal(server.received.length, 12);
});

test('patience has an end', async () => {
  const server = await startScriptedServer((_, response) => {
    sendStatus(response, 503, 'ServiceUnavailable', { 'retry-after': '0' });
  });
  const connection = await connect(server.url);
  const error = await failure(connection.request({ method: 'GET', path: '/x' }));
  assert.ok(error instanceof ApiError && error.status === 503);
  assert.equal(server.received.length, 6);
});

test('status calls do not starve behind a busy pass', async () => {
  const server = await startScriptedServer((_, response) => {
    sendJson(response, {});
  });
  const connection = await connect(server.url, { qps: 1, burst: 1 });
  const abort = new AbortController();
  const busy = Array.from({ length: 40 }, () =>
    connection.request({ method: 'GET', path: '/busy', signal: abort.signal }).catch(() => undefined),
  );
  await Promise.all(
    Array.from({ length: 5 }, () => connection.request({ method: 'PUT', path: '/status', lane: 'reserved' })),
  );
  // At one a second the busy ones are far from done.
  assert.ok(server.received.filter((request) => request.path === '/busy').length < 15);
  abort.abort();
  await Promise.all(busy);
});

test('aborting a call rejects with the reason and closes its socket', async () => {
  const server = await startScriptedServer(() => undefined);
  const connection = await connect(server.url);
  const abort = new AbortController();
  const reason = new Error('the lock was lost');
  const call = failure(connection.request({ method: 'GET', path: '/never', signal: abort.signal }));
  await eventually(
    () => server.received.length,
    (count) => count === 1,
  );
  abort.abort(reason);
  assert.equal(await call, reason);
  await eventually(
    () => server.openSockets(),
    (count) => count === 0,
  );
  assert.equal(await failure(connection.request({ method: 'GET', path: '/x', signal: abort.signal })), reason);
});

test('L01: a call whose signal aborts right before it would be sent is not sent', async () => {
  const server = await startScriptedServer(() => undefined);
  const connection = await connect(server.url);
  const abort = new AbortController();
  const reason = new Error('the lock was lost');
  const beforeSend = () => {
    abort.abort(reason);
  };
  const call = { method: 'GET', path: '/late', signal: abort.signal, beforeSend } as const;
  assert.equal(await failure(connection.request(call)), reason);
  assert.deepEqual(server.received, []);
});

test('a silent server fails the call, before the head and within the body', async () => {
  const server = await startScriptedServer(({ path: asked }, response) => {
    if (asked === '/body') response.write('{"half":');
  });
  const connection = await connect(server.url);
  const head = await failure(connection.request({ method: 'GET', path: '/head', timeoutMs: 60 }));
  assert.match((head.cause as Error).message, /no answer within 60 ms/);
  const body = await failure(connection.request({ method: 'GET', path: '/body', timeoutMs: 60 }));
  assert.match((body.cause as Error).message, /silent for 60 ms|aborted/);
  await eventually(
    () => server.openSockets(),
    (count) => count === 0,
  );
});

test('a refused connection is an error that names call and server, with the cause of the socket', async () => {
  const connection = await connect('http://127.0.0.1:1');
  const error = await failure(connection.request({ method: 'GET', path: '/x' }));
  assert.match(error.message, /GET \/x: no answer from http:\/\/127.0.0.1:1/);
  assert.equal((error.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED');
});

test('a kept connection that the server has closed is opened again', async () => {
  const server = await startScriptedServer((_, response) => {
    sendJson(response, {});
  });
  const connection = await connect(server.url);
  await connection.request({ method: 'GET', path: '/x' });
  // Closed at the very moment of the next call: it cannot know yet.
  server.breakConnections();
  assert.deepEqual(await connection.request({ method: 'POST', path: '/x', body: {} }), {});
});

test('a stream delivers documents as they come, ends with the server, and closes when it is left', async () => {
  let end: () => void = () => undefined;
  const server = await startScriptedServer((_, response) => {
    response.write('{"n":1}\n{"n"');
    end = () => response.end(':2}\n');
  });
  const connection = await connect(server.url);
  const stream = await connection.stream({ method: 'GET', path: '/w', query: { watch: true }, silenceMs: 5000 });
  const got: unknown[] = [];
  for await (const document of stream.documents) {
    got.push(document);
    end();
  }
  assert.deepEqual(got, [{ n: 1 }, { n: 2 }]);

  const second = await connection.stream({ method: 'GET', path: '/w', silenceMs: 5000 });
  for await (const document of second.documents) {
    assert.deepEqual(document, { n: 1 });
    break;
  }
  second.close();
  second.close();
  await eventually(
    () => server.openSockets(),
    (count) => count <= 1,
  );
});

const breaks: {
  name: string;
  act: (stop: { close: () => void; abort: AbortController; cut: () => void }) => void;
  want: RegExp | undefined;
}[] = [
  {
    name: 'a cut connection breaks it',
    act: ({ cut }) => {
      cut();
    },
    want: /no answer from/,
  },
  { name: 'silence breaks it', act: () => undefined, want: /no answer from/ },
  {
    name: 'an abort breaks it with the reason',
    act: ({ abort }) => {
      abort.abort(new Error('stopped'));
    },
    want: /^stopped$/,
  },
  {
    name: 'closing ends it without an error',
    act: ({ close }) => {
      close();
    },
    want: undefined,
  },
];

for (const { name, act, want } of breaks) {
  test(`a stream: ${name}`, async () => {
    const server = await startScriptedServer((_, response) => response.write('{"n":1}\n'));
    const connection = await connect(server.url);
    const abort = new AbortController();
    const stream = await connection.stream({ method: 'GET', path: '/w', silenceMs: 100, signal: abort.signal });
    const read = async (): Promise<void> => {
      for await (const document of stream.documents) {
        assert.deepEqual(document, { n: 1 });
        act({
          close: () => {
            stream.close();
          },
          abort,
          cut: () => {
            server.breakConnections();
          },
        });
      }
    };
    if (want === undefined) await read();
    else assert.match((await failure(read())).message, want);
    await eventually(
      () => server.openSockets(),
      (count) => count === 0,
    );
  });
}

test('whenReachable says what it waits for and returns as soon as the server accepts us', async () => {
  const lines: string[] = [];
  const recording = createLog({
    role: 'test',
    verbosity: 2,
    destination: { write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WritableStream,
  });
  const answers = [500, 401, 403];
  const server = await startScriptedServer((_, response) => {
    sendStatus(response, answers.shift() ?? 200, 'Scripted');
  });
  const connection = await connect(server.url);
  await whenReachable(connection, recording, new AbortController().signal);
  assert.equal(lines.length, 1, '401 is asked again at once with fresh credentials');
  assert.match(lines[0] ?? '', new RegExp(`waiting for the API server at ${server.url}`));
  await assert.rejects(whenReachable(await connect('http://127.0.0.1:1'), recording, AbortSignal.timeout(50)));
});

test('L19: 10,000 calls leave no descriptors behind', async () => {
  const server = await startScriptedServer((_, response) => {
    sendJson(response, {});
  });
  const connection = await connect(server.url, { qps: 1e6, burst: 1e6 });
  await connection.request({ method: 'GET', path: '/x' });
  const before = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => connection.request({ method: 'GET', path: '/x' })));
  }
  connection.close();
  await eventually(
    () => readdirSync('/proc/self/fd').length,
    (count) => count <= before + 10,
  );
});

test('a rotated CA and token work without a restart', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'rotation-'));
  atEnd(() => rm(directory, { recursive: true }));
  const [first, second] = [await createAuthority('one'), await createAuthority('two')];
  const issue = async (ca: typeof first): Promise<{ certificate: string; key: string }> =>
    ca.issueServer('api', { dns: [], ip: ['127.0.0.1'] });
  const authorised =
    (token: string): Parameters<typeof startScriptedServer>[0] =>
    (request, response) => {
      if (request.headers.authorization === `Bearer ${token}`) sendJson(response, { token });
      else sendStatus(response, 401, 'Unauthorized');
    };
  const old = await startScriptedServer(authorised('t1'), await issue(first));
  await writeFile(path.join(directory, 'ca.crt'), first.certificate);
  await writeFile(path.join(directory, 'token'), 't1\n');
  const url = new URL(old.url);
  const connection = await connect('', {
    master: '',
    environment: { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: url.port },
    serviceAccountDirectory: directory,
  });
  assert.deepEqual(await connection.request({ method: 'GET', path: '/x' }), { token: 't1' });
  // The token is replaced: the first refusal makes the connection read the files again.
  await writeFile(path.join(directory, 'token'), 't2');
  old.answer(authorised('t2'));
  assert.deepEqual(await connection.request({ method: 'GET', path: '/x' }), { token: 't2' });
  assert.equal(old.received.length, 3);
  // A server with a certificate of another authority is not spoken to.
  const renewed = await startScriptedServer(authorised('t2'), await issue(second));
  const strict = await connect('', {
    master: '',
    environment: { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: new URL(renewed.url).port },
    serviceAccountDirectory: directory,
  });
  const refused = await failure(strict.request({ method: 'GET', path: '/x' }));
  assert.match((refused.cause as Error).message, /certificate/);
});

test('calls go direct, whatever proxy the environment names', async () => {
  const server = await startScriptedServer((_, response) => {
    sendJson(response, {});
  });
  const script = `
    const { createConnection } = await import(${JSON.stringify(path.resolve('src/transport/connection.ts'))});
    const { createLog } = await import(${JSON.stringify(path.resolve('src/log.ts'))});
    const connection = await createConnection({ master: process.argv[1], qps: 1, burst: 1, userAgent: 'x', log: createLog({ role: 'x', verbosity: 0 }) });
    await connection.request({ method: 'GET', path: '/x' });
    connection.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, server.url], {
    env: { ...process.env, HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' },
    stdio: 'inherit',
  });
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
  assert.equal(server.received.length, 1);
});

test('calls go through the proxy that the kubeconfig names, with its credentials', async () => {
  const authority = await createAuthority('one');
  const tls = await authority.issueServer('api', { dns: [], ip: ['127.0.0.1'] });
  const server = await startScriptedServer((request, response) => {
    sendJson(response, { authorization: request.headers.authorization ?? '' });
  }, tls);
  const connects: { target: string | undefined; authorization: string | undefined }[] = [];
  const proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
    connects.push({ target: request.url, authorization: request.headers['proxy-authorization'] });
    const upstream = connectSocket(Number(new URL(server.url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  atEnd(() => proxy.close());
  const directory = await mkdtemp(path.join(tmpdir(), 'proxy-'));
  atEnd(() => rm(directory, { recursive: true }));
  const kubeconfig = path.join(directory, 'config');
  const cluster = {
    server: server.url,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
    'proxy-url': `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
  const content = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 'abc' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(content));
  const connection = await connect('', { kubeconfig });
  assert.deepEqual(await connection.request({ method: 'GET', path: '/x' }), { authorization: 'Bearer abc' });
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.deepEqual(connects[0], { target: new URL(server.url).host, authorization });
});
