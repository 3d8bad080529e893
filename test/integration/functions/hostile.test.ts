/** What anybody can send who reaches the ports: the listeners go on, and what is not a request gets no answer but a 4xx. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { deflateSync, gzipSync } from 'node:zlib';
import { createSchemaCheck } from '../../../functions/kubevirt-schema.ts';
import { createMetrics } from '../../../functions/metrics/index.ts';
import { startServer, type RunningServer } from '../../../functions/server.ts';
import { createValidateUpdate, VALIDATE_UPDATE_PATH } from '../../../functions/validate-update/index.ts';
import { createLog } from '../../../src/log.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import { buildKubeVirt, buildReview } from './harness.ts';

const lines: string[] = [];
const destination = { write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WritableStream;
const log = createLog({ role: 'test', verbosity: 2, destination });
let server: RunningServer;
let port = 0;

const REVIEW = JSON.stringify(
  buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt({ imageTag: 'v1' }) }),
);

before(async () => {
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    metrics: [createMetrics({ pages: [], log })],
    webhooks: {
      port: 0,
      routers: [
        createValidateUpdate({
          checkPlacement: () => Promise.resolve(undefined),
          findSchemaProblems: createSchemaCheck(buildKubeVirtCrd),
          log,
        }),
      ],
      clientPolicy: () => ({ allowedNames: undefined, required: false }),
    },
    inputs: () => ({ secret: undefined, kubeVirt: undefined }),
    onChange: () => () => undefined,
    now: () => new Date(),
    log,
    patience: { requestMs: 1500, checkMs: 100 },
  });
  port = server.webhookPort ?? 0;
});
after(() => server.stop(0));

async function open(tls: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...tls });
  await once(socket, 'secureConnect');
  return socket;
}

/** Everything that comes until the other side closes; a reset counts as closing. */
function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    socket
      .on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
      .on('error', () => undefined)
      .on('close', () => {
        resolve(received);
      });
  });
}

async function send(bytes: string | Buffer, tls: ConnectionOptions = {}): Promise<string> {
  const socket = await open(tls);
  const received = readAll(socket);
  socket.write(bytes);
  return received;
}

const post = (headers: string, body: string | Buffer = '') =>
  Buffer.concat([
    Buffer.from(`POST ${VALIDATE_UPDATE_PATH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`),
    Buffer.from(body),
  ]);
const json = (body: string | Buffer, more = '') =>
  post(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}`, body);

/** A review is answered as ever. */
async function assertServes(): Promise<void> {
  assert.match(await send(json(REVIEW)), /^HTTP\/1\.1 200 OK\r\n.*"allowed":true/s);
}

const rows: { name: string; bytes: string | Buffer; want: RegExp }[] = [
  { name: 'no HTTP', bytes: '\0\0\0\0\r\n\r\n', want: /^HTTP\/1\.1 400 / },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', want: /^HTTP\/1\.1 400 / },
  {
    name: 'a header of a megabyte',
    bytes: `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1e6)}`,
    want: /^HTTP\/1\.1 431 |^$/,
  },
  { name: 'a path of a megabyte', bytes: `GET /${'x'.repeat(1e6)}`, want: /^HTTP\/1\.1 431 |^$/ },
  {
    name: 'ten thousand headers',
    bytes: `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(10_000)}\r\n`,
    want: /^HTTP\/1\.1 431 |^$/,
  },
  { name: 'no host', bytes: 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', want: /^HTTP\/1\.1 400 / },
  {
    name: 'two lengths',
    bytes: post('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab'),
    want: /^HTTP\/1\.1 400 /,
  },
  {
    name: 'a length and chunks',
    bytes: post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nGET / HTTP/1.1\r\n\r\n'),
    want: /^HTTP\/1\.1 400 /,
  },
  {
    name: 'a chunk that is larger than a number',
    bytes: post('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', `${'f'.repeat(40)}\r\n`),
    want: /^HTTP\/1\.1 400 |^$/,
  },
  {
    name: 'a chunk whose extension has no end',
    bytes: post('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', `1;${'x'.repeat(100_000)}`),
    want: /^HTTP\/1\.1 413 |^HTTP\/1\.1 400 |^$/,
  },
  { name: 'a negative length', bytes: post('Content-Length: -1\r\n'), want: /^HTTP\/1\.1 400 / },
  { name: 'a tunnel', bytes: 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', want: /^$/ },
  {
    name: 'another protocol',
    bytes: 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    want: /^HTTP\/1\.1 404 |^$/,
  },
  {
    name: 'a path that climbs',
    bytes: 'GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    want: /^HTTP\/1\.1 404 /,
  },
  {
    name: 'a path that is no text',
    bytes: 'GET /%00%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    want: /^HTTP\/1\.1 4/,
  },
  {
    name: 'a gzip of 100 MiB in 100 kB',
    bytes: json(gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')), 'Content-Encoding: gzip\r\n'),
    want: /^HTTP\/1\.1 413 /,
  },
  {
    name: 'a deflate of 100 MiB in 100 kB',
    bytes: json(deflateSync(Buffer.alloc(100 * 1024 * 1024, ' ')), 'Content-Encoding: deflate\r\n'),
    want: /^HTTP\/1\.1 413 /,
  },
  {
    name: 'half a gzip',
    bytes: json(gzipSync(REVIEW).subarray(0, 60), 'Content-Encoding: gzip\r\n'),
    want: /^HTTP\/1\.1 400 /,
  },
  {
    name: 'gzip in gzip',
    bytes: json(gzipSync(gzipSync(REVIEW)), 'Content-Encoding: gzip, gzip\r\n'),
    want: /^HTTP\/1\.1 415 /,
  },
  {
    name: 'a million empty objects',
    bytes: json(`{"request":[${'{},'.repeat(1e6)}{}]}`),
    want: /^HTTP\/1\.1 413 .*fewer parts/s,
  },
];
for (const { name, bytes, want } of rows) {
  test(`a caller that sends ${name}`, async () => {
    assert.match((await send(bytes)).slice(0, 500), want);
    await assertServes();
  });
}

const patchesOfMegabyte = [
  {
    name: 'whose braces stand in a string is one value',
    value: '{[,"\\'.repeat(200_000),
    want: /^HTTP\/1\.1 200 OK\r\n.*"allowed":true/s,
  },
  {
    name: 'of empty lists is refused before it is read',
    value: Array.from({ length: 150_000 }, () => ({ 'a"b\\': [] })),
    want: /^HTTP\/1\.1 200 OK\r\n.*"allowed":false.*"field":"spec\.customizeComponents\.patches\[0\]\.patch"/s,
  },
];
for (const { name, value, want } of patchesOfMegabyte) {
  test(`a patch of a megabyte ${name}`, async () => {
    const patch = JSON.stringify({ value });
    const patches = [{ resourceType: 'Deployment', resourceName: 'virt-api', type: 'merge', patch }];
    const kubeVirt = buildKubeVirt({ customizeComponents: { patches } });
    const review = buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: kubeVirt });
    assert.match(await send(json(JSON.stringify(review))), want);
    await assertServes();
  });
}

test('bytes that are no TLS, a thousand times', async () => {
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const socket = connectTcp({ host: '127.0.0.1', port });
        const closed = readAll(socket);
        // Every second one begins like a handshake.
        socket.write(
          Buffer.concat([i % 2 === 0 ? Buffer.from('160301', 'hex') : Buffer.alloc(0), randomBytes(1 + i * 10)]),
        );
        if (i % 5 === 0) socket.destroy();
        else socket.end();
        await closed;
      }),
    );
  }
  await assertServes();
});

test('a caller that wants HTTP/2 and nothing else, or an old TLS, gets no connection', async () => {
  await assert.rejects(open({ ALPNProtocols: ['h2'] }));
  await assert.rejects(open({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }));
  const both = await open({ ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal(both.alpnProtocol, 'http/1.1');
  both.destroy();
});

const slow: { name: string; begin: () => Promise<Socket>; drip: string }[] = [
  { name: 'says nothing', begin: () => Promise.resolve(connectTcp({ host: '127.0.0.1', port })), drip: '' },
  {
    name: 'takes its time with the handshake',
    begin: () => {
      const socket = connectTcp({ host: '127.0.0.1', port });
      socket.write(Buffer.from('1603010200', 'hex'));
      return Promise.resolve(socket);
    },
    drip: '\u0001',
  },
  {
    name: 'takes its time with the headers',
    begin: async () => {
      const socket = await open();
      socket.write('POST / HTTP/1.1\r\nHost: a\r\n');
      return socket;
    },
    drip: 'x: y\r\n',
  },
  {
    name: 'takes its time with the body',
    begin: async () => {
      const socket = await open();
      socket.write(post('Content-Type: application/json\r\nContent-Length: 100000\r\n'));
      return socket;
    },
    drip: ' ',
  },
];
for (const { name, begin, drip } of slow) {
  test(`a caller that ${name} is closed, and keeps nobody waiting`, async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, begin));
    const closed = Promise.all(sockets.map(readAll));
    const dripping = setInterval(() => {
      for (const socket of sockets) if (drip !== '' && socket.writable) socket.write(drip);
    }, 50);
    await assertServes();
    for (const received of await closed) assert.match(received, /^(HTTP\/1\.1 408 .*)?$/s);
    clearInterval(dripping);
    await assertServes();
  });
}

test('large reviews that do not arrive keep a few others waiting, turn the rest away, and hold up no small one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 25 }, async () => {
      const socket = await open();
      const received = readAll(socket);
      socket.write(post('Content-Type: application/json\r\nContent-Length: 1000000\r\n', '{'));
      await assertServes();
      return received;
    }),
  );
  const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 429 '));
  assert.ok(refused.length >= 7, String(refused.length));
  for (const answer of refused) assert.match(answer, /Retry-After: 1/);
  for (const answer of answers) assert.match(answer, /^(HTTP\/1\.1 4(29|08) .*)?$/s);
  const large = buildReview('UPDATE', {
    oldObject: buildKubeVirt({}),
    object: buildKubeVirt({ imageTag: 'x'.repeat(500_000) }),
  });
  assert.match(await send(json(JSON.stringify(large))), /^HTTP\/1\.1 200 OK/);
});

test('connections that nobody uses make room for those that are used', async () => {
  const idle: TLSSocket[] = [];
  for (let i = 0; i < 10; i++) {
    // Connected and answered once, then silent: Node calls that idle.
    const opened = await Promise.all(Array.from({ length: 120 }, () => open().catch(() => undefined)));
    for (const socket of opened.filter((each) => each !== undefined)) {
      socket
        .on('error', () => undefined)
        .resume()
        .write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      idle.push(socket);
    }
  }
  await assertServes();
  assert.ok(idle.filter(({ destroyed }) => !destroyed).length <= 1000, 'no more are open than may be');
  for (const socket of idle) socket.destroy();
});

test('ten thousand requests in one piece are answered until the connection ends', async () => {
  const received = await send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10_000));
  const answers = received.split('HTTP/1.1 404').length - 1;
  assert.ok(answers >= 1 && answers <= 100, String(answers));
  await assertServes();
});

test('callers that leave in the middle of a request, a thousand times', async () => {
  const bytes = json(REVIEW);
  for (let i = 0; i < 1000; i++) {
    const carrier = connectTcp({ host: '127.0.0.1', port });
    const socket = await open({ socket: carrier });
    const written = 1 + ((i * 7) % bytes.length);
    socket.on('error', () => undefined).write(bytes.subarray(0, written));
    if (i % 2 === 0) socket.destroy();
    else carrier.resetAndDestroy();
  }
  await assertServes();
});

test('TLS 1.2 callers cannot make the server shake hands without end', async () => {
  const socket = await open({ maxVersion: 'TLSv1.2' });
  const closed = readAll(socket);
  for (let i = 0; i < 20 && !socket.destroyed; i++) {
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      if (
        socket.renegotiate({ rejectUnauthorized: false }, () => {
          resolve();
        }) !== true
      )
        resolve();
    });
  }
  socket.destroy();
  await closed;
  await assertServes();
});

test('none of this is an error of ours', () => {
  assert.deepEqual(
    lines.filter((line) => /"level":"(error|fatal)"/.test(line)),
    [],
  );
});
