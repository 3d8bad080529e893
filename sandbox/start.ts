/**
 * `npm start`: a control plane with fake nodes, Redis, the operator, and KubeVirt installed by it; stays until Ctrl-C and leaves nothing behind.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../src/errors.ts';
import { findFreePort, isPortFree } from './ports.ts';
import { createFamily, type Family } from './processes.ts';
import { startRedis } from './redis.ts';
import { ensureHelm } from './setup/control-plane.cjs';
import { SetupError } from './setup/setup-error.cjs';
import { openExistingCluster, openSandbox, type SandboxParts, type TargetCluster } from './start/cluster.ts';
import { followToEnd, readClusterUid } from './start/follow.ts';
import { removeKeys } from './start/forget.ts';
import {
  apply,
  installExtras,
  installPrerequisites,
  pathOf,
  readExample,
  type Installer,
} from './start/installation.ts';
import { rejectAtEnd, startOperator, waitForServers } from './start/operator.ts';
import { parseOptions, USAGE, UsageError, type StartOptions } from './start/options.ts';
import { followNpm } from './start/parent.ts';
import type { SandboxState } from '../src/cli/background/state-file.ts';
import { writeState } from './start/state.ts';

/** How long the operator may take to hand over when it is asked to end. */
const STOP_GRACE_MS = 5000;

const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** How to end what has been started, in the order of starting. */
type Closers = (() => Promise<unknown>)[];

const started = performance.now();

function tell(line: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
}

/**
 * Aborts at the first signal, and when npm is gone. Further ones change nothing: one Ctrl-C may arrive more than once, from the terminal and from npm, and ending takes a few
 * seconds at most.
 */
function listenForEnd(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      controller.abort(new Error(`ended by ${name}`));
    });
  }
  followNpm(() => {
    controller.abort(new Error('ended: npm is gone'));
  });
  // The terminal may be gone.
  process.stdout.on('error', () => undefined);
  return controller.signal;
}

async function requireFreePorts({ port, dashboardPort }: StartOptions): Promise<void> {
  for (const [flag, number] of [
    ['port', port],
    ['dashboard-port', dashboardPort],
  ] as const) {
    if (await isPortFree(number)) continue;
    throw new SetupError(
      `Port ${number} is in use: stop what uses it, or choose another with "npm start -- --${flag} PORT".`,
    );
  }
}

/** Folder and processes of this start; the guard removes both should this process be killed. */
async function openFamily(closers: Closers): Promise<{ family: Family; directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-start-'));
  const family = createFamily(directory);
  closers.push(async () => {
    await family.end();
    await rm(directory, { recursive: true, force: true });
  });
  await mkdir(join(directory, 'log'));
  return { family, directory };
}

async function openCluster(
  options: StartOptions,
  closers: Closers,
  parts: Omit<SandboxParts, 'tell'>,
): Promise<TargetCluster> {
  const { kubeconfig } = options;
  const cluster =
    kubeconfig === undefined ? await openSandbox(options, { ...parts, tell }) : await openExistingCluster(kubeconfig);
  closers.push(() => cluster.close());
  return cluster;
}

/** The control plane alone, ready for the chart; resolves when it can be used. */
async function openBare(options: StartOptions, closers: Closers, signal: AbortSignal): Promise<void> {
  const { family, directory } = await openFamily(closers);
  const used: { redis?: Promise<string>; clusterUid?: string } = {};
  closers.push(() => forgetKeys(used));
  const redis = () => (used.redis ??= startRedis(family, directory, process.env));
  const cluster = await openCluster(options, closers, { signal, redis });
  used.clusterUid = await readClusterUid(cluster.api);
  for (const name of ['openshift', 'monitoring'] as const) if (options[name]) await installExtras(cluster.api, name);
  tell('the control plane is ready');
  await tellState(options, closers, cluster);
  console.log(`\n  export KUBECONFIG=${cluster.kubeconfig}\n\nCtrl-C ends everything.\n`);
}

/** Leaves no key in a Redis that is not ours. */
async function forgetKeys({ redis, clusterUid }: { redis?: Promise<string>; clusterUid?: string }): Promise<void> {
  if (process.env['REDIS_URL'] === undefined || redis === undefined || clusterUid === undefined) return;
  await removeKeys(await redis, clusterUid);
}

async function tellState(
  { state }: StartOptions,
  closers: Closers,
  { kubeconfig, binaries }: TargetCluster,
  operator: Pick<SandboxState, 'metrics' | 'dashboard' | 'redis'> = {},
): Promise<void> {
  if (state === undefined) return;
  const place = { pid: process.pid, kubeconfig, ...(binaries === undefined ? {} : { binaries }), ...operator };
  closers.push(await writeState(state, place));
}

/** Everything up to the word; resolves to what ends the stay unasked: `ended` rejects when the operator ends. */
async function install(
  options: StartOptions,
  closers: Closers,
  signal: AbortSignal,
): Promise<{ ended: Promise<never> }> {
  await requireFreePorts(options);
  const helm = await ensureHelm(process.env);
  const { family, directory } = await openFamily(closers);
  tell('starting Redis');
  const redisUrl = await startRedis(family, directory, process.env);
  const cluster = await openCluster(options, closers, { signal, redis: () => Promise.resolve(redisUrl) });
  const { api } = cluster;
  if (process.env['REDIS_URL'] !== undefined && options.kubeconfig === undefined) {
    const clusterUid = await readClusterUid(api);
    closers.push(() => removeKeys(redisUrl, clusterUid));
  }

  tell('installing namespace, priority class, rights and the CustomResourceDefinition');
  await installPrerequisites(api, helm);
  for (const name of ['openshift', 'monitoring'] as const) if (options[name]) await installExtras(api, name);

  tell('starting the operator');
  const webhookPort = await findFreePort();
  const operator = await startOperator(family, {
    kubeconfig: await cluster.operatorKubeconfig(),
    redisUrl,
    listen: cluster.listen,
    port: options.port,
    webhookPort,
    dashboardPort: options.dashboardPort,
  });
  closers.push(() => operator.stop('SIGTERM', STOP_GRACE_MS));
  await waitForServers(operator, [options.port, webhookPort], signal);
  await cluster.routeWebhooks(webhookPort);

  const ended = rejectAtEnd(operator);
  const applied = performance.now();
  await Promise.race([ended, bringUp(api, redisUrl, signal)]);
  await tellState(options, closers, cluster, {
    metrics: `https://127.0.0.1:${options.port}/metrics`,
    dashboard: `http://127.0.0.1:${options.dashboardPort}`,
    redis: redisUrl,
  });
  const seconds = (performance.now() - applied) / 1000;
  tellReady({ options, cluster, redisUrl, log: operator.logFile, seconds });
  return { ended };
}

/** Creates the example object unless the cluster has it, and follows it until it is ready. */
async function bringUp(api: Installer, redisUrl: string, signal: AbortSignal): Promise<void> {
  const kubeVirt = await readExample();
  const exists = (await api.call('GET', pathOf(kubeVirt))).status === 200;
  tell(exists ? 'the KubeVirt object is there already' : 'creating the KubeVirt object');
  if (!exists) await apply(api, kubeVirt);
  await followToEnd({ api, kubeVirt, redisUrl, tell, signal });
}

function tellReady(ready: {
  options: StartOptions;
  cluster: TargetCluster;
  redisUrl: string;
  log: string;
  seconds: number;
}): void {
  const { options, cluster, redisUrl, log, seconds } = ready;
  // The user knows his own, and its address may hold a password.
  const redis = process.env['REDIS_URL'] === undefined ? redisUrl : 'that of REDIS_URL';
  tell(`Deployed, ${seconds.toFixed(1)} s after the KubeVirt object was created`);
  console.log(`
  Metrics    https://127.0.0.1:${options.port}/metrics
  Dashboard  http://127.0.0.1:${options.dashboardPort}
  Redis      ${redis}
  Log        ${log}

  export KUBECONFIG=${cluster.kubeconfig}
  ${cluster.binaries === undefined ? 'kubectl' : join(cluster.binaries, 'kubectl')} get kubevirt --all-namespaces

Ctrl-C ends everything${options.kubeconfig === undefined ? '' : '; what was installed on the cluster stays there'}.
`);
}

/** Ends what was started, last first; one failure does not keep the rest alive. */
async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.reverse()) {
    await close().catch((error: unknown) => {
      console.error(`while ending: ${errorText(error)}`);
    });
  }
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const signal = listenForEnd();
  const asked = new Promise<'asked'>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve('asked');
    });
  });
  const closers: Closers = [];
  let isReady = false;
  try {
    const ended = options.bare
      ? await openBare(options, closers, signal).then(() => asked)
      : (await install(options, closers, signal)).ended;
    isReady = true;
    await Promise.race([ended, asked]);
    console.log('ending');
    return EXIT.done;
  } catch (error) {
    if (!signal.aborted) throw error;
    return isReady ? EXIT.done : EXIT.interrupted;
  } finally {
    await closeAll(closers);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(`\n${errorText(error)}\n${isUsage ? `\n${USAGE}` : ''}`);
  process.exitCode = isUsage ? EXIT.usage : EXIT.failed;
}
