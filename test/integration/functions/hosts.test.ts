import assert from 'node:assert/strict';
import { createServer, request as open, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import express, { type Router } from 'express';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import serverless from 'serverless-http';
import { createSchemaCheck } from '../../../functions/kubevirt-schema.ts';
import { createMetrics } from '../../../functions/metrics/index.ts';
import { createProbes } from '../../../functions/probes/index.ts';
import { createProfiler } from '../../../functions/profiler/index.ts';
import { Recorder } from '../../../functions/profiler/recorder.ts';
import { createValidateCreate, VALIDATE_CREATE_PATH } from '../../../functions/validate-create/index.ts';
import { createValidateDelete, VALIDATE_DELETE_PATH } from '../../../functions/validate-delete/index.ts';
import { createValidateUpdate, VALIDATE_UPDATE_PATH } from '../../../functions/validate-update/index.ts';
import type { ApiConnection } from '../../../src/api/connection.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import { buildKubeVirt, buildReview } from './harness.ts';

const log = pino({ level: 'silent' });
const api: ApiConnection = {
  request: () => Promise.resolve({ items: [] }),
  stream: () => Promise.reject(new Error('no watches here')),
  close: () => undefined,
};

interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}
interface Answer {
  code: number;
  body: string;
  type: string;
}
/** Something that runs a function: sends it a call and returns the answer. */
type Host = (call: Call) => Promise<Answer>;

const closing: Server[] = [];
after(() => {
  for (const server of closing) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<Host> {
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return async ({ method, path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const sent = open({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        const { statusCode: code = 0, headers: received } = response;
        text(response).then((got) => {
          resolve({ code, body: got, type: received['content-type'] ?? '' });
        }, reject);
      });
      sent.on('error', reject).end(body);
    });
}

/** The same router under each host; nothing about it is told to any of them. */
const hosts: { name: string; start: (router: Router) => Promise<Host> }[] = [
  { name: 'a plain Node server', start: (router) => listen(createServer(express().use(router))) },
  {
    name: 'functions-framework',
    start: (router) => {
      const name = `function-${Math.random().toString(36).slice(2)}`;
      http(name, express().use(router));
      return listen(getTestServer(name));
    },
  },
  {
    name: 'serverless-http',
    start: (router) => {
      const handler = serverless(express().use(router));
      return Promise.resolve(async ({ method, path, headers = {}, body }) => {
        const event = { httpMethod: method, path, headers, body: body ?? null, isBase64Encoded: false };
        const answer = (await handler(event, {})) as {
          statusCode: number;
          body: string;
          headers: Record<string, string>;
        };
        return { code: answer.statusCode, body: answer.body, type: answer.headers['content-type'] ?? '' };
      });
    },
  },
];

const findSchemaProblems = createSchemaCheck(buildKubeVirtCrd);
const checkPlacement = () => Promise.resolve(undefined);
const post = (path: string, body: unknown): Call => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const update = (spec: object) => buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt(spec) });
const allowed = /"uid":"00000000-0000-0000-0000-000000000001","allowed":true/;
const refused = /"allowed":false.*"code":422/;
const router = {
  create: () => createValidateCreate({ api, log, findSchemaProblems }),
  update: () => createValidateUpdate({ checkPlacement, findSchemaProblems, log }),
  delete: () => createValidateDelete({ api, log }),
  metrics: () => createMetrics({ pages: [new Registry()], log }),
  probes: () => createProbes({ live: [], started: [], ready: [() => 'not yet'] }),
  profiler: () => createProfiler({ recorder: new Recorder(), isEnabled: () => false, log }),
};

const rows: { name: string; router: () => Router; call: Call; want: { code: number; body: RegExp; type?: RegExp } }[] =
  [
    {
      name: 'validate-create allows',
      router: router.create,
      call: post(VALIDATE_CREATE_PATH, buildReview('CREATE', { object: buildKubeVirt({}) })),
      want: { code: 200, body: allowed, type: /^application\/json/ },
    },
    {
      name: 'validate-update allows',
      router: router.update,
      call: post(VALIDATE_UPDATE_PATH, update({ imageTag: 'v1' })),
      want: { code: 200, body: allowed },
    },
    {
      name: 'validate-update refuses',
      router: router.update,
      call: post(VALIDATE_UPDATE_PATH, update({ infra: { replicas: 0 } })),
      want: { code: 200, body: refused },
    },
    {
      name: 'validate-delete allows',
      router: router.delete,
      call: post(VALIDATE_DELETE_PATH, buildReview('DELETE', { oldObject: buildKubeVirt({}) })),
      want: { code: 200, body: allowed },
    },
    {
      name: 'half a review is a caller’s fault',
      router: router.update,
      call: post(VALIDATE_UPDATE_PATH, '{"kind":'),
      want: { code: 400, body: /./ },
    },
    {
      name: 'JSON that is no review is a caller’s fault',
      router: router.update,
      call: post(VALIDATE_UPDATE_PATH, '[1]'),
      want: { code: 400, body: /not an AdmissionReview/ },
    },
    {
      name: 'a review of 8 MiB is too large',
      router: router.update,
      call: post(VALIDATE_UPDATE_PATH, update({ imageTag: 'x'.repeat(8 * 1024 * 1024) })),
      want: { code: 413, body: /./ },
    },
    {
      name: 'metrics are text',
      router: router.metrics,
      call: { method: 'GET', path: '/metrics' },
      want: { code: 200, body: /^\n?$/, type: /^text\/plain; version=0\.0\.4/ },
    },
    {
      name: 'a probe fails',
      router: router.probes,
      call: { method: 'GET', path: '/readyz' },
      want: { code: 503, body: /not yet/ },
    },
    {
      name: 'the profiler is off',
      router: router.profiler,
      call: { method: 'GET', path: '/start-profiler' },
      want: { code: 403, body: /ClusterProfiler/ },
    },
  ];
for (const { name: hostName, start } of hosts) {
  test(`${hostName}: large reviews take turns, and none is left waiting`, async () => {
    const send = await start(router.update());
    const large = post(VALIDATE_UPDATE_PATH, update({ imageTag: 'x'.repeat(200_000) }));
    const answers = await Promise.all(Array.from({ length: 18 }, () => send(large)));
    for (const { code, body } of [...answers, await send(large)]) {
      assert.equal(code, 200);
      assert.match(body, allowed);
    }
  });

  for (const { name, router: build, call, want } of rows) {
    test(`${hostName}: ${name}`, async () => {
      const send = await start(build());
      const { code, body, type } = await send(call);
      assert.equal(code, want.code, body.slice(0, 500));
      assert.match(body, want.body);
      if (want.type !== undefined) assert.match(type, want.type);
    });
  }
}
