import type { Figure } from './figure.ts';
import { openInstallation, until, type Installation, type Operator } from './installation.ts';

const SERVICE = '/api/v1/namespaces/kubevirt/services/virt-exportproxy';

/** Ends the leader with a signal and gives the other worker something to do; seconds until it begins its pass. */
async function takeOver({ passes, plane }: Installation, leader: Operator, signal: NodeJS.Signals): Promise<number> {
  const endedAt = Date.now();
  const exited = leader.member.stop(signal);
  const drift = { metadata: { labels: { 'app.kubernetes.io/component': signal } } };
  await plane.api.expect('PATCH', SERVICE, drift, 'application/merge-patch+json');
  let startedAt = 0;
  await until('the other worker begins a pass', async () => {
    const next = (await passes.read(10)).findLast((pass) => pass.startedAt > endedAt);
    startedAt = next?.startedAt ?? 0;
    return next !== undefined;
  });
  await exited;
  return (startedAt - endedAt) / 1000;
}

async function startLeader(installation: Installation): Promise<Operator> {
  const leader = await installation.startOperator('worker');
  await until('the worker leads', () => leader.hasLogged('started leading'));
  return leader;
}

async function startFollower(installation: Installation): Promise<Operator> {
  const follower = await installation.startOperator('worker');
  await until('the other worker waits', () => follower.hasLogged('waiting: '));
  return follower;
}

/** Two workers: the leader is killed, then a leader is asked to end. */
export async function measureTakeover(): Promise<Figure[]> {
  const installation = await openInstallation();
  try {
    const functions = await installation.startOperator('functions');
    installation.plane.setWebhookPorts([functions.webhookPort]);
    await installation.startOperator('gateway');
    const first = await startLeader(installation);
    await installation.createKubeVirt();
    await installation.untilDeployed();
    const second = await startFollower(installation);
    const afterKill = await takeOver(installation, first, 'SIGKILL');
    await until('the second worker leads', () => second.hasLogged('started leading'));
    await startFollower(installation);
    const afterTerm = await takeOver(installation, second, 'SIGTERM');
    return [
      { name: 'kill -9 of the leading worker → next pass by the other', value: afterKill, unit: 's', must: 12 },
      { name: 'SIGTERM of the leading worker → next pass by the other', value: afterTerm, unit: 's', must: 1.5 },
    ];
  } finally {
    await installation.stop();
  }
}
