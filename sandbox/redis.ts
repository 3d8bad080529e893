import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findFreePort } from './ports.ts';
import { readLogTail, type Command, type Family, type Member } from './processes.ts';
import { ensureRedis, type RedisWay } from './setup/redis.cjs';
import { SetupError } from './setup/setup-error.cjs';

/** Queues must never be evicted, and a sandbox keeps nothing (style.md §6). */
const SETTINGS = ['--maxmemory-policy', 'noeviction', '--save', '', '--appendonly', 'no'];

const START_TIMEOUT_MS = 60_000;

/**
 * A Redis for this process: the one of REDIS_URL, else one started on a free loopback port as a member of `family`, from the program or with Docker.
 * Resolves to its URL when it answers. Rejects with a SetupError when there is no way to have one, or REDIS_URL leads to none.
 */
export async function startRedis(family: Family, directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const way = ensureRedis(env);
  if (way.way === 'url') {
    await requireAnswer(way.url);
    return way.url;
  }
  const port = await findFreePort();
  const member = await family.start(buildCommand(way, port, directory));
  await waitForRedis(member, port);
  return `redis://127.0.0.1:${port}`;
}

/** How long a Redis may take to answer a connection or a command. */
const ANSWER_MS = 5000;

/** A connection to a Redis that answers now; it never comes back after a loss. Rejects when there is none. */
export async function connectOnce(url: string): Promise<Redis> {
  if (!['redis:', 'rediss:'].includes(URL.parse(url)?.protocol ?? ''))
    throw new Error('its address is not of the form redis://host:port or rediss://host:port');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (error) {
    redis.disconnect();
    // What connect() itself says is only that the connection is closed.
    throw reason ?? error;
  }
}

async function requireAnswer(url: string): Promise<void> {
  try {
    (await connectOnce(url)).disconnect();
  } catch (cause) {
    // The address may hold a password.
    throw new SetupError('The Redis of REDIS_URL cannot be used; correct it, or leave it out to have one started', {
      cause,
    });
  }
}

/** How Redis is started on `port`. In a container it ends with its standard input, and so with whoever started it, kill -9 included. */
export function buildCommand(way: Exclude<RedisWay, { way: 'url' }>, port: number, directory: string): Command {
  if (way.way === 'server') {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, ...SETTINGS];
    return { name: 'redis', file: 'redis-server', args };
  }
  const script = 'redis-server "$@" & cat; kill $!; wait';
  const run = [
    'run',
    '-i',
    '--rm',
    '-p',
    `127.0.0.1:${port}:6379`,
    way.image,
    'sh',
    '-c',
    script,
    'redis',
    ...SETTINGS,
  ];
  return { name: 'redis', file: 'docker', args: run, holdInput: true };
}

async function waitForRedis(member: Member, port: number): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS;
  const state = { ended: false };
  void member.exited.then(() => (state.ended = true));
  while (!(await isAnswering(port))) {
    if (state.ended || performance.now() > end) throw new Error(`Redis does not start:\n${await readLogTail(member)}`);
    await delay(20);
  }
}

/** True when a Redis answers PING on the port. */
async function isAnswering(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(1000) })) as [Buffer];
    return answer.toString().startsWith('+PONG');
  } catch {
    // Refused or silent: not yet.
    return false;
  } finally {
    socket.destroy();
  }
}
