import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/log.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { sendJson, startScriptedServer } from '../fixtures/scripted-server.ts';

const BURST = 20;
const QPS = 50;
const CALLS = 60;

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

function readRates() {
  const env = {
    VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0',
    REDIS_URL: 'redis://127.0.0.1:6379',
    VIRT_OPERATOR_CLIENT_QPS: String(QPS),
    VIRT_OPERATOR_CLIENT_BURST: String(BURST),
  };
  return readConfig({ role: 'worker', args: [], env, readNamespaceFile: () => undefined, hostname: 'test' });
}

test('B75: VIRT_OPERATOR_CLIENT_BURST calls go at once, then VIRT_OPERATOR_CLIENT_QPS a second', async () => {
  const arrivals: number[] = [];
  const server = await startScriptedServer((_, response) => {
    arrivals.push(performance.now());
    sendJson(response, {});
  });
  const { clientQps: qps, clientBurst: burst } = readRates();
  const connection = await createConnection({ master: server.url, qps, burst, userAgent: 'test', log });
  atEnd(() => {
    connection.close();
  });
  const start = performance.now();
  await Promise.all(Array.from({ length: CALLS }, () => connection.request({ method: 'GET', path: '/x' })));
  assert.equal(arrivals.length, CALLS);
  // A slow machine makes calls late, never early. One millisecond: what a timer may be early by.
  const early = arrivals.filter((at, index) => at - start + 1 < ((index + 1 - BURST) * 1000) / QPS);
  assert.deepEqual(early, []);
  assert.ok((arrivals.at(-1) ?? 0) - start < 10_000);
});
