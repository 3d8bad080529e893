import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { editDuringRollout } from '../../integration/apply/installation.ts';
import { createKubeVirt, whenDeployed } from '../../integration/install/harness.ts';
import { startLeader, startLifeSite, whenQuiet, type LifeSite } from '../../integration/life/harness.ts';

let site: LifeSite;

before(async () => {
  site = await startLifeSite();
  await startLeader(site);
  await createKubeVirt(site);
  await whenDeployed(site);
  await whenQuiet(site);
});

const TRIES = 20;

test(`B15: a variable added to virt-handler in the middle of a rollout is taken back within 120 s, ${TRIES} times of ${TRIES}`, async () => {
  const took: number[] = [];
  for (let index = 1; index <= TRIES; index++) took.push(await editDuringRollout(site, `TRY${index}`));
  assert.equal(took.length, TRIES);
  assert.ok(Math.max(...took) < 120_000, took.map(Math.round).join(', '));
  await whenDeployed(site);
});
