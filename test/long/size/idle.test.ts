import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createKubeVirt, readKubeVirt, whenDeployed } from '../../integration/install/harness.ts';
import { startLeader, startLifeSite, whenQuiet } from '../../integration/life/harness.ts';
import { whenIdle } from '../../integration/life/idle.ts';

const TEN_MINUTES_MS = 600_000;

test('B16: ten minutes without an action, the slow resync included, change nothing', async (context) => {
  const site = await startLifeSite({ owner: context });
  await startLeader(site);
  await createKubeVirt(site);
  await whenDeployed(site);
  await whenQuiet(site);
  const { metadata } = await readKubeVirt(site);
  const { writes, reads, changed } = await whenIdle(site, TEN_MINUTES_MS);
  assert.deepEqual([writes, changed], [[], []]);
  // Whether the cluster has got another API meanwhile is asked now and then.
  const others = reads.filter((address) => !/^\/(apis|version)\b/.test(address));
  assert.deepEqual(others, []);
  assert.ok(reads.length <= 10, reads.join('\n'));
  assert.equal((await readKubeVirt(site)).metadata.generation, metadata.generation);
});
