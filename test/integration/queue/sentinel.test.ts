import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { findFreePort } from '../../../sandbox/ports.ts';
import { readConfig } from '../../../src/config.ts';
import { LeaderLock } from '../../../src/queue/lock.ts';
import { PassLog } from '../../../src/queue/pass-log.ts';
import { ReconcileQueue } from '../../../src/queue/reconcile-queue.ts';
import { Timers } from '../../../src/queue/timers.ts';
import { Closers } from '../../../src/roles/role.ts';
import { connectRedis } from '../../../src/roles/redis.ts';
import { runWorker } from '../../../src/worker/worker.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from './harness.ts';

const PASSWORD = 'of-redis';
const SENTINEL_PASSWORD = 'of-the-sentinel';

/** A real Sentinel that watches the Redis at `port` under the name `queue`. */
async function startSentinel(redisPort: string, more: readonly string[] = []): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'sentinel-'));
  const port = await findFreePort();
  const file = join(directory, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel monitor queue 127.0.0.1 ${redisPort} 1`,
    `sentinel auth-pass queue ${PASSWORD}`,
    ...more,
  ];
  await writeFile(file, settings.join('\n'));
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  atEnd(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  return port;
}

/** The connections of a gateway that is told of this Sentinel. */
function connect(sentinel: number) {
  const config = readConfig({
    role: 'gateway',
    args: [],
    env: {
      REDIS_SENTINELS: `127.0.0.1:${sentinel}`,
      REDIS_SENTINEL_MASTER: 'queue',
      REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
      REDIS_PASSWORD: PASSWORD,
    },
    readNamespaceFile: () => undefined,
    hostname: 'test',
  });
  const log = testLog();
  const closers = new Closers(log);
  atEnd(() => closers.close());
  return connectRedis({ config, log, clusterUid: freshUid(), closers });
}

test('Sentinels lead to the master, with a password of their own', async () => {
  const server = await startRedis({ own: true, args: ['--requirepass', PASSWORD] });
  atEnd(() => server.stop());
  const redis = connect(await startSentinel(new URL(server.url).port));
  assert.equal(await eventually(() => redis.impatient.ping().catch(() => ''), Boolean), 'PONG');
});

/** How a master is lost: it dies, or somebody has Sentinel give its part to the other one, whereupon it answers but refuses writes. */
const FAILOVERS = [
  { name: 'the master dies', act: (master: TestRedis) => master.crash() },
  {
    name: 'the master is told to give way',
    act: (_master: TestRedis, sentinel: number) => askSentinel(sentinel, 'SENTINEL', 'failover', 'queue'),
  },
];

for (const { name, act } of FAILOVERS) {
  test(`L11: ${name}: producer and worker write again within ten seconds, and nothing is left unhandled`, async (t) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    t.after(() => process.off('unhandledRejection', onRejection));
    const args = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
    const master = await startRedis({ own: true, args });
    const { port } = new URL(master.url);
    const replica = await startRedis({ own: true, args: [...args, '--replicaof', '127.0.0.1', port] });
    atEnd(() => Promise.all([master.stop(), replica.stop()]));
    // Sentinel looks for replicas when it starts, and then only every ten seconds.
    await whenInStep(master);
    const sentinel = await startSentinel(port, [
      'sentinel down-after-milliseconds queue 1000',
      'sentinel failover-timeout queue 5000',
    ]);
    await whenReplicated(sentinel);
    const redis = connect(sentinel);
    const log = testLog();
    const queue = new ReconcileQueue({ redis, log });
    const passes: string[] = [];
    const worker = runWorker({
      lock: new LeaderLock({
        redis,
        log,
        holder: 'w',
        times: { ttlMs: 2000, renewMs: 500, marginMs: 400, pollMs: 200 },
      }),
      queue,
      wakeUps: new Timers({ redis, log, add: queue.add.bind(queue) }),
      history: new PassLog(redis, log),
      pass: (_key, { causes }) => {
        passes.push(...causes.map(({ note = '' }) => note));
        return Promise.resolve({ type: 'done', wrote: 1 });
      },
      log,
      name: 'w',
    });
    t.after(async () => {
      await worker.stop();
      await queue.close();
    });
    const add = (note: string) => queue.add('kubevirt/kubevirt', { type: 'modified', note, at: 1 });
    const tryAdd = (note: string) =>
      add(note).then(
        () => true,
        () => false,
      );
    await eventually(() => tryAdd('before'), Boolean);
    await eventually(
      () => passes,
      (seen) => seen.includes('before'),
    );

    const lostAt = performance.now();
    await act(master, sentinel);
    await eventually(async () => (await whoIsMaster(sentinel)) !== port && (await tryAdd('after')), Boolean);
    const wroteAfter = performance.now() - lostAt;
    assert.ok(wroteAfter < 10_000, `${wroteAfter} ms`);
    await eventually(
      () => passes,
      (seen) => seen.includes('after'),
    );
    const ranAfter = performance.now() - lostAt;
    assert.ok(ranAfter < 15_000, `${ranAfter} ms`);
    assert.deepEqual(rejections, []);
  });
}

async function askSentinel(sentinel: number, ...command: [string, ...string[]]): Promise<string[]> {
  const client = new Redis(sentinel, { password: SENTINEL_PASSWORD, maxRetriesPerRequest: 0 });
  // The command fails with it; whoever asks tries again.
  client.on('error', () => undefined);
  try {
    return (await client.call(...command)) as string[];
  } finally {
    client.disconnect();
  }
}

/** Port of the present master. */
async function whoIsMaster(sentinel: number): Promise<string> {
  return (await askSentinel(sentinel, 'SENTINEL', 'get-master-addr-by-name', 'queue'))[1] ?? '';
}

/** Resolves when the replica has all of the master's data. */
async function whenInStep({ url }: TestRedis): Promise<void> {
  const client = new Redis(url, { password: PASSWORD });
  await eventually(
    () => client.info('replication'),
    (info) => info.includes('state=online'),
  );
  client.disconnect();
}

/** Resolves when the Sentinel knows a replica that is in step: else it has nobody to promote. */
async function whenReplicated(sentinel: number): Promise<void> {
  await eventually(
    async () => JSON.stringify(await askSentinel(sentinel, 'SENTINEL', 'replicas', 'queue')),
    (replicas) => replicas.includes('"master-link-status","ok"'),
  );
}
