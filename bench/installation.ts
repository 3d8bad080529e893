import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startControlPlane, type ControlPlane } from '../sandbox/control-plane.ts';
import { findFreePort, isPortFree } from '../sandbox/ports.ts';
import { createFamily, readLogTail, type Member } from '../sandbox/processes.ts';
import { startRedis } from '../sandbox/redis.ts';
import { ensureControlPlane, ensureHelm } from '../sandbox/setup/control-plane.cjs';
import { apply, installPrerequisites, pathOf, readExample } from '../sandbox/start/installation.ts';
import { createLog } from '../src/log.ts';
import { openRedis } from '../src/queue/connection.ts';
import { PassLog } from '../src/queue/pass-log.ts';
import type { KubeVirtStatus } from '../src/api/kubevirt.ts';

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
  /** Resident memory now, in megabytes. */
  residentMegabytes(): Promise<number>;
  /** Whether its log holds a line with this text. */
  hasLogged(text: string): Promise<boolean>;
}

/** A fresh control plane with what the chart installs, a Redis of its own, and operators on demand. */
export interface Installation {
  plane: ControlPlane;
  passes: PassLog;
  startOperator(role: 'all' | 'gateway' | 'worker' | 'functions', flags?: readonly string[]): Promise<Operator>;
  /** Creates the example object; resolves to milliseconds since the epoch of the moment before. */
  createKubeVirt(): Promise<number>;
  readStatus(): Promise<KubeVirtStatus>;
  /** Resolves when the object is Deployed with everything ready. */
  untilDeployed(): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when `isTrue` does so with true; rejects with `awaited` after two minutes. */
export async function until(awaited: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${awaited}`);
    await delay(LOOK_AGAIN_MS);
  }
}

/** Starts a control plane with the chart's objects and the CRD, and Redis. */
export async function openInstallation(nodes = 3): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-bench-'));
  await mkdir(join(directory, 'log'));
  const family = createFamily(directory);
  const [binaries, helm] = await Promise.all([ensureControlPlane(process.env), ensureHelm(process.env)]);
  const [redisUrl, plane] = await Promise.all([
    startRedis(family, directory, process.env),
    startControlPlane({ binaries, nodes }),
  ]);
  await installPrerequisites(plane.api, helm);
  const kubeVirt = await readExample();
  const { metadata } = (await plane.api.expect('GET', '/api/v1/namespaces/kube-system')) as {
    metadata: { uid: string };
  };
  const log = createLog({ role: 'bench', verbosity: 0 });
  const redis = openRedis({ url: redisUrl }, { clusterUid: metadata.uid, name: 'bench', log });
  const readStatus = async () =>
    ((await plane.api.expect('GET', pathOf(kubeVirt))) as { status?: KubeVirtStatus }).status ?? {};
  let started = 0;
  return {
    plane,
    passes: new PassLog(redis, log),
    startOperator: async (role, flags = []) =>
      startOperator(role, { family, plane, redisUrl, name: `${role}-${++started}`, flags }),
    createKubeVirt: async () => {
      const at = Date.now();
      await apply(plane.api, kubeVirt);
      return at;
    },
    readStatus,
    untilDeployed: () => until('KubeVirt is deployed', async () => isDeployed(await readStatus())),
    stop: async () => {
      redis.close();
      await family.end();
      await plane.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function isDeployed(status: KubeVirtStatus): boolean {
  const available = status.conditions?.find(({ type }) => type === 'Available');
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  return status.phase === 'Deployed' && available?.status === 'True' && progressing?.status === 'False';
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
  const kubeconfig = await plane.writeServiceAccountKubeconfig('kubevirt', 'kubevirt-operator');
  const flags = { kubeconfig, listen: '127.0.0.1', port, 'webhook-port': webhookPort, 'dashboard-port': dashboardPort };
  const member = await family.start({
    name,
    file: process.execPath,
    args: [PROGRAM, role, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`), ...surroundings.flags],
    env: {
      ...process.env,
      // As the image sets it.
      NODE_OPTIONS: '--max-semi-space-size=4',
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
    hasLogged,
    residentMegabytes: async () => {
      const status = await readFile(`/proc/${member.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
    },
  };
}
