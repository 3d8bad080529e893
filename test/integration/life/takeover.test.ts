import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { generationIdentity, isSameGenerationIdentity } from '../../../src/api/generations.ts';
import type { KindName } from '../../../src/api/kinds.ts';
import { parseStrategyConfigMap } from '../../../src/exchange/config-map.ts';
import { NAMESPACE, readKubeVirt, startOperator, whenDeployed, type Operator } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  describeWrite,
  editKubeVirt,
  markAudit,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from './harness.ts';
import { compareSnapshots, listManaged, noGolden, readGoldenSnapshot, takeSnapshot } from './snapshot.ts';
import { installAsUpstream } from './upstream.ts';

const skip = noGolden;
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

/** Upstream's last 15; what is tried is the same. */
const LEASE_SECONDS = 3;

let site: LifeSite;
let operator: Operator;
let untouched: Before;

/** What must be the same after the take-over. */
interface Before {
  pods: string[];
  generations: string[];
}

before(async () => {
  if (skip !== false) return;
  site = await startLifeSite();
  await installAsUpstream(site);
  untouched = await look();
});

async function look(): Promise<Before> {
  const managed = await listManaged(site.plane.api);
  const of = (...kinds: string[]) => managed.filter(({ kind }) => kinds.includes(kind));
  const describe = ({ kind, metadata }: KubernetesObject, detail: string) => `${kind} ${metadata.name ?? ''} ${detail}`;
  return {
    pods: of('Pod')
      .map((pod) => describe(pod, pod.metadata.uid ?? ''))
      .sort(),
    generations: of('Deployment', 'DaemonSet')
      .map((workload) => describe(workload, String(workload.metadata.generation)))
      .sort(),
  };
}

/** The Lease as a running operator of upstream has it; every call renews it. */
async function renewLease(): Promise<void> {
  const spec = {
    holderIdentity: 'virt-operator-7c9d-upstream',
    leaseDurationSeconds: LEASE_SECONDS,
    acquireTime: new Date().toISOString().replace('Z', '000Z'),
    renewTime: new Date().toISOString().replace('Z', '000Z'),
    leaseTransitions: 1,
  };
  const { api } = site.plane;
  const { status } = await api.call('PATCH', `${LEASES}/virt-operator`, { spec }, 'application/merge-patch+json');
  if (status !== 404) return;
  const metadata = { name: 'virt-operator', namespace: NAMESPACE };
  await api.expect('POST', LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
}

test('a live operator of upstream is respected: we wait, say so and write nothing', { skip }, async () => {
  await renewLease();
  operator = await startOperator(site, 'all');
  site.plane.setWebhookPorts([operator.webhookPort]);
  await operator.said('virt-operator-7c9d-upstream holds the Lease');
  const end = performance.now() + 2.5 * LEASE_SECONDS * 1000;
  await eventually(
    async () => {
      await renewLease();
      assert.ok(!operator.lines.some((line) => line.includes('started leading')));
      return performance.now();
    },
    (now) => now > end,
  );
  assert.deepEqual((await writesSince(site, 0)).map(describeWrite), []);
});

test('when it is gone, its installation is adopted: no pod is restarted, no workload changed', { skip }, async () => {
  await operator.said('started leading');
  await whenQuiet(site, 3000);
  const { status } = await whenDeployed(site);
  assert.deepEqual(await look(), untouched);
  assert.equal(status?.observedDeploymentID, '7094f6e16396cf2ff9af28bc76abc121430fa6c0');
  const writes = (await writesSince(site, 0)).map(describeWrite);
  // Recordings hold no prose: what carries some gets ours, and the rest of the object stays.
  const others = writes.filter(
    (write) => !/^(patch validatingadmissionpolicies|update virtualmachinecluster)/.test(write),
  );
  assert.deepEqual(others, ['update kubevirts/status kubevirt']);
});

test('adopted, it is reconciled: an edit of the KubeVirt object and a drift are answered', { skip }, async () => {
  const mark = await markAudit(site);
  await editKubeVirt(site, { spec: { configuration: { developerConfiguration: { cpuAllocationRatio: 4 } } } });
  await whenDeployed(site);
  await whenQuiet(site);
  assert.ok((await writesSince(site, mark)).length <= 2);
  const path = `/api/v1/namespaces/${NAMESPACE}/services/virt-exportproxy`;
  await site.plane.api.expect('DELETE', path);
  await eventually(
    () => site.plane.api.call('GET', path),
    (answer) => answer.status === 200,
  );
  await whenQuiet(site);
  assert.deepEqual(await look(), untouched);
});

test('handed back, upstream finds what it expects', { skip }, async () => {
  assert.equal((await operator.end('SIGTERM')).code, 0);
  const { api } = site.plane;
  assert.deepEqual(compareSnapshots(readGoldenSnapshot('default'), await takeSnapshot(api, NAMESPACE)), []);
  const managed = await listManaged(api);
  const { status } = await readKubeVirt(site);
  const outdated = (status?.generations ?? []).filter((entry) => {
    const live = managed.find(({ kind, metadata }) => {
      const identity = generationIdentity(kind as KindName, metadata);
      return identity !== undefined && isSameGenerationIdentity(identity, entry);
    });
    return live?.metadata.generation !== entry.lastGeneration;
  });
  assert.deepEqual(outdated, [], 'every recorded generation is that of its object');
  const strategies = managed.filter(({ kind, metadata }) => {
    return kind === 'ConfigMap' && 'kubevirt.io/install-strategy' in (metadata.labels ?? {});
  });
  assert.equal(strategies.length, 1);
  const [strategy] = strategies;
  assert.ok(strategy !== undefined && parseStrategyConfigMap(strategy).objects.length > 200);
});
