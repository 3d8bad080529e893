import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../sandbox/api-client.ts';
import { startControlPlane, type ControlPlane } from '../sandbox/control-plane.ts';
import { findFreePort, isPortFree } from '../sandbox/ports.ts';
import { createFamily, readLogTail, type Member } from '../sandbox/processes.ts';
import { startRedis } from '../sandbox/redis.ts';
import { ensureControlPlane, ensureHelm } from '../sandbox/setup/control-plane.cjs';
import { apply, installPrerequisites, pathOf, readExample } from '../sandbox/start/installation.ts';
import { createLog } from '../src/log.ts';
import { openRedis } from '../src/queue/connection.ts';
import { PassLog } from '../src/queue/pass-log.ts';
import type { KubeVirt, KubeVirtSpec, KubeVirtStatus } from '../src/api/kubevirt.ts';

/** The built program: what the image runs. */
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');
const LOOK_AGAIN_MS = 20;
const TIMEOUT_MS = 120_000;

/** A process of the operator. */
export interface Operator {
  member: Member;
  /** Metrics and probes. */
  port: number;
  webhookPort: number;
  /** Where its inspector listens once SIGUSR1 has asked for it. */
  inspectorPort: number;
  /** Resident memory now, in megabytes. */
  residentMegabytes(): Promise<number>;
  /** Whether its log holds a line with this text. */
  hasLogged(text: string): Promise<boolean>;
}

/** A fresh control plane with what the chart installs, a Redis of its own, and operators on demand. */
export interface Installation {
  plane: ControlPlane;
  passes: PassLog;
  /** Of the Redis that nobody else uses. */
  redisUrl: string;
  startOperator(role: 'all' | 'gateway' | 'worker' | 'functions', flags?: readonly string[]): Promise<Operator>;
  /** Creates the example object, or one with this spec; resolves to milliseconds since the epoch of the moment before. */
  createKubeVirt(spec?: KubeVirtSpec): Promise<number>;
  /** Gives the object another spec; resolves to milliseconds since the epoch of the moment before. */
  changeKubeVirt(spec: KubeVirtSpec): Promise<number>;
  /** Deletes the object; resolves to milliseconds since the epoch of the moment before. */
  deleteKubeVirt(): Promise<number>;
  readStatus(): Promise<KubeVirtStatus>;
  /** Resolves when the object is Deployed as its present spec wants it, with everything ready. */
  untilDeployed(timeoutMs?: number): Promise<void>;
  /** Resolves when the object is gone. */
  untilGone(timeoutMs?: number): Promise<void>;
  /** Resolves when no pass has begun or ended for so many milliseconds. */
  untilRest(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when `isTrue` does so with true; rejects with `awaited` after the time-out, by default two minutes. */
export async function until(
  awaited: string,
  isTrue: () => Promise<boolean>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${awaited}`);
    await delay(LOOK_AGAIN_MS);
  }
}

/** What an installation stands on. */
interface Ground {
  family: ReturnType<typeof createFamily>;
  redisUrl: string;
  plane: ControlPlane;
  stop: () => Promise<void>;
}

/** Starts a control plane and Redis; whatever fails, nothing is left running. */
async function openGround(nodes: number): Promise<Ground> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-bench-'));
  await mkdir(join(directory, 'log'));
  const family = createFamily(directory);
  const closing = [() => rm(directory, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const [binaries, helm] = await Promise.all([ensureControlPlane(process.env), ensureHelm(process.env)]);
    const plane = await startControlPlane({ binaries, nodes });
    // Redis and the operators end before what they talk to.
    closing.push(
      () => plane.stop(),
      () => family.end(),
    );
    const redisUrl = await startRedis(family, directory, process.env);
    await installPrerequisites(plane.api, helm);
    return { family, redisUrl, plane, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a control plane with the chart's objects and the CRD, and Redis. */
export async function openInstallation(nodes = 3): Promise<Installation> {
  const { family, redisUrl, plane, stop } = await openGround(nodes);
  const example = await readExample();
  const { metadata } = (await plane.api.expect('GET', '/api/v1/namespaces/kube-system')) as {
    metadata: { uid: string };
  };
  const log = createLog({ role: 'bench', verbosity: 0 });
  const redis = openRedis({ url: redisUrl }, { clusterUid: metadata.uid, name: 'bench', log });
  const passes = new PassLog(redis, log);
  const path = pathOf(example);
  const read = async () => (await plane.api.expect('GET', path)) as unknown as KubeVirt;
  let started = 0;
  return {
    plane,
    passes,
    redisUrl,
    startOperator: async (role, flags = []) =>
      startOperator(role, { family, plane, redisUrl, name: `${role}-${++started}`, flags }),
    createKubeVirt: (spec) => timed(() => apply(plane.api, spec === undefined ? example : { ...example, spec })),
    changeKubeVirt: async (spec) => timed(() => replaceSpec(plane.api, path, spec)),
    deleteKubeVirt: () => timed(() => plane.api.expect('DELETE', path)),
    readStatus: async () => (await read()).status ?? {},
    untilDeployed: (timeoutMs) => until('KubeVirt is deployed', async () => isDeployed(await read()), timeoutMs),
    untilGone: (timeoutMs) =>
      until('KubeVirt is gone', async () => (await plane.api.call('GET', path)).status === 404, timeoutMs),
    untilRest: (milliseconds) => untilRest(passes, milliseconds),
    stop: async () => {
      redis.close();
      await stop();
    },
  };
}

/** Runs the task; milliseconds since the epoch of the moment before. */
async function timed(task: () => Promise<unknown>): Promise<number> {
  const at = Date.now();
  await task();
  return at;
}

/** Until the API server takes it: the operator may have written the status in between. */
async function replaceSpec(api: ApiClient, path: string, spec: KubeVirtSpec): Promise<void> {
  await until('the API server takes the change', async () => {
    const { status } = await api.call('PUT', path, { ...(await api.expect('GET', path)), spec });
    if (status !== 200 && status !== 409) throw new Error(`a change of the object was answered ${status}`);
    return status === 200;
  });
}

async function untilRest(passes: PassLog, milliseconds: number): Promise<void> {
  const since = Date.now();
  await until('the operator rests', async () => {
    const [newest] = await passes.read(1);
    const last = newest === undefined ? 0 : newest.startedAt + newest.durationMs;
    return Date.now() - Math.max(since, last) > milliseconds;
  });
}

function isDeployed({ metadata, status = {} }: KubeVirt): boolean {
  const available = status.conditions?.find(({ type }) => type === 'Available');
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  const isCurrent = status.observedGeneration === metadata.generation;
  const isWhole = available?.status === 'True' && progressing?.status === 'False';
  return status.phase === 'Deployed' && isCurrent && isWhole;
}

interface OperatorSurroundings {
  family: ReturnType<typeof createFamily>;
  plane: ControlPlane;
  redisUrl: string;
  name: string;
  flags: readonly string[];
}

async function startOperator(role: string, surroundings: OperatorSurroundings): Promise<Operator> {
  const { family, plane, redisUrl, name } = surroundings;
  const [port, webhookPort, dashboardPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const inspectorPort = await findFreePort();
  const kubeconfig = await plane.writeServiceAccountKubeconfig('kubevirt', 'kubevirt-operator');
  const flags = { kubeconfig, listen: '127.0.0.1', port, 'webhook-port': webhookPort, 'dashboard-port': dashboardPort };
  const member = await family.start({
    name,
    file: process.execPath,
    args: [PROGRAM, role, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`), ...surroundings.flags],
    env: {
      ...process.env,
      // As the image sets it; the second only says where.
      NODE_OPTIONS: `--max-semi-space-size=4 --inspect-port=127.0.0.1:${inspectorPort}`,
      VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0',
      KUBEVIRT_VERSION: 'v1.9.0',
      REDIS_URL: redisUrl,
    },
  });
  const hasLogged = async (text: string) => (await readFile(member.logFile, 'utf8')).includes(text);
  const serves = role === 'all' || role === 'functions';
  const ended = member.exited.then(async ({ code }) => {
    throw new Error(`${name} ended with code ${String(code)}:\n${await readLogTail(member)}`);
  });
  // Ending later, on purpose, is no failure of the start.
  ended.catch(() => undefined);
  const ready = until(
    `${name} serves`,
    async () => !serves || !((await isPortFree(port)) || (await isPortFree(webhookPort))),
  );
  await Promise.race([ended, ready]);
  return {
    member,
    port,
    webhookPort,
    inspectorPort,
    hasLogged,
    residentMegabytes: async () => {
      const status = await readFile(`/proc/${member.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
    },
  };
}
