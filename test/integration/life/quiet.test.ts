import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { resourcePath } from '../../../src/api/kinds.ts';
import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import { openClient, readMetric } from '../functions/harness.ts';
import { createKubeVirt, NAMESPACE, readAudit, readKubeVirt, whenDeployed, type Operator } from '../install/harness.ts';
import {
  describeWrite,
  editKubeVirt,
  markAudit,
  startLeader,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from './harness.ts';
import { whenIdle } from './idle.ts';
import { recordKubeVirts, type KubeVirtLog } from './kubevirt-log.ts';
import { listManaged } from './snapshot.ts';

let site: LifeSite;
let operator: Operator;
let log: KubeVirtLog;

before(async () => {
  site = await startLifeSite();
  log = recordKubeVirts(site.plane.api);
  site.atEnd(() => log.stop());
  operator = await startLeader(site);
  await createKubeVirt(site, { configuration: { developerConfiguration: { featureGates: [] } } });
  await whenDeployed(site);
  await whenQuiet(site);
});

/** Passes that this process has run, whatever their outcome. */
async function countPasses(): Promise<number> {
  const client = openClient(operator.port);
  const { body } = await client.send('/metrics');
  client.close();
  const outcomes = ['done', 'later', 'retry', 'never', 'aborted'];
  const counts = outcomes.map(
    (outcome) => readMetric(body, `virt_operator_pass_duration_seconds_count{outcome="${outcome}"}`) ?? 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The generation annotations of all managed objects, by object. */
async function readGenerationAnnotations(): Promise<Record<string, string | undefined>> {
  const managed = await listManaged(site.plane.api);
  return Object.fromEntries(
    managed.map(({ kind, metadata }) => [
      `${kind} ${metadata.name ?? ''}`,
      metadata.annotations?.['kubevirt.io/generation'],
    ]),
  );
}

async function countRevisions(): Promise<number[]> {
  const lists = ['replicasets', 'controllerrevisions'].map((plural) =>
    site.plane.api.expect('GET', `/apis/apps/v1/namespaces/${NAMESPACE}/${plural}`),
  );
  return (await Promise.all(lists)).map(({ items }) => (items as unknown[]).length);
}

test('B14: an edit that alters no component is written to the status alone; the annotation of the generation is no reason', async () => {
  const [annotations, revisions] = [await readGenerationAnnotations(), await countRevisions()];
  const mark = await markAudit(site);
  await editKubeVirt(site, { spec: { configuration: { cpuModel: 'host-model' } } });
  const { metadata, status } = await whenDeployed(site);
  await whenQuiet(site);
  assert.deepEqual((await writesSince(site, mark)).map(describeWrite), ['update kubevirts/status kubevirt']);
  assert.equal(status?.observedGeneration, metadata.generation);
  assert.deepEqual(await readGenerationAnnotations(), annotations);
  assert.ok(!Object.values(annotations).includes(String(metadata.generation)), 'the objects bear an older generation');
  assert.deepEqual(await countRevisions(), revisions);
});

test('B17: after our own write of the status at most one more pass comes, and it asks for nothing', async () => {
  const passes = await countPasses();
  await editKubeVirt(site, { spec: { configuration: { cpuModel: 'host-passthrough' } } });
  await whenDeployed(site);
  const from = await markAudit(site);
  await whenQuiet(site);
  const more = (await countPasses()) - passes;
  assert.ok(more >= 1 && more <= 2, `${more} passes: that of the edit, and at most one more`);
  const later = (await readAudit(site)).slice(from).filter(({ verb }) => verb !== 'watch');
  assert.deepEqual(later.map(describeWrite), []);
});

/** The lists of a status, each as the names of its entries. */
function listsOf({ status }: KubeVirt): Record<string, string[]> {
  const { conditions = [], generations = [], synchronizationAddresses = [] } = status ?? {};
  return {
    conditions: conditions.map(({ type }) => type),
    generations: generations.map(({ resource, name }) => `${resource}/${name}`),
    addresses: synchronizationAddresses,
  };
}

test('B17: lists in the status keep their order', async () => {
  const path = resourcePath('Service', NAMESPACE, 'virt-api');
  await site.plane.api.expect('DELETE', path);
  await whenQuiet(site);
  const states = log.states.map(listsOf);
  assert.ok(states.length > 4);
  for (const [index, state] of states.entries()) {
    for (const [list, names] of Object.entries(state)) {
      const known = (states[index - 1]?.[list] ?? []).filter((name) => names.includes(name));
      assert.deepEqual(
        names.filter((name) => known.includes(name)),
        known,
        `${list} of state ${index}`,
      );
    }
  }
});

test('B16: over a healthy installation nothing is asked and nothing is written (ten minutes: test/long/size)', async () => {
  await whenDeployed(site);
  const { metadata } = await readKubeVirt(site);
  assert.deepEqual(await whenIdle(site, 10_000), { writes: [], reads: [], changed: [] });
  assert.equal((await readKubeVirt(site)).metadata.generation, metadata.generation);
});
