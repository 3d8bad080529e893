import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createLog } from '../../../src/log.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { Informer } from '../../../src/watch/informer.ts';
import { buildObject } from '../../unit/watch/build-object.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import { sendJson, sendStatus, startScriptedServer, type Received } from '../fixtures/scripted-server.ts';

/** A random number generator that a seed repeats (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Change {
  version: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubernetesObject;
}

/** A collection with the semantics of the API server: versions, a history that is forgotten, consistent pages. */
class Server {
  readonly objects = new Map<string, KubernetesObject>();
  readonly history: Change[] = [];
  readonly watches = new Set<ServerResponse>();
  readonly snapshots = new Map<string, { version: number; objects: KubernetesObject[] }>();
  readonly random: () => number;
  version = 100;
  oldest = 100;
  faults = true;

  constructor(random: () => number) {
    this.random = random;
  }

  change(): void {
    const name = `o${Math.floor(this.random() * 8)}`;
    const known = this.objects.get(name);
    this.version += 1 + Math.floor(this.random() * 3);
    const uid = known?.metadata.uid ?? `${name}-${this.version}`;
    const object = buildObject(name, this.version, { uid });
    const isDeletion = known !== undefined && this.random() < 0.3;
    if (isDeletion) this.objects.delete(name);
    else this.objects.set(name, object);
    const type = isDeletion ? 'DELETED' : known === undefined ? 'ADDED' : 'MODIFIED';
    this.history.push({ version: this.version, type, object });
    for (const response of this.watches) this.send(response, { type, object });
    if (this.faults && this.random() < 0.05) this.oldest = this.version;
  }

  send(response: ServerResponse, event: object): void {
    if (!this.watches.has(response)) return;
    const line = `${JSON.stringify(event)}\n`;
    const chance = this.faults ? this.random() : 1;
    if (chance < 0.02) response.end(line.slice(0, line.length / 2));
    else if (chance < 0.05) response.write(line, () => response.destroy());
    else if (chance < 0.07) response.end(line);
    else response.write(line);
    if (chance < 0.07) this.watches.delete(response);
  }

  answer({ query }: Received, response: ServerResponse): void {
    const chance = this.faults ? this.random() : 1;
    if (chance < 0.03) response.destroy();
    else if (chance < 0.06) sendStatus(response, 503, 'ServiceUnavailable');
    else if (chance < 0.08) sendStatus(response, 410, 'Expired');
    else if (query.get('watch') === 'true') this.watch(Number(query.get('resourceVersion')), response);
    else this.list(query, response);
  }

  list(query: URLSearchParams, response: ServerResponse): void {
    const [token, from = '0'] = (query.get('continue') ?? '').split('/');
    const snapshot = this.snapshots.get(token ?? '') ?? { version: this.version, objects: [...this.objects.values()] };
    const key = token === '' ? String(this.snapshots.size) : (token ?? '');
    this.snapshots.set(key, snapshot);
    const end = Number(from) + 3;
    const next = end < snapshot.objects.length ? `${key}/${end}` : '';
    const items = snapshot.objects.slice(Number(from), end);
    // On its way while the watch goes on.
    const answer = { metadata: { resourceVersion: String(snapshot.version), continue: next }, items };
    setTimeout(sendJson, this.faults ? this.random() * 8 : 0, response, answer);
  }

  watch(from: number, response: ServerResponse): void {
    response.writeHead(200).flushHeaders();
    if (from < this.oldest) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })}\n`);
      return;
    }
    this.watches.add(response);
    response.once('close', () => this.watches.delete(response));
    for (const { version, type, object } of this.history) if (version > from) this.send(response, { type, object });
  }
}

const state = (objects: Iterable<KubernetesObject>): string[] =>
  [...objects].map(({ metadata }) => `${metadata.uid ?? ''}@${metadata.resourceVersion ?? ''}`).sort();

const given = process.env['TEST_SEED'];
const seeds =
  given === undefined ? Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 31)) : [Number(given)];

for (const seed of seeds) {
  test(`an informer ends as the server is, whatever breaks on the way (TEST_SEED=${seed})`, async () => {
    const random = createRandom(seed);
    const model = new Server(random);
    const server = await startScriptedServer((request, response) => {
      model.answer(request, response);
    });
    const log = createLog({ role: 'test', verbosity: 0 });
    log.level = 'silent';
    const connection = await createConnection({ master: server.url, qps: 1e6, burst: 1e6, userAgent: 'test', log });
    const replayed = new Map<string, KubernetesObject>();
    const informer = new Informer({
      connection,
      source: { path: '/api/v1/things', metadataOnly: false },
      name: 'Thing',
      project: (object) => object,
      log,
      limits: {
        pageSize: 3,
        watchSeconds: 600,
        silenceMs: 200,
        backoff: { first: 1, longest: 8 },
        expectedBackoff: { first: 1, longest: 8 },
        absentMs: 10_000,
        reachMs: 1,
      },
      onChange: (events) => {
        for (const { type, object } of events) {
          const uid = object.metadata.uid ?? '';
          if (type === 'deleted') assert.ok(replayed.delete(uid), 'only what was there can go');
          else replayed.set(uid, object);
        }
      },
    });
    const running = informer.run();
    atEnd(async () => {
      informer.stop();
      await running;
      connection.close();
    });
    const never = new AbortController().signal;
    const reaching: Promise<void>[] = [];
    for (let step = 0; step < 400; step += 1) {
      model.change();
      // Lists beside the watch, as passes ask for them; they may fail like everything else.
      if (step % 10 === 0) reaching.push(informer.reach(String(model.version), never).catch(() => undefined));
      if (random() < 0.5) await pause(1);
    }
    await Promise.all(reaching);
    model.faults = false;
    model.change();
    await eventually(
      () => state(informer.list()),
      (objects) => objects.join() === state(model.objects.values()).join(),
    );
    assert.deepEqual(state(replayed.values()), state(model.objects.values()), 'the events tell the same story');
    assert.ok(informer.stats().lists > 1, 'something was forgotten on the way');
  });
}
