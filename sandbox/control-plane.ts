import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiClient, type ApiClient } from './api-client.ts';
import { writePki } from './certificates.ts';
import {
  apiServerArgs,
  AUDIT_POLICY,
  controllerManagerArgs,
  egressConfiguration,
  etcdArgs,
  kwokArgs,
  schedulerArgs,
  type Layout,
} from './components.ts';
import { startEgressProxy, type EgressProxy } from './egress-proxy.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { buildNode } from './nodes.ts';
import { findFreePort } from './ports.ts';
import { createFamily, type Family, type Member } from './processes.ts';
import { waitForApi, waitForControllers, waitForNodes, type Waiting } from './readiness.ts';

/** What startControlPlane can be told. */
export interface ControlPlaneOptions {
  /** Folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok. */
  binaries: string;
  /** Number of fake nodes, default 3. */
  nodes?: number;
  /** Told what happens, one sentence at a time. */
  log?: (sentence: string) => void;
  /** Seconds after which a start is given up, default 120. */
  timeoutSeconds?: number;
  /** Loopback ports at which the operator's admission functions listen; may be set later. */
  webhookPorts?: readonly number[];
  /** Further flags of kube-apiserver. */
  apiServerArgs?: readonly string[];
  /** Gives up the start, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A running control plane. Everything it wrote lies in `directory` and is removed by stop(). */
export interface ControlPlane {
  /** Path of a kubeconfig with all rights. */
  kubeconfig: string;
  /** URL of the API server; stays the same over restarts. */
  server: string;
  /** Path of the audit log: one JSON event per line, level Metadata. */
  auditLog: string;
  directory: string;
  /** A client with all rights. */
  api: ApiClient;
  /** Where the API server's calls to the Service kubevirt-operator-webhook go: loopback ports, in turn. None: such calls fail. */
  setWebhookPorts(ports: readonly number[]): void;
  /** Writes a kubeconfig with a token of the ServiceAccount, which must exist; returns its path. */
  writeServiceAccountKubeconfig(namespace: string, name: string): Promise<string>;
  /** Adds nodes behind the existing ones; resolves when they are ready. */
  addNodes(count: number): Promise<void>;
  /** Stops the API server as `signal` does (default SIGTERM, SIGKILL a second later), waits `downMs`, starts it again; resolves when it is ready. */
  restartApiServer(options?: { downMs?: number; signal?: NodeJS.Signals }): Promise<void>;
  /** Ends all processes and removes `directory`. Safe to call twice. */
  stop(): Promise<void>;
}

/** After SIGTERM the API server waits up to a minute for its clients to leave; tests need not. */
const DRAIN_MS = 1000;

/** Stages that kwok plays. */
const STAGES = join(import.meta.dirname, 'stages', 'stages.yaml');

/** What is needed to start or restart a part. */
interface Parts {
  options: ControlPlaneOptions;
  layout: Layout;
  family: Family;
  api: ApiClient;
  apiServer: Member;
  timeoutMs: number;
}

/**
 * Starts a control plane with fake nodes on loopback (spec/sandbox.md). Resolves when the API server is ready, the controllers work and all nodes are
 * ready. When a part fails, everything is stopped and removed before the promise rejects with the end of that part's log.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-sandbox-'));
  const family = createFamily(directory);
  const closing: (() => Promise<void> | void)[] = [() => family.end()];
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= endAll(closing, directory));
  try {
    const parts = await startServer(options, directory, family);
    closing.push(() => {
      parts.api.close();
    });
    const proxy = await startProxy(parts);
    closing.push(() => proxy.close());
    await startControllers(parts);
    return buildControlPlane(parts, proxy, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function endAll(closing: readonly (() => Promise<void> | void)[], directory: string): Promise<void> {
  for (const close of closing) await close();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** etcd and the API server; returns while the API server is still starting. */
async function startServer(options: ControlPlaneOptions, directory: string, family: Family): Promise<Parts> {
  await access(join(options.binaries, 'kube-apiserver')).catch((cause: unknown) => {
    throw new Error(`no kube-apiserver in ${options.binaries}; npm run sandbox:bin builds it`, { cause });
  });
  await mkdir(join(directory, 'log'));
  options.log?.('starting etcd and the API server');
  const [apiPort, pki] = await Promise.all([
    findFreePort(),
    writePki(join(directory, 'pki')),
    family.start({
      name: 'etcd',
      file: join(options.binaries, 'etcd'),
      args: etcdArgs(directory),
      cwd: directory,
    }),
  ]);
  const layout = buildLayout({ directory, apiPort, pki, nodes: options.nodes ?? 3 });
  const api = await writeFiles(layout);
  const apiServer = await startApiServer(options, layout, family);
  return { options, layout, family, api, apiServer, timeoutMs: (options.timeoutSeconds ?? 120) * 1000 };
}

function buildLayout(given: Pick<Layout, 'directory' | 'apiPort' | 'pki' | 'nodes'>): Layout {
  const file = (name: string) => join(given.directory, name);
  return {
    ...given,
    server: `https://127.0.0.1:${given.apiPort}`,
    egressSocket: file('egress.sock'),
    auditLog: file('audit.log'),
    kubeconfigs: {
      admin: file('kubeconfig'),
      controllerManager: file('controller-manager.kubeconfig'),
      scheduler: file('scheduler.kubeconfig'),
      kwok: file('kwok.kubeconfig'),
    },
  };
}

/** Writes configuration and kubeconfig files; returns the administrator's client. */
async function writeFiles({ directory, server, pki, kubeconfigs, egressSocket }: Layout): Promise<ApiClient> {
  const ca = pki.authority.certificate;
  const writeUser = async (path: string, user: string, group?: string) => {
    const credentials = await pki.authority.issueClient(user, group);
    await writeFile(path, buildKubeconfig({ server, ca, user, credentials }), { mode: 0o600 });
    return credentials;
  };
  const [admin] = await Promise.all([
    writeUser(kubeconfigs.admin, 'admin', 'system:masters'),
    writeUser(kubeconfigs.controllerManager, 'system:kube-controller-manager', 'system:masters'),
    writeUser(kubeconfigs.scheduler, 'system:kube-scheduler', 'system:masters'),
    writeUser(kubeconfigs.kwok, 'kwok', 'system:masters'),
    writeFile(join(directory, 'egress.yaml'), egressConfiguration(egressSocket)),
    writeFile(join(directory, 'audit-policy.yaml'), AUDIT_POLICY),
  ]);
  return createApiClient(server, { ca, cert: admin.certificate, key: admin.key });
}

function startApiServer(options: ControlPlaneOptions, layout: Layout, family: Family): Promise<Member> {
  return family.start({
    name: 'kube-apiserver',
    file: join(options.binaries, 'kube-apiserver'),
    args: [...apiServerArgs(layout), ...(options.apiServerArgs ?? [])],
    // The sockets of etcd lie there.
    cwd: layout.directory,
  });
}

function startProxy({ layout, api, options }: Parts): Promise<EgressProxy> {
  return startEgressProxy({ socket: layout.egressSocket, api, webhookPorts: options.webhookPorts ?? [] });
}

/** The controllers wait only 10 s for an API server, so that they start when it listens. */
async function startControllers(parts: Parts): Promise<void> {
  const { family, options, layout, api } = parts;
  const start = (name: string, args: string[]) => family.start({ name, file: join(options.binaries, name), args });
  const waiting: Waiting = { api, members: [parts.apiServer], timeoutMs: parts.timeoutMs, signal: options.signal };
  await waitForApi(waiting, '/livez/ping');
  options.log?.('starting the controllers, the scheduler and the nodes');
  const members = await Promise.all([
    start('kube-controller-manager', controllerManagerArgs(layout)),
    start('kube-scheduler', schedulerArgs(layout)),
    start('kwok', kwokArgs(layout, STAGES)),
  ]);
  const all = { ...waiting, members: [parts.apiServer, ...members] };
  await waitForApi(all, '/readyz');
  await createNodes(api, 0, layout.nodes);
  await Promise.all([waitForNodes(all, layout.nodes), waitForControllers(all)]);
}

async function createNodes(api: ApiClient, from: number, count: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => from + index);
  await Promise.all(indexes.map((index) => api.expect('POST', '/api/v1/nodes', buildNode(index))));
}

function buildControlPlane(parts: Parts, proxy: EgressProxy, stop: () => Promise<void>): ControlPlane {
  const { layout, api } = parts;
  let nodes = layout.nodes;
  return {
    kubeconfig: layout.kubeconfigs.admin,
    server: layout.server,
    auditLog: layout.auditLog,
    directory: layout.directory,
    api,
    setWebhookPorts: (ports) => {
      proxy.setWebhookPorts(ports);
    },
    writeServiceAccountKubeconfig: (namespace, name) => writeServiceAccountKubeconfig(layout, api, { namespace, name }),
    async addNodes(count) {
      await createNodes(api, nodes, count);
      nodes += count;
      await waitForNodes({ api, members: [parts.apiServer], timeoutMs: parts.timeoutMs }, nodes);
    },
    restartApiServer: (options) => restartApiServer(parts, options),
    stop,
  };
}

async function restartApiServer(
  parts: Parts,
  { downMs = 0, signal = 'SIGTERM' }: { downMs?: number; signal?: NodeJS.Signals } = {},
): Promise<void> {
  await parts.apiServer.stop(signal, DRAIN_MS);
  if (downMs > 0) await new Promise((resolve) => setTimeout(resolve, downMs));
  parts.apiServer = await startApiServer(parts.options, parts.layout, parts.family);
  await waitForApi({ api: parts.api, members: [parts.apiServer], timeoutMs: parts.timeoutMs }, '/readyz');
}

async function writeServiceAccountKubeconfig(
  { directory, server, pki }: Layout,
  api: ApiClient,
  account: { namespace: string; name: string },
): Promise<string> {
  const { namespace, name } = account;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status } = (await api.expect('POST', path, request)) as { status?: { token?: string } };
  if (status?.token === undefined) throw new Error(`no token for ServiceAccount ${namespace}/${name}`);
  const text = buildKubeconfig({
    server,
    ca: pki.authority.certificate,
    user: `${namespace}-${name}`,
    credentials: { token: status.token },
    namespace,
  });
  const file = join(directory, `${namespace}-${name}.kubeconfig`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
