import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { Redis } from 'ioredis';

import {
  createdTwice,
  createKubeVirt,
  isWrite,
  KUBEVIRT_PATH,
  NAMESPACE,
  readAudit,
  startOperator,
  startSite,
  whenDeployed,
  whenWritten,
  type Operator,
  type Site,
} from './harness.ts';

/** A site with role `all` that leads. */
async function startInstalling(context: TestContext): Promise<{ site: Site; operator: Operator }> {
  const site = await startSite(context);
  const operator = await startOperator(site, 'all');
  site.plane.setWebhookPorts([operator.webhookPort]);
  await operator.said('started leading');
  await createKubeVirt(site);
  return { site, operator };
}

/** Far enough for most kinds to have begun, and too early for any workload to be ready. */
const IN_THE_MIDDLE = 30;

test('an event during a pass: the change is installed, and nothing is created twice', async (context) => {
  const { site } = await startInstalling(context);
  await whenWritten(site, IN_THE_MIDDLE);
  const change = {
    spec: { configuration: { developerConfiguration: { featureGates: ['DecentralizedLiveMigration'] } } },
  };
  await site.plane.api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt`, change, 'application/merge-patch+json');
  await whenDeployed(site);
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/virt-synchronization-controller`;
  assert.equal((await site.plane.api.call('GET', path)).status, 200);
  assert.deepEqual(createdTwice(await readAudit(site)), []);
});

test('Redis emptied in the middle: Deployed all the same', async (context) => {
  const { site } = await startInstalling(context);
  await whenWritten(site, IN_THE_MIDDLE);
  const redis = new Redis(site.redis.url);
  await redis.flushall();
  redis.disconnect();
  await whenDeployed(site);
  assert.deepEqual(createdTwice(await readAudit(site)), []);
});

test('the API server restarted in the middle: Deployed all the same', async (context) => {
  const { site } = await startInstalling(context);
  await whenWritten(site, IN_THE_MIDDLE);
  await site.plane.restartApiServer({ signal: 'SIGKILL' });
  await whenDeployed(site);
  assert.deepEqual(createdTwice(await readAudit(site)), []);
});

test('the leading worker killed in the middle: the other one goes on, and their passes do not overlap', async (context) => {
  const site = await startSite(context);
  const operators = await Promise.all(['gateway', 'functions', 'worker'].map((role) => startOperator(site, role)));
  const [, functions, first] = operators;
  assert.ok(functions !== undefined && first !== undefined);
  site.plane.setWebhookPorts([functions.webhookPort]);
  await first.said('started leading');
  const second = await startOperator(site, 'worker');
  await second.said('waiting for the API caches');
  await createKubeVirt(site);
  await whenWritten(site, IN_THE_MIDDLE);
  const killed = Date.now();
  await first.end('SIGKILL');
  await second.said('started leading');
  await whenDeployed(site);
  const audit = (await readAudit(site)).filter(isWrite);
  assert.deepEqual(createdTwice(audit), []);
  const next = audit.find(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) > killed + 500);
  assert.ok(next !== undefined);
  const gap = Date.parse(next.requestReceivedTimestamp) - killed;
  assert.ok(gap <= 12_000, `the next write came ${gap} ms after the kill`);
});
