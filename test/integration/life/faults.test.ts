import { before, test } from 'node:test';

import { describePhase, runWithFaults } from './faults.ts';
import { noGolden } from './snapshot.ts';
import { startFaultySite, type FaultySite } from './strikes.ts';

/** Three seeds in a row have every strike. */
const SEEDS = [1, 2, 3];
/** An answer that does not come is waited for as long as a hasty gateway would; test/long has the operator's own limit. */
const PATIENCE_MS = 1500;

let faulty: FaultySite;

before(async () => {
  if (noGolden === false) faulty = await startFaultySite();
});

for (const seed of SEEDS) {
  test(
    `faults at random moments of installation, update and removal, L01: seed ${seed}`,
    { skip: noGolden },
    async (context) => {
      for (const report of await runWithFaults(faulty, seed, PATIENCE_MS)) context.diagnostic(describePhase(report));
    },
  );
}
