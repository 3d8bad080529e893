import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { createdTwice, createKubeVirt, NAMESPACE, readAudit, whenDeployed, whenWritten } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { deleteKubeVirt, listLeftovers, startLeader, startLifeSite, whenQuiet, type LifeSite } from './harness.ts';

const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/virt-operator`;

let site: LifeSite;
let operator: Awaited<ReturnType<typeof startLeader>>;

before(async () => {
  site = await startLifeSite();
  operator = await startLeader(site, ['--redis-patience-seconds=2']);
});

async function readHolder(): Promise<string> {
  const { status, body } = await site.plane.api.call('GET', LEASE);
  return status === 200 ? ((body as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? '') : '';
}

/** Takes a Service away; resolves when it is back. */
async function whenRepaired(): Promise<void> {
  const { api } = site.plane;
  const path = `/api/v1/namespaces/${NAMESPACE}/services/virt-api`;
  await api.expect('DELETE', path);
  await eventually(
    () => api.call('GET', path),
    ({ status }) => status === 200,
    60_000,
  );
}

const tenures = () => operator.lines.filter((line) => line.includes('started leading')).length;

test('Redis gone in the middle of an installation: it is finished under the Lease', async () => {
  await createKubeVirt(site);
  await whenWritten(site, 60);
  await site.redis.crash();
  await whenDeployed(site);
  await operator.said('Redis is unusable');
  assert.notEqual(await eventually(readHolder, (holder) => holder !== ''), '');
  assert.deepEqual(createdTwice(await readAudit(site)), []);
});

test('events go on being answered', whenRepaired);

test('Redis back, and empty: the Lease is given back and Redis decides again', async () => {
  const before = tenures();
  await site.redis.restart();
  await operator.said('the Lease is given back');
  await eventually(tenures, (count) => count > before);
  assert.equal(await readHolder(), '');
  await whenRepaired();
  await whenDeployed(site);
  await whenQuiet(site);
});

test('Redis gone again: the installation is removed under the Lease', async () => {
  await site.redis.crash();
  await eventually(readHolder, (holder) => holder !== '', 60_000);
  await deleteKubeVirt(site);
  assert.deepEqual(await listLeftovers(site), []);
});
