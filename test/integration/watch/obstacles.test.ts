import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';

import type { ControlPlane } from '../../../sandbox/control-plane.ts';
import { findFreePort } from '../../../sandbox/ports.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { startWatches } from '../../../src/watch/watches.ts';
import { startApiProxy, type ApiProxy } from '../fixtures/api-proxy.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { startOwnControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis } from '../fixtures/redis.ts';
import { sendStatus } from '../fixtures/scripted-server.ts';
import { testLog } from '../queue/harness.ts';

/** What an API server or the way to it may do to watches, told by real processes on a real API server. */

let plane: ControlPlane;
let proxy: ApiProxy;

before(async () => {
  plane = await startOwnControlPlane({ nodes: 0 });
  proxy = await startApiProxy(plane.kubeconfig);
  await plane.api.expect('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kubevirt' },
  });
});

/** Starts role gateway on the proxy. */
async function startGateway() {
  const redis = await startRedis({ own: true });
  const [port, webhookPort] = await Promise.all([findFreePort(), findFreePort()]);
  const args = ['src/main.ts', 'gateway', `--master=${proxy.url}`, '--listen=127.0.0.1', `--port=${port}`];
  const child = spawn(process.execPath, [...args, `--webhook-port=${webhookPort}`], {
    cwd: new URL('../../../', import.meta.url),
    env: { ...process.env, REDIS_URL: redis.url },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const exited = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGKILL');
    await exited;
    await redis.stop();
  });
  const agent = new Agent({ rejectUnauthorized: false });
  const probe = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      get(`https://127.0.0.1:${port}${path}`, { agent }, (response) => {
        text(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, body });
        }, reject);
      }).on('error', reject);
    });
  return { lines, probe, isAlive: () => child.exitCode === null };
}

/** Lists that go wrong, each in a way of its own. A call that is never answered is kept until the end of the obstacle. */
function obstruct() {
  const kept: ServerResponse[] = [];
  proxy.intercept(({ method, path, query }, response) => {
    if (method !== 'GET' || query.get('watch') === 'true') return false;
    if (path === '/api/v1/services') sendStatus(response, 403, 'Forbidden');
    else if (path === '/apis/apps/v1/deployments') sendStatus(response, 404, 'NotFound');
    else if (path === '/apis/rbac.authorization.k8s.io/v1/clusterroles') kept.push(response);
    else return false;
    return true;
  });
  return () => {
    proxy.intercept();
    for (const response of kept) response.destroy();
  };
}

test('B02: with lists that are refused (403), unknown (404) or never answered a process lives, is not ready, names them, and becomes ready without a restart', async () => {
  const clear = obstruct();
  const gateway = await startGateway();
  const named = (resource: string) => gateway.lines.filter((line) => line.includes(`"resource":"${resource}"`));
  await eventually(
    () => [named('Service').length, named('Deployment').length],
    (counts) => counts.every((count) => count >= 2),
  );
  assert.ok(gateway.isAlive());
  assert.equal((await gateway.probe('/healthz')).status, 200);
  const ready = await gateway.probe('/readyz');
  assert.equal(ready.status, 503, ready.body);
  for (const resource of ['Service', 'Deployment']) {
    const failures = named(resource).map((line) => (JSON.parse(line) as { failures: number }).failures);
    assert.deepEqual(failures, [...new Set(failures)], 'once per step of the back-off at most');
  }
  clear();
  await eventually(
    () => gateway.probe('/readyz'),
    ({ status }) => status === 200,
  );
  assert.ok(gateway.isAlive());
});

test('B70: with one unrelated APIService unavailable the platform is told right and the start does not fail', async () => {
  await plane.api.expect('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.example.com' },
    spec: {
      group: 'metrics.example.com',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { name: 'nobody', namespace: 'kubevirt' },
    },
  });
  await eventually(
    () => plane.api.call('GET', '/apis/metrics.example.com/v1beta1'),
    ({ status }) => status === 503,
  );
  const gateway = await startGateway();
  const line = await eventually(
    () => gateway.lines.find((each) => each.includes('optional APIs of this cluster')),
    (found) => found !== undefined,
  );
  const { features } = JSON.parse(line ?? '{}') as { features: string[] };
  assert.deepEqual(features.toSorted(), ['validatingAdmissionPolicy', 'validatingAdmissionPolicyBinding']);
  await eventually(
    () => gateway.probe('/readyz'),
    ({ status }) => status === 200,
  );
});

/** Established connections of this process to a port, as the kernel sees them: which timer runs, and in how many seconds it fires. */
async function readTimers(port: number): Promise<{ timer: number; seconds: number }[]> {
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).trim().split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, , remote = '', state, , timer = ''] = row.trim().split(/\s+/);
    if (state !== '01' || Number.parseInt(remote.split(':')[1] ?? '', 16) !== port) return [];
    const [kind = '', left = ''] = timer.split(':');
    // In hundredths of a second, whatever the kernel counts in.
    return [{ timer: Number.parseInt(kind, 16), seconds: Number.parseInt(left, 16) / 100 }];
  });
}

const noProc = process.platform === 'linux' ? false : 'connections are read from /proc of Linux';

test(
  'L17: the kernel probes the connection of every watch within half a minute of silence',
  { skip: noProc },
  async () => {
    const { port } = new URL(plane.server);
    const { kubeconfig } = plane;
    const log = testLog();
    const stop = new AbortController();
    const connection = await createConnection({
      kubeconfig,
      qps: 1e4,
      burst: 1e4,
      userAgent: 'virt-operator/test',
      log,
    });
    const watches = startWatches({
      connection,
      operatorNamespace: 'kubevirt',
      depth: 'full',
      log,
      signal: stop.signal,
    });
    atEnd(() => {
      stop.abort(new Error('the test is over'));
      connection.close();
    });
    await watches.whenSynced(stop.signal);
    const KEEP_ALIVE = 2;
    const timers = await eventually(
      () => readTimers(Number(port)),
      (rows) => rows.length >= 15 && rows.every(({ timer }) => timer === KEEP_ALIVE),
      10_000,
    );
    for (const { seconds } of timers) assert.ok(seconds <= 31, `${seconds} s`);
  },
);
