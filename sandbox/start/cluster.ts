import { networkInterfaces } from 'node:os';
import { createLog } from '../../src/log.ts';
import { ApiError } from '../../src/errors.ts';
import { createConnection } from '../../src/transport/connection.ts';
import type { Method } from '../../src/api/connection.ts';
import { startControlPlane } from '../control-plane.ts';
import { RECORDED_STRATEGIES, startDumper } from '../dumper.ts';
import { startPodRunner } from '../pods/runner.ts';
import { ensureControlPlane } from '../setup/control-plane.cjs';
import type { Installer } from './installation.ts';
import type { StartOptions } from './options.ts';

/** The cluster that KubeVirt is installed on. */
export interface TargetCluster {
  /** A client with the rights of whoever starts this. */
  api: Installer;
  /** Kubeconfig for the user. */
  kubeconfig: string;
  /** Folder of kubectl; undefined when it is not ours. */
  binaries: string | undefined;
  /** Kubeconfig for the operator, once its ServiceAccount exists. */
  operatorKubeconfig(): Promise<string>;
  /** Makes the cluster find the operator's admission functions at this port of this machine. */
  routeWebhooks(port: number): Promise<void>;
  /** Address that the operator's servers listen on. */
  listen: string;
  close(): Promise<void>;
}

const OPERATOR = { namespace: 'kubevirt', name: 'kubevirt-operator' };

/** What opening a sandbox needs beside its options. */
export interface SandboxParts {
  tell: (sentence: string) => void;
  /** Gives up. */
  signal: AbortSignal;
  /** Address of the Redis for pods of the operator that somebody installs with the chart. */
  redis: () => Promise<string>;
}

/** Starts a control plane, which is built first when need be, and what runs the pods that are no fakes. */
export async function openSandbox(options: StartOptions, parts: SandboxParts): Promise<TargetCluster> {
  const { tell, signal, redis } = parts;
  const binaries = await ensureControlPlane(process.env);
  signal.throwIfAborted();
  const plane = await startControlPlane({ binaries, nodes: options.nodes, log: tell, signal });
  // Another spec.imageTag makes the operator ask that release for its objects: this answers.
  const dumper = startDumper({ plane, recorded: RECORDED_STRATEGIES, log: tell });
  const webhooks = { own: [] as number[], ofPods: [] as readonly number[] };
  const route = (): void => {
    plane.setWebhookPorts([...webhooks.own, ...webhooks.ofPods]);
  };
  const runner = startPodRunner({
    plane,
    redis,
    onWebhookPorts: (ports) => {
      webhooks.ofPods = ports;
      route();
    },
    // Whoever has no operator of its own sees that of the chart under the known addresses.
    ...(options.bare ? { ports: { metrics: options.port, dashboard: options.dashboardPort } } : {}),
    log: tell,
  });
  return {
    api: plane.api,
    kubeconfig: plane.kubeconfig,
    binaries,
    // Its own rights, as in a pod: missing ones show.
    operatorKubeconfig: () => plane.writeServiceAccountKubeconfig(OPERATOR.namespace, OPERATOR.name),
    routeWebhooks: (port) => {
      webhooks.own = [port];
      route();
      return Promise.resolve();
    },
    listen: '127.0.0.1',
    async close() {
      await Promise.all([dumper.stop(), runner.stop()]);
      await plane.stop();
    },
  };
}

/** Opens the cluster of a kubeconfig file; its current context is used, and no other file is touched. */
export async function openExistingCluster(kubeconfig: string): Promise<TargetCluster> {
  const log = createLog({ role: 'start', verbosity: 0 });
  log.level = 'error';
  const connection = await createConnection({ kubeconfig, userAgent: 'virt-operator-start', log, qps: 50, burst: 100 });
  const api: Installer = {
    async call(method, path, body, contentType) {
      try {
        return { status: 200, body: await send(method, path, body, contentType), text: '' };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { status: error.status, body: {}, text: error.message };
      }
    },
    expect: (method, path, body, contentType) => send(method, path, body, contentType),
  };
  const send: Installer['expect'] = (method, path, body, contentType = 'application/json') => {
    const [plain = '', query = ''] = path.split('?');
    return connection.request({
      method: method as Method,
      path: plain,
      query: Object.fromEntries(new URLSearchParams(query)),
      ...(body === undefined ? {} : { body, contentType }),
    });
  };
  return {
    api,
    kubeconfig,
    binaries: undefined,
    operatorKubeconfig: () => Promise.resolve(kubeconfig),
    routeWebhooks: (port) => createEndpoints(api, port),
    listen: '0.0.0.0',
    close: () => {
      connection.close();
      return Promise.resolve();
    },
  };
}

/**
 * The operator is no pod of the cluster: an EndpointSlice of our own leads its webhook Service to this machine. It stays until the next start
 * replaces it; a Service without pods and without it would answer as little.
 */
async function createEndpoints(api: Installer, port: number): Promise<void> {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubevirt-operator-webhook-start',
      labels: {
        'kubernetes.io/service-name': 'kubevirt-operator-webhook',
        'endpointslice.kubernetes.io/managed-by': 'virt-operator-start',
      },
    },
    addressType: 'IPv4',
    ports: [{ name: 'webhooks', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [findAddress()], conditions: { ready: true } }],
  };
  const path = `/apis/discovery.k8s.io/v1/namespaces/${OPERATOR.namespace}/endpointslices/${slice.metadata.name}`;
  const query = 'fieldManager=virt-operator-start&force=true';
  await api.expect('PATCH', `${path}?${query}`, slice, 'application/apply-patch+yaml');
}

/** An address of this machine under which others may reach it: endpoints must not be loopback ones. */
function findAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outward = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (outward === undefined)
    throw new Error('this machine has no address at which the cluster could reach the operator');
  return outward.address;
}
