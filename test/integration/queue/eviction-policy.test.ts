import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, test, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { OwnMetrics } from '../../../functions/metrics/own-metrics.ts';
import { findFreePort } from '../../../sandbox/ports.ts';
import { createLog } from '../../../src/log.ts';
import { guardEvictionPolicy, type PolicyGuardOptions } from '../../../src/queue/eviction-policy.ts';
import { useSharedControlPlane, type SharedControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { openParts } from './harness.ts';

let server: TestRedis;
let plane: SharedControlPlane;
before(async () => {
  plane = await useSharedControlPlane();
  server = await startRedis({ own: true, args: ['--maxmemory-policy', 'allkeys-lru'] });
});
after(() => server.stop());

/** A guard with everything that it says: log lines, and the page of metrics. */
async function openGuard(t: TestContext, url: string, options: Partial<PolicyGuardOptions> = {}) {
  const { redis } = await openParts(t, url);
  const lines: string[] = [];
  const log = createLog({
    role: 'test',
    verbosity: 2,
    destination: { write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WritableStream,
  });
  const stop = new AbortController();
  const metrics = new OwnMetrics({ role: 'test', version: '' });
  t.after(() => {
    stop.abort();
    metrics.close();
  });
  const guarded = guardEvictionPolicy({
    redis: redis.impatient,
    log,
    signal: stop.signal,
    isTolerated: false,
    onPolicy: (policy) => {
      metrics.setEvictionPolicy(policy);
    },
    ...options,
  });
  guarded.catch(() => undefined);
  return { guarded, lines, redis: redis.impatient, page: () => metrics.registry.metrics() };
}

const shows = (policy: string) => (page: string) =>
  page.includes(`\nvirt_operator_redis_eviction_policy{policy="${policy}"} 1\n`) &&
  page.match(/^virt_operator_redis_eviction_policy\{/gm)?.length === 1;

test('L04: with a policy other than noeviction the start fails with a sentence, and the gauge shows the policy', async (t) => {
  const { guarded, page } = await openGuard(t, server.url);
  await assert.rejects(guarded, {
    name: 'ConfigurationError',
    message: /maxmemory-policy allkeys-lru .*noeviction.*REDIS_MAY_EVICT=true/,
  });
  assert.ok(shows('allkeys-lru')(await page()));
});

test('L04: on request it is warned of instead, once, and the gauge follows what an administrator sets', async (t) => {
  const { lines, page, redis } = await openGuard(t, server.url, { isTolerated: true, intervalMs: 20 });
  await eventually(page, shows('allkeys-lru'));
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  await eventually(page, shows('noeviction'));
  assert.equal(lines.filter((line) => line.includes('allkeys-lru')).length, 1);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await eventually(page, shows('allkeys-lru'));
});

for (const { refused, want } of [
  { refused: '-info', want: 'allkeys-lru' },
  { refused: '-config', want: 'allkeys-lru' },
  { refused: '-info -config', want: 'unknown' },
]) {
  test(`L04: a user with ${refused} is no reason not to start; the gauge shows ${want}`, async (t) => {
    const { port } = new URL(server.url);
    const admin = new Redis(server.url);
    await admin.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>secret', '~*', '&*', '+@all', ...refused.split(' '));
    admin.disconnect();
    const url = `redis://limited:secret@127.0.0.1:${port}`;
    const { guarded, lines, page } = await openGuard(t, url, { isTolerated: want !== 'unknown' });
    await eventually(page, shows(want));
    if (want === 'unknown') assert.match(lines.join(), /does not tell its maxmemory-policy/);
    assert.equal(await Promise.race([guarded, Promise.resolve('goes on')]), 'goes on');
  });
}

/** Runs role gateway until it ends, or has said all of `until`; returns its exit code, if any, and what it said. */
async function runGateway(env: NodeJS.ProcessEnv, until?: readonly string[]) {
  const ports = await Promise.all([findFreePort(), findFreePort()]);
  const args = ['src/main.ts', 'gateway', `--kubeconfig=${plane.kubeconfig}`, '--listen=127.0.0.1'];
  const child = spawn(process.execPath, [...args, `--port=${ports[0]}`, `--webhook-port=${ports[1]}`], {
    cwd: new URL('../../../', import.meta.url),
    env: { ...process.env, REDIS_URL: server.url, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const whole = text(child.stderr);
  await eventually(() => child.exitCode !== null || until?.every((each) => said.includes(each)) === true, Boolean);
  const { exitCode } = child;
  child.kill('SIGKILL');
  await exited;
  return { exitCode, said: await whole };
}

test('L04: a process ends with code 1 and that sentence; with REDIS_MAY_EVICT it starts', async () => {
  const refused = await runGateway({});
  assert.equal(refused.exitCode, 1);
  assert.match(refused.said, /maxmemory-policy allkeys-lru/);
  const tolerated = await runGateway({ REDIS_MAY_EVICT: 'true' }, ['gateway started', 'allkeys-lru']);
  assert.equal(tolerated.exitCode, null);
});
