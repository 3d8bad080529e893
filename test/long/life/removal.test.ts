import { before, test } from 'node:test';

import { startLeader, startLifeSite, type LifeSite } from '../../integration/life/harness.ts';
import { deleteAfterWrites } from '../../integration/life/moments.ts';

let site: LifeSite;

before(async () => {
  site = await startLifeSite();
  await startLeader(site);
});

/** Writes of an installation after which it is deleted: before the first, in every phase, and when hardly anything is left to do. */
const MOMENTS = [0, 3, 20, 45, 70, 95, 120, 150, 190, 230];

for (const writes of MOMENTS) {
  test(`B29: deleted after ${writes} writes of its installation, it is gone within two minutes and leaves nothing`, () =>
    deleteAfterWrites(site, writes));
}
