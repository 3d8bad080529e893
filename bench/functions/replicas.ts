import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createApiClient, type ApiClient } from '../../sandbox/api-client.ts';
import { parseKubeconfig } from '../../sandbox/kubeconfig.ts';
import type { Figure } from '../figure.ts';
import { until, type Installation, type Operator } from '../installation.ts';

const KUBEVIRT = '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/kubevirt';
/** Calls at the same time: several connections for every replica. */
const PARALLEL = 24;
const CALLS = 3000;
const REPLICAS = 3;
/** Least share of the calls that each of three replicas has to serve. */
const SHARE = 25;
/** How long a replica that ends goes on serving, and how long the Service takes to notice. */
const DRAIN_SECONDS = 3;
const ENDPOINTS_MS = 1000;

const readPage = (port: number, path: string) =>
  new Promise<{ code: number; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      text(response).then((body) => {
        resolve({ code: response.statusCode ?? 0, body });
      }, reject);
    })
      .on('error', reject)
      .end();
  });

/** Updates that a replica has decided about, by its own metrics. */
async function countReviews({ port }: Operator): Promise<number> {
  const { body } = await readPage(port, '/metrics');
  const counts = body.matchAll(
    /^virt_operator_admission_duration_seconds_count\{function="validate-update".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Updates of the KubeVirt object, none of which is stored; returns how many failed. */
async function updateUntil(
  api: ApiClient,
  isOver: (calls: number) => boolean,
): Promise<{ calls: number; failed: string[] }> {
  let calls = 0;
  const failed: string[] = [];
  const lane = async () => {
    while (!isOver(calls)) {
      const patch = { metadata: { labels: { bench: String(calls++) } } };
      const { status, text: answer } = await api.call(
        'PATCH',
        `${KUBEVIRT}?dryRun=All`,
        patch,
        'application/merge-patch+json',
      );
      if (status !== 200) failed.push(answer);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return { calls, failed };
}

/** Whether a process says that it is ready. */
export const isReady = async ({ port }: Operator): Promise<boolean> => (await readPage(port, '/readyz')).code === 200;

const untilReady = (operator: Operator) => until('a replica is ready', () => isReady(operator));

const setPorts = ({ plane }: Installation, replicas: readonly Operator[]) => {
  plane.setWebhookPorts(replicas.map(({ webhookPort }) => webhookPort));
};

/** How evenly the Service spreads calls over three replicas. */
async function measureShares(
  installation: Installation,
  api: ApiClient,
  replicas: readonly Operator[],
): Promise<Figure[]> {
  setPorts(installation, replicas);
  const before = await Promise.all(replicas.map(countReviews));
  const begun = performance.now();
  const { calls, failed } = await updateUntil(api, (count) => count >= CALLS);
  if (failed[0] !== undefined) console.error(`the first failed update: ${failed[0]}`);
  const seconds = (performance.now() - begun) / 1000;
  const after = await Promise.all(replicas.map(countReviews));
  const served = after.map((count, index) => count - (before[index] ?? 0));
  const least = (100 * Math.min(...served)) / served.reduce((sum, count) => sum + count, 0);
  return [
    {
      name: `share of the least busy of ${REPLICAS} replicas, ${calls} updates`,
      value: least,
      unit: '%',
      least: SHARE,
    },
    { name: 'updates through the API server', value: Math.round(calls / seconds), unit: 'req/s' },
    { name: 'failed updates', value: failed.length, unit: '', must: 0 },
  ];
}

/** Restarts one replica as Kubernetes does: SIGTERM, and the Service notices a second later. */
async function restart(
  installation: Installation,
  replicas: readonly Operator[],
  flags: readonly string[],
): Promise<void> {
  const [old, ...others] = replicas;
  if (old === undefined) return;
  const ended = old.member.stop('SIGTERM', 30_000);
  await delay(ENDPOINTS_MS);
  setPorts(installation, others);
  await ended;
  const fresh = await installation.startOperator('functions', flags);
  await untilReady(fresh);
  setPorts(installation, [...others, fresh]);
  await delay(ENDPOINTS_MS);
}

/** Three replicas behind the Service: how evenly they serve, and that none of their restarts fails a call. */
export async function measureReplicas(installation: Installation): Promise<Figure[]> {
  const flags = [`--drain-seconds=${DRAIN_SECONDS}`];
  // A client of its own: the sandbox's is used by the Service's stand-in, which must not wait behind the calls that wait for it.
  const { server, identity } = parseKubeconfig(await readFile(installation.plane.kubeconfig, 'utf8'));
  const api = createApiClient(server, identity);
  const replicas: Operator[] = [];
  for (let i = 0; i < REPLICAS; i++) replicas.push(await installation.startOperator('functions', flags));
  await Promise.all(replicas.map(untilReady));
  const shares = await measureShares(installation, api, replicas);
  let isOver = false;
  const load = updateUntil(api, () => isOver);
  await restart(installation, replicas, flags);
  isOver = true;
  const { calls, failed } = await load;
  api.close();
  if (failed[0] !== undefined) console.error(`the first failed update: ${failed[0]}`);
  return [
    ...shares,
    { name: `failed updates of ${calls} while a replica restarts`, value: failed.length, unit: '', must: 0 },
  ];
}
