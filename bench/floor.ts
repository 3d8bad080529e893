import { readFileSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { KINDS, resourcePath, type KindName } from '../src/api/kinds.ts';
import type { KubernetesObject } from '../src/api/objects.ts';

/** Requests at the same time, as many as the operator sends. */
const PARALLEL = 16;
/** Pause between two looks at a workload that rolls. */
const LOOK_AGAIN_MS = 50;
const OPTIONAL: readonly string[] = ['SecurityContextConstraints', 'Route', 'ServiceMonitor', 'PrometheusRule'];
const LATE: readonly string[] = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'APIService'];

/** Seconds after the start at which each stage was reached. */
export interface FloorTimes {
  objects: number;
  passive: number;
  apiReady: number;
  allReady: number;
  total: number;
}

/** A client without anything: keep-alive, JSON, no rate limit, no retries but for APIs that are not served yet. */
interface BareClient {
  call(method: string, path: string, body?: object): Promise<{ code: number; body: string }>;
  close(): void;
}

/** Credentials of the sandbox's administrator, from its kubeconfig. */
interface Credentials {
  server: string;
  ca: Buffer;
  cert: Buffer;
  key: Buffer;
}

function createBareClient({ server, ...tls }: Credentials): BareClient {
  const agent = new https.Agent({ ...tls, keepAlive: true, maxSockets: PARALLEL + 2 });
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const data = body === undefined ? undefined : JSON.stringify(body);
        const headers =
          data === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) };
        const request = https.request(server + path, { agent, method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => {
            resolve({ code: response.statusCode ?? 0, body: text });
          });
        });
        request.on('error', reject);
        request.end(data);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

async function forEach<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const drain = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await task(next);
  };
  await Promise.all(Array.from({ length: PARALLEL }, drain));
}

async function create(client: BareClient, object: KubernetesObject): Promise<void> {
  const { group, version } = KINDS[object.kind as KindName];
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const path = resourcePath(object.kind as KindName, object.metadata.namespace);
  for (;;) {
    const answer = await client.call('POST', path, { ...object, apiVersion });
    if (answer.code < 300) return;
    if (answer.code !== 404 && answer.code !== 429)
      throw new Error(`${object.kind} ${object.metadata.name ?? ''}: ${answer.code} ${answer.body}`);
    await delay(LOOK_AGAIN_MS);
  }
}

interface RolloutStatus {
  desiredNumberScheduled?: number;
  numberReady?: number;
  readyReplicas?: number;
}

async function untilReady(client: BareClient, object: KubernetesObject): Promise<void> {
  const path = resourcePath(object.kind as KindName, object.metadata.namespace, object.metadata.name);
  const replicas = (object.spec?.replicas as number | undefined) ?? 1;
  for (;;) {
    const { status = {} } = JSON.parse((await client.call('GET', path)).body) as { status?: RolloutStatus };
    const desired = status.desiredNumberScheduled ?? 0;
    if (
      object.kind === 'DaemonSet'
        ? desired > 0 && status.numberReady === desired
        : (status.readyReplicas ?? 0) >= replicas
    )
      return;
    await delay(LOOK_AGAIN_MS);
  }
}

/** What of a rendered strategy a default installation creates on this cluster, each object once. */
function selectObjects(rendered: readonly KubernetesObject[]): KubernetesObject[] {
  const byKey = new Map(
    rendered.map((object) => [
      `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`,
      object,
    ]),
  );
  return [...byKey.values()].filter(
    ({ kind, metadata }) => !OPTIONAL.includes(kind) && metadata.name !== 'virt-synchronization-controller',
  );
}

const fill = (object: KubernetesObject, keyPair: Record<string, string>) =>
  object.kind === 'Secret' ? { ...object, data: keyPair } : object;

/**
 * How fast anybody can install KubeVirt on this control plane: a bare client creates the rendered objects 16 at a time and keeps the order and the waits
 * that KubeVirt needs. Nothing serves webhooks and APIServices here, so they come last. The control plane must be fresh.
 */
export async function measureFloor(
  rendered: readonly KubernetesObject[],
  credentials: Credentials,
  keyPair: Record<string, string>,
): Promise<FloorTimes> {
  const client = createBareClient(credentials);
  const objects = selectObjects(rendered).map((object) => fill(object, keyPair));
  const types = objects.filter(({ kind }) => kind.startsWith('VirtualMachineCluster'));
  const late = objects.filter(({ kind }) => LATE.includes(kind));
  const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
  const apart = new Set([...types, ...late, ...workloads]);
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const passive = objects.filter((object) => !apart.has(object) && object.kind !== 'CustomResourceDefinition');
  const api = workloads.filter(({ metadata }) => metadata.name === 'virt-api');
  const others = workloads.filter((object) => !api.includes(object));
  const createOne = (object: KubernetesObject) => create(client, object);
  const began = performance.now();
  const seconds = () => Number(((performance.now() - began) / 1000).toFixed(2));
  await forEach([...crds, ...passive], createOne);
  const passiveAt = seconds();
  await forEach(api, createOne);
  await Promise.all(api.map((object) => untilReady(client, object)));
  const apiReady = seconds();
  await forEach(others, createOne);
  await Promise.all([forEach(types, createOne), ...others.map((object) => untilReady(client, object))]);
  const allReady = seconds();
  await forEach(late, createOne);
  client.close();
  return { objects: objects.length, passive: passiveAt, apiReady, allReady, total: seconds() };
}

/** The administrator's credentials in a kubeconfig that carries them inline. */
export function readCredentials(kubeconfig: string): Credentials {
  const text = readFileSync(kubeconfig, 'utf8');
  const field = (name: string) => {
    const value = new RegExp(`${name}"?: *"?([^"\\s]+)`).exec(text)?.[1];
    if (value === undefined) throw new Error(`${kubeconfig} has no ${name}`);
    return value;
  };
  const inline = (name: string) => Buffer.from(field(name), 'base64');
  return {
    server: field('server'),
    ca: inline('certificate-authority-data'),
    cert: inline('client-certificate-data'),
    key: inline('client-key-data'),
  };
}
