import { quantile, type Figure } from '../figure.ts';
import { openInstallation, until, type Installation, type Operator } from '../installation.ts';
import { putLoad } from './load.ts';
import { countRedisCommands } from './redis-commands.ts';
import { isReady, measureReplicas } from './replicas.ts';
import { REVIEWS } from './reviews.ts';

/** As upstream was measured (spec/sandbox.md). */
const CONNECTIONS = 8;
const SECONDS = 10;
const WARM_UP_SECONDS = 3;

const UPDATE = '/kubevirt-validate-update';
const DELETE = '/kubevirt-validate-delete';

/** The bounds of issue "Functions"; none where the API server sets the pace. */
const LOADS: readonly { name: string; path: string; body: string; want: string; least?: number; p99?: number }[] = [
  {
    name: 'validate-update, unchanged placement',
    path: UPDATE,
    body: REVIEWS.updateUnchangedPlacement,
    want: '"allowed":true',
    least: 1500,
    p99: 25,
  },
  {
    name: 'validate-delete, RemoveWorkloads',
    path: DELETE,
    body: REVIEWS.deleteRemoveWorkloads,
    want: '"allowed":true',
    least: 1500,
    p99: 25,
  },
  {
    name: 'validate-update, both placements changed',
    path: UPDATE,
    body: REVIEWS.updateChangedPlacement,
    want: '"allowed":true',
  },
  {
    name: 'validate-delete, Block, one VM',
    path: DELETE,
    body: REVIEWS.deleteBlock,
    want: 'Virtual Machines',
  },
];

async function measureLoad(operator: Operator, load: (typeof LOADS)[number]): Promise<Figure[]> {
  const { name, path, body, want, least, p99 } = load;
  const { milliseconds, seconds } = await putLoad({
    port: operator.webhookPort,
    path,
    body,
    want,
    connections: CONNECTIONS,
    seconds: SECONDS,
    warmUpSeconds: WARM_UP_SECONDS,
  });
  const rate = Math.round(milliseconds.length / seconds);
  return [
    {
      name: `${name}, ${CONNECTIONS} connections`,
      value: rate,
      unit: 'req/s',
      ...(least === undefined ? {} : { least }),
    },
    {
      name: `${name}, p99`,
      value: quantile(milliseconds, 0.99),
      unit: 'ms',
      ...(p99 === undefined ? {} : { must: p99 }),
    },
  ];
}

/** A virtual machine that is not to run. */
const MACHINE = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'one', namespace: 'default' },
  spec: {
    runStrategy: 'Halted',
    template: { spec: { domain: { devices: {}, resources: { requests: { memory: '64Mi' } } } } },
  },
};

/** Installs KubeVirt, creates one machine and ends the worker: from then on only functions run. */
async function prepare(installation: Installation): Promise<void> {
  const { plane } = installation;
  const worker = await installation.startOperator('all');
  plane.setWebhookPorts([worker.webhookPort]);
  await installation.createKubeVirt();
  await installation.untilDeployed();
  await until('a machine can be created', async () => {
    const path = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';
    return (await plane.api.call('POST', path, MACHINE)).status < 300;
  });
  await worker.member.stop();
}

/** Admission under load: one process over TLS, then three behind the Service. */
export async function measureFunctions(): Promise<Figure[]> {
  const installation = await openInstallation();
  try {
    await prepare(installation);
    const single = await installation.startOperator('functions');
    const figures: Figure[] = [];
    await until('the process is ready', () => isReady(single));
    const commands = await countRedisCommands(installation.redisUrl);
    for (const load of LOADS) figures.push(...(await measureLoad(single, load)));
    const more = (await countRedisCommands(installation.redisUrl)) - commands;
    figures.push({ name: 'Redis commands during all of that', value: more, unit: '', must: 0 });
    figures.push({ name: 'memory of the process after that', value: await single.residentMegabytes(), unit: 'MB' });
    await single.member.stop();
    return [...figures, ...(await measureReplicas(installation))];
  } finally {
    await installation.stop();
  }
}
