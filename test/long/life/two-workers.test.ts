import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import {
  createdTwice,
  createKubeVirt,
  isWrite,
  NAMESPACE,
  readAudit,
  startOperator,
  whenDeployed,
  whenWritten,
  type Operator,
} from '../../integration/install/harness.ts';
import { buildKeyPrefix } from '../../../src/queue/connection.ts';
import { buildKeys } from '../../../src/queue/keys.ts';
import { eventually } from '../../integration/fixtures/eventually.ts';
import { openClient } from '../../integration/functions/harness.ts';
import { deleteKubeVirt, findWrongGenerations, startLifeSite, type LifeSite } from '../../integration/life/harness.ts';

/** How long a lock lives (design decision 5). */
const TTL_MS = 10_000;
/** The account of one of the workers: the audit log tells their writes apart. */
const ACCOUNT = 'kubevirt-operator';

let site: LifeSite;
let workers: Operator[];

before(async () => {
  site = await startLifeSite();
  const own = await site.plane.writeServiceAccountKubeconfig(NAMESPACE, ACCOUNT);
  const [, functions, ...others] = await Promise.all([
    startOperator(site, 'gateway'),
    startOperator(site, 'functions'),
    startOperator(site, 'worker'),
    startOperator({ ...site, plane: { ...site.plane, kubeconfig: own } }, 'worker'),
  ]);
  workers = others;
  site.plane.setWebhookPorts([functions.webhookPort]);
  await Promise.all(workers.map((worker) => worker.said('waiting for the API caches')));
  await Promise.any(workers.map((worker) => worker.said('started leading')));
});

const isLeading = ({ lines }: Operator) =>
  lines.findLastIndex((line) => line.includes('started leading')) >
  lines.findLastIndex((line) => line.includes('stopped leading'));
const whoLeads = () =>
  eventually(
    () => workers.find(isLeading),
    (worker) => worker !== undefined,
  );

const tenures = () => workers.flatMap(({ lines }) => lines.filter((line) => line.includes('started leading'))).length;

async function deleteLock(): Promise<void> {
  const redis = new Redis(site.redis.url);
  try {
    const { metadata } = await site.plane.api.expect('GET', '/api/v1/namespaces/kube-system');
    const uid = (metadata as { uid?: string } | undefined)?.uid ?? '';
    await redis.del(buildKeys(buildKeyPrefix(uid)).lock);
  } finally {
    redis.disconnect();
  }
}

/** Looks at the gauges of both until stopped; returns for how long, in milliseconds, both said without a break that they lead. */
function watchGauges(): () => Promise<number> {
  const pages = workers.map(({ port }) => openClient(port));
  let isWatching = true;
  let longest = 0;
  const watching = (async () => {
    let since: number | undefined;
    while (isWatching as boolean) {
      const answers = await Promise.all(pages.map((page) => page.send('/metrics')));
      const areBoth = answers.every(({ body }) => /^kubevirt_virt_operator_leading_status 1$/m.test(body));
      since = areBoth ? (since ?? performance.now()) : undefined;
      if (since !== undefined) longest = Math.max(longest, performance.now() - since);
      await pause(50);
    }
  })();
  return async () => {
    isWatching = false;
    await watching;
    for (const page of pages) page.close();
    return longest;
  };
}

/** Everything is there, once, and the status knows it. */
async function assertInstalledOnce(mark: number): Promise<void> {
  const kubeVirt = await whenDeployed(site);
  assert.deepEqual(createdTwice((await readAudit(site)).slice(mark)), []);
  assert.deepEqual(await findWrongGenerations(site, kubeVirt), []);
}

test('L16: the lock is deleted in the middle of a run, and the other worker begins: one installation, and not two leaders for long', async () => {
  const stop = watchGauges();
  await createKubeVirt(site);
  await whenWritten(site, 60);
  await Promise.all(workers.map((worker) => worker.said(isLeading(worker) ? 'started leading' : ' leads')));
  const before = tenures();
  // The leader, who renews it every three seconds, may be faster than the other, who asks every second.
  await eventually(
    async () => {
      await deleteLock();
      await pause(1500);
      return tenures();
    },
    (count) => count > before,
  );
  await assertInstalledOnce(0);
  assert.ok((await stop()) < TTL_MS);
});

test('L01: a leader that was stopped for twice the time of its lock writes nothing when it wakes up, and the other has finished', async () => {
  await deleteKubeVirt(site);
  const earlier = (await readAudit(site)).length;
  await createKubeVirt(site);
  await eventually(
    async () => (await readAudit(site)).slice(earlier).filter(isWrite).length,
    (writes) => writes >= 60,
  );
  const frozen = await whoLeads();
  assert.ok(frozen !== undefined);
  process.kill(frozen.pid, 'SIGSTOP');
  await pause(2 * TTL_MS);
  const mark = (await readAudit(site)).length;
  process.kill(frozen.pid, 'SIGCONT');
  await frozen.said('the lock is lost');
  await assertInstalledOnce(earlier);
  const late = (await readAudit(site))
    .slice(mark)
    .filter((entry) => isWrite(entry) && entry.user.username === userOf(frozen));
  assert.deepEqual(
    late.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    [],
  );
});

/** Under whose name a worker writes. */
function userOf(worker: Operator): string {
  return worker === workers[1] ? `system:serviceaccount:${NAMESPACE}:${ACCOUNT}` : 'admin';
}
