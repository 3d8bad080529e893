import { test } from 'node:test';

import { startLeader, startLifeSite } from '../../integration/life/harness.ts';
import { createAgainAndAgain } from '../../integration/life/own-webhook.ts';

test('B43: created and deleted twenty times, the webhook never refuses our own writes and has its certificate first', async (context) => {
  const site = await startLifeSite({ owner: context });
  await startLeader(site);
  await createAgainAndAgain(site, 20);
});
