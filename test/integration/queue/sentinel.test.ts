import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFreePort } from '../../../sandbox/ports.ts';
import { readConfig } from '../../../src/config.ts';
import { Closers } from '../../../src/roles/role.ts';
import { connectRedis } from '../../../src/roles/redis.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid, startRedis } from '../fixtures/redis.ts';
import { testLog } from './harness.ts';

const PASSWORD = 'of-redis';
const SENTINEL_PASSWORD = 'of-the-sentinel';

/** A real Sentinel that watches the Redis at `port` under the name `queue`. */
async function startSentinel(redisPort: string): Promise<number> {
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
  ];
  await writeFile(file, settings.join('\n'));
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  atEnd(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  return port;
}

test('Sentinels lead to the master, with a password of their own', async () => {
  const server = await startRedis({ own: true, args: ['--requirepass', PASSWORD] });
  atEnd(() => server.stop());
  const sentinel = await startSentinel(new URL(server.url).port);
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
  const redis = connectRedis({ config, log, clusterUid: freshUid(), closers });
  assert.equal(await eventually(() => redis.impatient.ping().catch(() => ''), Boolean), 'PONG');
});
