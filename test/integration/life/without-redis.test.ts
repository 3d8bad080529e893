import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { createdTwice, createKubeVirt, NAMESPACE, readAudit, whenDeployed, whenWritten } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { openClient } from '../functions/harness.ts';
import {
  deleteKubeVirt,
  editKubeVirt,
  assertNothingLeft,
  probeAdmission,
  readCondition,
  whenQuiet,
} from './harness.ts';
import { loseRedis, OUTAGES, UNDERTAKINGS, whenRepaired, type Loss } from './outages.ts';
import { startFaultySite, type FaultySite } from './strikes.ts';

const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/virt-operator`;

let faulty: FaultySite;
let operator: Awaited<ReturnType<FaultySite['startOperator']>>;

before(async () => {
  faulty = await startFaultySite();
  operator = await faulty.startOperator({ args: ['--redis-patience-seconds=2'] });
  await operator.said('started leading');
});

async function readHolder(): Promise<string> {
  const { status, body } = await faulty.site.plane.api.call('GET', LEASE);
  return status === 200 ? ((body as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? '') : '';
}

const whenHeld = () => eventually(readHolder, (holder) => holder !== '', 60_000);
const tenures = () => operator.lines.filter((line) => line.includes('started leading')).length;

test('L03: Redis gone in the middle of an installation, it is finished under the Lease', async () => {
  const { site } = faulty;
  await createKubeVirt(site);
  await whenWritten(site, 60);
  await site.redis.crash();
  await whenDeployed(site);
  await operator.said('Redis is unusable');
  await whenHeld();
  assert.deepEqual(createdTwice(await readAudit(site)), []);
});

test('events go on being answered', () => whenRepaired(faulty));

test('L03: Redis back, and empty, the Lease is given back and Redis decides again', async () => {
  const { site } = faulty;
  const before = tenures();
  await site.redis.restart();
  await operator.said('the Lease is given back');
  await eventually(tenures, (count) => count > before);
  assert.equal(await readHolder(), '');
  await whenRepaired(faulty);
  await whenDeployed(site);
  await whenQuiet(site);
});

/** Redis is lost for shorter than the worker has patience, a second, or until everything was done without it. */
const LOSSES: readonly Loss[] = [
  { outage: 'emptied', undertaking: 'update', lostMs: 0 },
  { outage: 'stopped, and empty when it is back', undertaking: 'rotation', lostMs: 1000 },
  { outage: 'out of reach, and with its data when it is back', undertaking: 'rotation', lostMs: undefined },
  { outage: 'refusing writes for lack of memory', undertaking: 'update', lostMs: 1000 },
];

for (const loss of LOSSES) {
  const { outage, undertaking, lostMs } = loss;
  const howLong = lostMs === undefined ? ' until it is finished' : lostMs === 0 ? '' : ` for ${lostMs} ms`;
  test(`L03: Redis ${outage}${howLong}, in the middle of: ${undertaking}`, () => loseRedis(faulty, operator, loss));
}

const readMetrics = async () => {
  const page = openClient(operator.port);
  try {
    return (await page.send('/metrics')).body;
  } finally {
    page.close();
  }
};

test('L09: Redis refuses writes, and admission, metrics and rotation go on; a condition and a metric say it; no event is lost', async () => {
  const { site } = faulty;
  const outage = OUTAGES['refusing writes for lack of memory'];
  assert.match(await readMetrics(), /^virt_operator_redis_up 1$/m);
  await outage.begin(faulty);
  const edit = {
    spec: { configuration: { developerConfiguration: { featureGates: ['DecentralizedLiveMigration'] } } },
  };
  await editKubeVirt(site, edit);
  await UNDERTAKINGS.rotation.begin(faulty);
  assert.deepEqual(await probeAdmission(site), []);
  assert.match(await readMetrics(), /^virt_operator_redis_up 0$/m);
  await UNDERTAKINGS.rotation.end(faulty, 60_000);
  const condition = await eventually(
    () => readCondition(site, 'RedisUnusable'),
    (found) => found?.status === 'True',
  );
  assert.equal(condition?.reason, 'QueueInMemory');
  await outage.end(faulty);
  await eventually(
    () => readCondition(site, 'RedisUnusable'),
    (found) => found === undefined,
  );
  assert.match(await readMetrics(), /^virt_operator_redis_up 1$/m);
  await whenRepaired(faulty);
  await whenDeployed(site);
  const controller = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/virt-synchronization-controller`;
  assert.equal((await site.plane.api.call('GET', controller)).status, 200);
});

test('L03: Redis gone again, the installation is removed under the Lease', async () => {
  const { site } = faulty;
  await site.redis.crash();
  await whenHeld();
  await deleteKubeVirt(site);
  await assertNothingLeft(site);
});
