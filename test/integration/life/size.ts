import assert from 'node:assert/strict';

import { countParallel, isWrite, readRequests, type AuditedRequest } from '../../../bench/audit-log.ts';
import { SCHEDULABLE_LABEL } from '../../../src/api/names.ts';
import { decideApiReplicas } from '../../../src/plan/replicas.ts';
import { createKubeVirt, NAMESPACE, whenDeployed } from '../install/harness.ts';
import { whenIdle } from './idle.ts';
import {
  deleteKubeVirt,
  editKubeVirt,
  assertNothingLeft,
  startLeader,
  startLifeSite,
  whenQuiet,
  type LifeSite,
} from './harness.ts';

/** Writes of the operator that may be on their way at the same time (design decision 9). */
const PARALLEL = 16;
/** Objects in one page of a list. */
const PAGE = 500;
const OWN_LABELS = { [SCHEDULABLE_LABEL]: 'true', 'kubevirt.io/ksm-enabled': 'false' };
const FOREIGN_LABEL = 'example.com/rack';

interface Node {
  metadata: { name: string; labels: Record<string, string> };
}

async function readNodes({ plane }: LifeSite): Promise<Node[]> {
  const { items } = await plane.api.expect('GET', '/api/v1/nodes');
  return items as Node[];
}

/** Labels the nodes as virt-handler does, which does not run here, and as their owner does. */
async function labelNodes(site: LifeSite): Promise<void> {
  const patch = { metadata: { labels: { ...OWN_LABELS, [FOREIGN_LABEL]: '7' } } };
  const nodes = await readNodes(site);
  await Promise.all(
    nodes.map(({ metadata: { name } }) =>
      site.plane.api.expect('PATCH', `/api/v1/nodes/${name}`, patch, 'application/merge-patch+json'),
    ),
  );
}

async function readHandler({ plane }: LifeSite) {
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`;
  const { status } = (await plane.api.expect('GET', path)) as { status?: Record<string, number> };
  return { ready: status?.['numberReady'], updated: status?.['updatedNumberScheduled'] };
}

/** The size of the page that a list asks for; infinite when it asks for everything. */
function pageSizeOf({ uri }: AuditedRequest): number {
  return Number(new URL(uri, 'http://server').searchParams.get('limit') ?? Infinity);
}

function assertPaged(requests: readonly AuditedRequest[], nodes: number): void {
  const lists = requests.filter(({ verb }) => verb === 'list');
  const unpaged = lists.filter((list) => pageSizeOf(list) > PAGE).map(({ uri }) => uri);
  assert.deepEqual(unpaged, []);
  const pages = lists.filter(({ resource }) => resource === 'nodes');
  assert.ok(pages.length >= nodes / PAGE, `${pages.length} pages of nodes`);
}

function assertCleanedUp(requests: readonly AuditedRequest[], nodes: number): void {
  const writes = requests.filter((request) => isWrite(request) && request.resource === 'nodes');
  assert.equal(writes.length, nodes, 'one write for each node');
  const parallel = countParallel(writes);
  assert.ok(parallel > 1 && parallel <= PARALLEL, `${parallel} at the same time`);
}

/**
 * A cluster of so many nodes through the life of an installation: it is installed, silent when nothing happens, updated on every node, and removed with
 * every node clean again. `timeoutMs` bounds each of these.
 */
export async function liveThrough(
  owner: NonNullable<Parameters<typeof startLifeSite>[0]>['owner'],
  nodes: number,
  timeoutMs: number,
): Promise<void> {
  const site = await startLifeSite({ ...(owner === undefined ? {} : { owner }), nodes });
  await labelNodes(site);
  await startLeader(site);
  await createKubeVirt(site);
  await whenDeployed(site, timeoutMs);
  assert.deepEqual(await readHandler(site), { ready: nodes, updated: nodes });
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/virt-api`;
  const { spec } = (await site.plane.api.expect('GET', path)) as { spec?: { replicas?: number } };
  assert.equal(spec?.replicas, decideApiReplicas(nodes));
  await whenQuiet(site);
  assert.deepEqual(await whenIdle(site, 5000), { writes: [], reads: [], changed: [] });

  await editKubeVirt(site, { spec: { imageTag: 'v1.9.1' } });
  const { status } = await whenDeployed(site, timeoutMs);
  assert.equal(status?.observedKubeVirtVersion, 'v1.9.1');
  assert.deepEqual(await readHandler(site), { ready: nodes, updated: nodes });

  await deleteKubeVirt(site, timeoutMs);
  await assertNothingLeft(site, timeoutMs);
  const labels = (await readNodes(site)).map((node) => Object.keys(node.metadata.labels));
  assert.ok(labels.every((keys) => keys.includes(FOREIGN_LABEL) && !keys.some((key) => key in OWN_LABELS)));
  const requests = await readRequests(site.plane.auditLog, 'virt-operator/');
  assertPaged(requests, nodes);
  assertCleanedUp(requests, nodes);
}
