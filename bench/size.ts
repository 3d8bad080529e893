import { setTimeout as delay } from 'node:timers/promises';
import { startDumper } from '../sandbox/dumper.ts';
import { SCHEDULABLE_LABEL } from '../src/api/names.ts';
import { countParallel, isWrite, readRequests } from './audit-log.ts';
import type { Figure } from './figure.ts';
import { openInstallation, until, type Installation, type Operator } from './installation.ts';
import { readRetained, type Retained } from './retained.ts';
import { readSpecs } from './specs.ts';

const MANY = 1000;
const FEW = 3;
const REST_MS = 3000;
const IDLE_MS = 10_000;
/** A thousand pods take the control plane a minute or more, whoever asks for them. */
const PATIENCE_MS = 600_000;
const OPERATOR = 'virt-operator/';

/** An operator at rest over an installation. */
interface Rest {
  seconds: number;
  idleRequests: number;
  resident: number;
  retained: Retained;
  /** Largest number of objects asked for at once. */
  page: number;
}

/** Labels the nodes as virt-handler does, which does not run here. */
async function labelNodes({ plane }: Installation): Promise<void> {
  const { items } = (await plane.api.expect('GET', '/api/v1/nodes')) as { items?: { metadata: { name: string } }[] };
  const labels = { [SCHEDULABLE_LABEL]: 'true', 'kubevirt.io/ksm-enabled': 'false' };
  const patch = (name: string) =>
    plane.api.expect('PATCH', `/api/v1/nodes/${name}`, { metadata: { labels } }, 'application/merge-patch+json');
  await Promise.all((items ?? []).map(({ metadata }) => patch(metadata.name)));
}

async function startLeader(installation: Installation): Promise<Operator> {
  const operator = await installation.startOperator('all');
  installation.plane.setWebhookPorts([operator.webhookPort]);
  await until('the operator leads', () => operator.hasLogged('started leading'));
  return operator;
}

/** Installs, waits until the operator rests, and looks at it. */
async function install(installation: Installation): Promise<Rest> {
  await labelNodes(installation);
  const operator = await startLeader(installation);
  const createdAt = await installation.createKubeVirt((await readSpecs()).first);
  await installation.untilDeployed(PATIENCE_MS);
  const seconds = (Date.now() - createdAt) / 1000;
  await installation.untilRest(REST_MS);
  const from = Date.now();
  await delay(IDLE_MS);
  const requests = await readRequests(installation.plane.auditLog, OPERATOR);
  return {
    seconds,
    idleRequests: requests.filter(({ at, verb }) => at >= from && verb !== 'watch').length,
    resident: await operator.residentMegabytes(),
    retained: await readRetained(operator),
    page: Math.max(...requests.filter(({ verb }) => verb === 'list').map(({ uri }) => pageSizeOf(uri))),
  };
}

/** Infinite for a list without a limit. */
function pageSizeOf(uri: string): number {
  return Number(new URL(uri, 'http://server').searchParams.get('limit') ?? Infinity);
}

async function update(installation: Installation): Promise<number> {
  const dumper = startDumper({ plane: installation.plane });
  try {
    const at = await installation.changeKubeVirt((await readSpecs()).newer);
    await installation.untilDeployed(PATIENCE_MS);
    return (Date.now() - at) / 1000;
  } finally {
    await dumper.stop();
  }
}

async function remove(installation: Installation) {
  const at = await installation.deleteKubeVirt();
  await installation.untilGone(PATIENCE_MS);
  const seconds = (Date.now() - at) / 1000;
  const requests = (await readRequests(installation.plane.auditLog, OPERATOR)).filter((request) => request.at >= at);
  const cleaned = requests.filter((request) => isWrite(request) && request.resource === 'nodes');
  return { seconds, cleaned: cleaned.length, parallel: countParallel(cleaned) };
}

async function restOfFew(): Promise<Rest> {
  const installation = await openInstallation(FEW);
  try {
    return await install(installation);
  } finally {
    await installation.stop();
  }
}

/** A cluster of a thousand nodes against one of three, with the same build, at the same moment: at rest after an installation. */
export async function measureSize(): Promise<Figure[]> {
  const few = await restOfFew();
  const installation = await openInstallation(MANY);
  try {
    const many = await install(installation);
    const updateSeconds = await update(installation);
    const removal = await remove(installation);
    const perNode = (read: (rest: Rest) => number) => ((read(many) - read(few)) * 1000) / (MANY - FEW);
    return [
      { name: `${MANY} nodes: CR applied → Deployed`, value: many.seconds, unit: 's' },
      { name: `${MANY} nodes: update → Deployed`, value: updateSeconds, unit: 's' },
      { name: `${MANY} nodes: removal → object gone`, value: removal.seconds, unit: 's' },
      { name: 'requests but watches while idle', value: many.idleRequests, unit: '', must: few.idleRequests },
      {
        name: `resident memory, ${FEW} → ${MANY} nodes, a node`,
        value: perNode(({ resident }) => resident),
        unit: 'kB',
        must: 20,
      },
      {
        name: 'the same after garbage collection, a node',
        value: perNode(({ retained }) => retained.resident),
        unit: 'kB',
        must: 20,
      },
      {
        name: 'objects and buffers held, a node',
        value: perNode(({ retained }) => retained.held),
        unit: 'kB',
        must: 20,
      },
      { name: 'largest page of a list', value: many.page, unit: 'objects', must: 500 },
      { name: 'nodes cleaned up on removal', value: removal.cleaned, unit: '', least: MANY, must: MANY },
      { name: 'of them at the same time (most)', value: removal.parallel, unit: '', must: 16 },
    ];
  } finally {
    await installation.stop();
  }
}
