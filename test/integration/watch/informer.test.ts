import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createLog } from '../../../src/log.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import type { CollectionEvent } from '../../../src/watch/collection.ts';
import { Informer, type InformerLimits } from '../../../src/watch/informer.ts';
import { buildObject } from '../../unit/watch/build-object.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  sendJson,
  sendStatus,
  startScriptedServer,
  type Received,
  type ScriptedServer,
} from '../fixtures/scripted-server.ts';

/** Everything a hundred times faster than in production. */
const LIMITS: InformerLimits = {
  pageSize: 2,
  watchSeconds: 600,
  silenceMs: 300,
  backoff: { first: 10, longest: 200 },
  expectedBackoff: { first: 5, longest: 40 },
  absentMs: 60_000,
  reachMs: 100,
};

const never = new AbortController().signal;

interface Answers {
  list?: (request: Received, response: ServerResponse) => void;
  watch?: (request: Received, response: ServerResponse, count: number) => void;
  isOptional?: boolean;
}

interface Setup {
  server: ScriptedServer;
  informer: Informer;
  events: string[];
  lines: string[];
  lists: () => Received[];
  watches: () => Received[];
}

/** Answers a list with objects at a version. */
function sendList(response: ServerResponse, version: number, objects: KubernetesObject[], next = ''): void {
  sendJson(response, { metadata: { resourceVersion: String(version), continue: next }, items: objects });
}

function sendEvent(response: ServerResponse, type: string, object: unknown): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

const bookmark = (version: number): object => ({ metadata: { resourceVersion: String(version) } });
const isWatch = ({ query }: Received): boolean => query.get('watch') === 'true';

/** Starts a scripted server and an informer on it. By default one object `a` is listed at version 10 and watches stay open. */
async function start(answers: Answers, limits: Partial<InformerLimits> = {}): Promise<Setup> {
  let count = 0;
  const server = await startScriptedServer((request, response) => {
    if (!isWatch(request)) {
      (
        answers.list ??
        ((_, list): void => {
          sendList(list, 10, [buildObject('a', 5)]);
        })
      )(request, response);
      return;
    }
    response.writeHead(200).flushHeaders();
    answers.watch?.(request, response, ++count);
  });
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WritableStream;
  const log = createLog({ role: 'test', verbosity: 2, destination });
  const connection = await createConnection({ master: server.url, qps: 1e6, burst: 1e6, userAgent: 'test', log });
  const events: string[] = [];
  const informer = new Informer({
    connection,
    source: { path: '/api/v1/things', labelSelector: 'a in (b)', metadataOnly: false },
    name: 'Thing',
    project: (object) => object,
    isOptional: answers.isOptional ?? true,
    log,
    limits: { ...LIMITS, ...limits },
    onChange: (changes: readonly CollectionEvent[]) => {
      for (const { type, object, version } of changes) events.push(`${type} ${object.metadata.name ?? ''}@${version}`);
    },
  });
  const running = informer.run();
  atEnd(async () => {
    informer.stop();
    await running;
    connection.close();
  });
  const of = (wanted: boolean) => () => server.received.filter((request) => isWatch(request) === wanted);
  return { server, informer, events, lines, lists: of(false), watches: of(true) };
}

/** Waits until a call has been made so often. */
async function calls(of: () => Received[], number: number): Promise<void> {
  await eventually(
    () => of().length,
    (length) => length >= number,
    10_000,
  );
}

test('informer: lists page by page, then watches from the version of the list, with bookmarks and a time-out', async () => {
  const { informer, events, lists, watches } = await start({
    list: ({ query }, response) => {
      if (query.get('continue') === 'page 2') sendList(response, 20, [buildObject('c', 7)]);
      else sendList(response, 20, [buildObject('a', 5), buildObject('b', 6)], 'page 2');
    },
    watch: (_, response) => {
      sendEvent(response, 'MODIFIED', buildObject('b', 21));
    },
  });
  await informer.reach('21', never);
  assert.deepEqual(events, ['added a@5', 'added b@6', 'added c@7', 'modified b@21']);
  assert.deepEqual(
    lists().map(({ query }) => String(query)),
    ['labelSelector=a+in+%28b%29&limit=2', 'labelSelector=a+in+%28b%29&limit=2&continue=page+2'],
  );
  const { query } = watches()[0] ?? assert.fail('no watch');
  assert.equal(query.get('resourceVersion'), '20');
  assert.equal(query.get('allowWatchBookmarks'), 'true');
  const seconds = Number(query.get('timeoutSeconds'));
  assert.ok(
    seconds >= 480 && seconds <= 600,
    `${seconds} s: an idle watch is renewed every ten minutes at the latest (L17)`,
  );
});

const expiries: { name: string; expire: (response: ServerResponse) => void }[] = [
  {
    name: 'an ERROR event',
    expire: (response) => {
      sendEvent(response, 'ERROR', {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: 'too old resource version',
      });
      response.end();
    },
  },
  {
    name: 'history that went back',
    expire: (response) => {
      sendEvent(response, 'BOOKMARK', bookmark(3));
    },
  },
];

for (const { name, expire } of expiries) {
  test(`informer: ${name} causes one list, which finds what was missed`, async () => {
    let listed = 0;
    const { events, lists, watches } = await start({
      list: (_, response) => {
        listed += 1;
        if (listed === 1) sendList(response, 10, [buildObject('a', 5), buildObject('b', 6)]);
        else sendList(response, 30, [buildObject('b', 25), buildObject('c', 26)]);
      },
      watch: (_, response, count) => {
        if (count === 1) expire(response);
      },
    });
    await calls(watches, 2);
    assert.equal(lists().length, 2);
    assert.equal(watches()[1]?.query.get('resourceVersion'), '30');
    assert.deepEqual(events.slice(2), ['modified b@25', 'added c@26', 'deleted a@30']);
  });
}

test('L18: informer: a server that always says 410 is asked ever more rarely, at next to no CPU', async () => {
  const server = await start({
    watch: (_, response) => {
      sendEvent(response, 'ERROR', { code: 410, reason: 'Expired' });
      response.end();
    },
  });
  await calls(server.lists, 3);
  const begin = performance.now();
  const cpu = process.cpuUsage();
  await calls(server.lists, server.lists().length + 10);
  // Waits of 40, 80, 160 and seven times 200 ms, of which chance takes away up to a half.
  const passed = performance.now() - begin;
  assert.ok(passed > 700, `ten lists in ${Math.round(passed)} ms`);
  // The server of the test is in this process as well, and the waits are fifty times shorter than in production.
  const { user, system } = process.cpuUsage(cpu);
  const share = (user + system) / 1000 / passed;
  assert.ok(share < 0.1, `${Math.round(share * 100)} % of a core`);
});

test('L18: informer: 410 as HTTP status, of the watch and of a page, costs a list each', async () => {
  let refusals = 2;
  const server = await startScriptedServer((request, response) => {
    const refuse = request.query.has('continue') || isWatch(request);
    if (refuse && refusals-- > 0) sendStatus(response, 410, 'Expired');
    else if (isWatch(request)) response.writeHead(200).flushHeaders();
    else if (request.query.has('continue')) sendList(response, 10, [buildObject('b', 6)]);
    else sendList(response, 10, [buildObject('a', 5)], 'more');
  });
  const log = createLog({ role: 'test', verbosity: 0 });
  log.level = 'silent';
  const connection = await createConnection({ master: server.url, qps: 1e6, burst: 1e6, userAgent: 'test', log });
  const source = { path: '/api/v1/things', metadataOnly: true };
  const informer = new Informer({
    connection,
    source,
    name: 'Thing',
    project: (object) => object,
    log,
    limits: LIMITS,
  });
  void informer.run();
  atEnd(() => {
    informer.stop();
    connection.close();
  });
  await calls(() => server.received.filter(isWatch), 2);
  assert.deepEqual(
    informer.list().map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  const accepts = new Set(server.received.map(({ headers }) => headers.accept?.split(',')[0]));
  assert.deepEqual(
    accepts,
    new Set([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    ]),
  );
});

const cuts: { name: string; act: (response: ServerResponse, server: () => ScriptedServer) => void }[] = [
  { name: 'a silent network (L17)', act: () => undefined },
  {
    name: 'a half-written line',
    act: (response) => {
      response.write('{"type":"MODIFIED","object":{"meta');
      response.end();
    },
  },
  {
    name: 'a cut connection',
    act: (response) => {
      // Cut when what was written before is on its way.
      response.write('\n', () => response.destroy());
    },
  },
  {
    name: 'something that is no event',
    act: (response) => {
      response.write('{"type":"WEIRD","object":{"metadata":{"resourceVersion":"12"}}}\n');
    },
  },
  {
    name: 'an error that is not about the version',
    act: (response) => {
      sendEvent(response, 'ERROR', { code: 500, reason: 'InternalError' });
      response.end();
    },
  },
  { name: 'the time-out of the server', act: (response) => response.end() },
];

for (const { name, act } of cuts) {
  test(`informer: after ${name} the watch goes on where it was, without a list`, async () => {
    const setup: Setup = await start({
      watch: (_, response, count) => {
        if (count > 1) return;
        sendEvent(response, 'ADDED', buildObject('b', 11));
        act(response, () => setup.server);
      },
    });
    await calls(setup.watches, 2);
    assert.equal(setup.lists().length, 1);
    assert.equal(setup.watches()[1]?.query.get('resourceVersion'), '11');
    assert.deepEqual(setup.events, ['added a@5', 'added b@11']);
    await eventually(
      () => setup.server.openSockets(),
      (open) => open <= 2,
    );
  });
}

test('informer: bytes keep a watch alive beyond the silence limit', async () => {
  const { watches, informer } = await start(
    {
      watch: (_, response) => {
        let version = 10;
        const timer = setInterval(() => {
          sendEvent(response, 'BOOKMARK', bookmark(++version));
        }, 20);
        response.once('close', () => {
          clearInterval(timer);
        });
      },
    },
    { silenceMs: 150 },
  );
  await eventually(
    () => Number(informer.version),
    (version) => version >= 25,
  );
  assert.equal(watches().length, 1);
});

test('informer: where the server sends no bookmarks, silence is borne ever longer; a bookmark ends that', async () => {
  let opened = performance.now();
  const lives: number[] = [];
  const { watches } = await start(
    {
      watch: (_, response, count) => {
        opened = performance.now();
        response.once('close', () => lives.push(performance.now() - opened));
        if (count === 3) sendEvent(response, 'BOOKMARK', bookmark(11));
      },
    },
    { silenceMs: 150 },
  );
  await calls(watches, 4);
  const [first = 0, second = 0, third = 0] = lives;
  assert.ok(first >= 145 && second >= 290, `${first}, ${second}`);
  assert.ok(third >= 145 && third < 590, `${third}: the bookmark counts at once, else it were 600`);
});

test('L19: informer: a thousand reconnects leave no sockets and no descriptors behind', async () => {
  const { server, watches, informer } = await start(
    {
      watch: (_, response, count) => {
        sendEvent(response, 'MODIFIED', buildObject('a', 10 + count));
        // Ends in order, half of the time; else breaks off.
        if (count % 2 === 0) response.end();
        else response.destroy();
      },
    },
    { backoff: { first: 0, longest: 0 } },
  );
  await calls(watches, 20);
  const before = readdirSync('/proc/self/fd').length;
  await calls(watches, 1020);
  assert.ok(readdirSync('/proc/self/fd').length <= before + 10, 'descriptors');
  assert.ok(server.openSockets() <= 3, `${server.openSockets()} sockets`);
  assert.equal(informer.stats().lists, 1);
});

/** Ways in which one kind cannot be listed. */
const UNLISTABLE: { name: string; answer: (response: ServerResponse) => void; said: RegExp }[] = [
  {
    name: 'refused (403)',
    answer: (response) => {
      sendStatus(response, 403, 'Forbidden');
    },
    said: /Forbidden as scripted/,
  },
  {
    name: 'unknown (404) although every API server has it',
    answer: (response) => {
      sendStatus(response, 404, 'NotFound');
    },
    said: /NotFound as scripted/,
  },
  { name: 'broken off', answer: (response) => response.destroy(), said: /no answer from/ },
];

for (const { name, answer, said } of UNLISTABLE) {
  test(`B02: informer: a kind that is ${name} is named in the log ever more rarely, and recovers by itself`, () =>
    recoversFrom(answer, said));
}

async function recoversFrom(answer: (response: ServerResponse) => void, said: RegExp): Promise<void> {
  let allowed = false;
  const { informer, lines, lists } = await start({
    list: (_, response) => {
      if (allowed) sendList(response, 10, []);
      else answer(response);
    },
    isOptional: false,
  });
  await calls(lists, 9);
  assert.equal(informer.state, 'starting');
  assert.ok(lines.length >= 2 && lines.length <= 4, lines.join(''));
  for (const line of lines) assert.match(line, /"resource":"Thing"/);
  assert.match(lines[0] ?? '', said);
  allowed = true;
  await informer.whenSettled(never);
  assert.equal(informer.state, 'synced');
}

test('informer: a kind without a CRD is left alone; once its CRD is there it is found at once', async () => {
  let served = false;
  const { informer, lists, events } = await start({
    list: (_, response) => {
      if (served) sendList(response, 10, [buildObject('a', 5)]);
      else sendStatus(response, 404, 'NotFound');
    },
  });
  await informer.whenSettled(never);
  assert.equal(informer.state, 'absent');
  await informer.reach('99', never);
  await informer.gone('uid', never);
  assert.equal(lists().length, 1, 'no hammering');
  informer.expect(true);
  await calls(lists, 4);
  served = true;
  // Without its CRD it would be looked for again in a minute.
  await eventually(
    () => informer.state,
    (state) => state === 'synced',
  );
  assert.deepEqual(events, ['added a@5']);
});

test('informer: a kind that vanishes is emptied; a short 404 of a kind whose CRD exists is not believed', async () => {
  let notFound = 0;
  const setup = await start({
    list: (_, response) => {
      if (notFound-- > 0) sendStatus(response, 404, 'NotFound');
      else sendList(response, 10, [buildObject('a', 5)]);
    },
    watch: (_, response, count) => {
      if (count <= 2) {
        notFound = count === 1 ? 2 : 1000;
        sendEvent(response, 'ERROR', { code: 410, reason: 'Expired' });
        response.end();
      }
    },
  });
  setup.informer.expect(true);
  await calls(setup.watches, 2);
  assert.deepEqual(setup.events, ['added a@5'], 'two refusals change nothing');
  setup.informer.expect(false);
  await eventually(
    () => setup.informer.state,
    (state) => state === 'absent',
  );
  assert.deepEqual([setup.events, setup.informer.interruptedMs], [['added a@5', 'deleted a@10'], 0]);
});

/** Longer than any test: what resolves has not waited for it. */
const PATIENT = { reachMs: 600_000 };

for (const [type, object] of [
  ['BOOKMARK', bookmark(15)],
  ['MODIFIED', buildObject('a', 15)],
] as const) {
  test(`informer: reach is satisfied by ${type}`, async () => {
    const watch = (_: Received, response: ServerResponse): void => {
      sendEvent(response, type, object);
    };
    const { informer, lists } = await start({ watch }, PATIENT);
    await informer.whenSettled(never);
    await informer.reach('15', never);
    assert.equal(lists().length, 1);
  });
}

test('informer: reach is satisfied by a fresh list when the watch shows nothing', async () => {
  let version = 10;
  const { informer, lists } = await start({
    list: (_, response) => {
      sendList(response, version, [buildObject('a', version)]);
    },
  });
  await informer.whenSettled(never);
  version = 20;
  await Promise.all([informer.reach('20', never), informer.reach('18', never)]);
  assert.equal(lists().length, 2, 'one list for both');
  assert.equal(informer.get('a', 'ns')?.metadata.resourceVersion, '20');
  await assert.rejects(informer.reach('30', AbortSignal.abort(new Error('the lock was lost'))), /the lock was lost/);
});

test('informer: gone is satisfied by the deletion', async () => {
  const { informer, lists } = await start(
    {
      list: (_, response) => {
        sendList(response, 10, [buildObject('a', 5), buildObject('b', 6)]);
      },
      watch: (_, response) => {
        sendEvent(response, 'DELETED', buildObject('b', 12));
      },
    },
    PATIENT,
  );
  await informer.whenSettled(never);
  await informer.gone('uid-b', never);
  assert.equal(lists().length, 1);
});

test('informer: gone is satisfied by a fresh list when the watch shows nothing', async () => {
  let gone = false;
  const { informer, lists } = await start({
    list: (_, response) => {
      sendList(response, gone ? 20 : 10, gone ? [] : [buildObject('a', 5)]);
    },
  });
  await informer.whenSettled(never);
  gone = true;
  await informer.gone('uid-a', never);
  assert.deepEqual([lists().length, informer.list()], [2, []]);
});

test('informer: a list that is older than what the watch has shown meanwhile changes nothing', async () => {
  let answer: (() => void) | undefined;
  let push: (() => void) | undefined;
  let listed = 0;
  const { informer } = await start({
    list: (_, response) => {
      listed += 1;
      if (listed === 1) sendList(response, 10, [buildObject('a', 5)]);
      else
        answer = () => {
          sendList(response, 12, []);
        };
    },
    watch: (_, response) => {
      push = () => {
        sendEvent(response, 'MODIFIED', buildObject('a', 13));
      };
    },
  });
  await informer.whenSettled(never);
  const reaching = informer.reach('13', never);
  await eventually(
    () => answer,
    (given) => given !== undefined,
  );
  push?.();
  await eventually(
    () => informer.version,
    (version) => version === '13',
  );
  answer?.();
  await reaching;
  assert.equal(informer.get('a', 'ns')?.metadata.resourceVersion, '13');
});

test('informer: survives a server that is away for a while', async () => {
  const { server, informer, watches } = await start({});
  await calls(watches, 1);
  server.answer((_, response) => response.destroy());
  server.breakConnections();
  await eventually(
    () => informer.stats().failures,
    (failures) => failures >= 4,
  );
  server.answer((_, response) => {
    response.writeHead(200);
    sendEvent(response, 'MODIFIED', buildObject('a', 12));
  });
  await eventually(
    () => informer.version,
    (version) => version === '12',
  );
  assert.equal(informer.stats().lists, 1);
  assert.equal(informer.stats().failures, 0);
});

test('informer: a stopped one asks for nothing more', async () => {
  const { server, informer, watches } = await start({});
  await calls(watches, 1);
  informer.stop();
  await eventually(
    () => server.openSockets(),
    (open) => open <= 1,
  );
  assert.equal(server.received.length, 2);
});

test('B65: how long the server has been lost is known from the first failure until a watch works again', async () => {
  let isLost = false;
  const { informer, server, watches } = await start({
    watch: (_, response) => {
      if (isLost) response.destroy();
      else sendEvent(response, 'BOOKMARK', bookmark(11));
    },
  });
  const lostFor = (condition: (milliseconds: number) => boolean) => eventually(() => informer.interruptedMs, condition);
  await calls(watches, 1);
  assert.equal(informer.interruptedMs, 0);
  isLost = true;
  server.breakConnections();
  const first = await lostFor((milliseconds) => milliseconds > 0);
  await lostFor((milliseconds) => milliseconds > first + 100);
  isLost = false;
  await lostFor((milliseconds) => milliseconds === 0);
});
