import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express from 'express';
import fc from 'fast-check';
import { pino } from 'pino';
import { createSchemaCheck } from '../../../functions/kubevirt-schema.ts';
import {
  createCheckNew,
  createValidateCreate,
  VALIDATE_CREATE_PATH,
} from '../../../functions/validate-create/index.ts';
import { createValidateDelete, VALIDATE_DELETE_PATH } from '../../../functions/validate-delete/index.ts';
import { createPlacementCheck } from '../../../functions/validate-update/placement.ts';
import { createValidateUpdate, VALIDATE_UPDATE_PATH } from '../../../functions/validate-update/index.ts';
import type { ApiConnection } from '../../../src/api/connection.ts';
import { ApiError } from '../../../src/errors.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import { badBodies, review, updateTo } from './corpus.ts';

const log = pino({ level: 'silent' });
const PATHS = [VALIDATE_CREATE_PATH, VALIDATE_UPDATE_PATH, VALIDATE_DELETE_PATH];
/** Longer than any body may keep a loaded machine busy; the API server gives up after 10 s. */
const SLOW_MS = 5000;

/** An API server that answers well, badly and not at all, in turn. */
let calls = 0;
const api: ApiConnection = {
  request: () => {
    const turn = calls++ % 3;
    if (turn === 0) return Promise.resolve({ items: [] });
    if (turn === 1) return Promise.reject(new ApiError('etcd is slow', { status: 500, reason: 'InternalError' }));
    return Promise.reject(new Error('no answer', { cause: new Error('ECONNREFUSED') }));
  },
  stream: () => Promise.reject(new Error('no watches here')),
  close: () => undefined,
};
const findSchemaProblems = createSchemaCheck(buildKubeVirtCrd);
const checkPlacement = createPlacementCheck({ api, operatorNamespace: 'kubevirt' });
const app = express().use(
  createValidateCreate({ api, log, findSchemaProblems, check: createCheckNew(checkPlacement) }),
  createValidateUpdate({ log, findSchemaProblems, checkPlacement }),
  createValidateDelete({ api, log }),
);
const server = createServer(app);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let port = 0;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
after(() => {
  agent.destroy();
  server.close();
});

const post = (path: string, body: string | Buffer) =>
  new Promise<{ code: number; body: string }>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
      text(response).then((answer) => {
        resolve({ code: response.statusCode ?? 0, body: answer });
      }, reject);
    })
      .on('error', reject)
      .end(body);
  });

/** A correct AdmissionReview, or a 4xx; in time. */
async function check(name: string, path: string, body: string | Buffer): Promise<void> {
  const begun = performance.now();
  const answer = await post(path, body);
  const took = performance.now() - begun;
  assert.ok(took < SLOW_MS, `${name} took ${took.toFixed(0)} ms at ${path}`);
  if (answer.code >= 400 && answer.code < 500) return;
  assert.equal(answer.code, 200, `${name} at ${path}: ${answer.body.slice(0, 300)}`);
  const { kind, response } = JSON.parse(answer.body) as {
    kind: string;
    response: { uid: string; allowed: boolean; status?: { message: string } };
  };
  assert.equal(kind, 'AdmissionReview');
  assert.notEqual(response.uid, '');
  assert.equal(typeof response.allowed, 'boolean');
  assert.equal(response.allowed, response.status === undefined);
  assert.doesNotMatch(response.status?.message ?? '', /is not a function|Cannot read prop|undefined \(/, name);
}

const bodies = badBodies();

test(`${bodies.length} malformed bodies at three paths: an AdmissionReview or a 4xx, in time`, async () => {
  assert.ok(bodies.length >= 200);
  assert.equal(new Set(bodies.map(({ name }) => name)).size, bodies.length, 'every body has a name of its own');
  for (const { name, body } of bodies) for (const path of PATHS) await check(name, path, body);
});

const anything = fc.jsonValue({ maxDepth: 5 });
const seeded = (runs: number) => ({ numRuns: runs, verbose: 1 as const });

test('anything instead of a review', async () => {
  await fc.assert(
    fc.asyncProperty(anything, fc.constantFrom(...PATHS), async (value, path) => {
      await check('anything', path, JSON.stringify(value));
    }),
    seeded(300),
  );
});

test('anything as old and new object', async () => {
  await fc.assert(
    fc.asyncProperty(anything, anything, fc.constantFrom(...PATHS), async (oldObject, object, path) => {
      await check('anything', path, review({ oldObject, object }));
    }),
    seeded(300),
  );
});

/** Values of a valid shape with anything in between: what gets past the schema now and then. */
const almost = fc.record(
  {
    infra: fc.oneof(fc.record({ replicas: fc.integer() }), anything),
    customizeComponents: fc.oneof(
      fc.record({
        patches: fc.array(
          fc.record({
            resourceName: fc.string(),
            resourceType: fc.string(),
            type: fc.string(),
            patch: fc.oneof(fc.json(), fc.string()),
          }),
        ),
      }),
      anything,
    ),
    certificateRotateStrategy: fc.oneof(
      fc.record({
        selfSigned: fc.record(
          {
            caRotateInterval: fc.string(),
            ca: fc.record({ duration: fc.stringMatching(/^-?[0-9.]{0,4}[hmsd]{0,2}$/), renewBefore: fc.string() }),
          },
          { requiredKeys: [] },
        ),
      }),
      anything,
    ),
    configuration: fc.oneof(
      fc.record(
        {
          developerConfiguration: fc.record(
            { featureGates: fc.array(fc.string()), disabledFeatureGates: fc.array(fc.string()) },
            { requiredKeys: [] },
          ),
          additionalGuestMemoryOverheadRatio: fc.string(),
          tlsConfiguration: fc.record({ minTLSVersion: fc.string(), ciphers: fc.array(fc.string()) }),
          migrations: fc.record({ maxDowntimeMs: fc.integer() }),
        },
        { requiredKeys: [] },
      ),
      anything,
    ),
  },
  { requiredKeys: [] },
);

test('objects that are almost right', async () => {
  await fc.assert(
    fc.asyncProperty(almost, fc.constantFrom(...PATHS), async (spec, path) => {
      await check('almost', path, updateTo(spec));
    }),
    seeded(500),
  );
});

test('memory is flat over 10,000 requests, good and bad', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const small = bodies.filter(({ body }) => body.length < 10_000);
  const good = updateTo({ imageTag: 'v1', configuration: { developerConfiguration: { featureGates: ['Sidecar'] } } });
  const send = async (count: number) => {
    const next = async (lane: number) => {
      for (let i = lane; i < count; i += 8) {
        const body = i % 2 === 0 ? good : (small[i % small.length]?.body ?? '');
        await post(PATHS[i % 3] ?? '', body);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, lane) => next(lane)));
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const first = await send(3000);
  const last = await send(10_000);
  const grown = (last - first) / 1024 / 1024;
  assert.ok(grown < 3, `the heap has grown by ${grown.toFixed(1)} MiB`);
});
