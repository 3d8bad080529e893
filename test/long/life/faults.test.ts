import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { describePhase, runWithFaults, type PhaseReport } from '../../integration/life/faults.ts';
import { noGolden } from '../../integration/life/snapshot.ts';
import { startFaultySite, type FaultySite } from '../../integration/life/strikes.ts';
import { buildFaultsPage } from './faults-page.ts';

/** Every strike occurs in every phase, twice and more. `FAULTS_SEEDS` names others, with commas between them. */
const SEEDS = readSeeds(process.env['FAULTS_SEEDS']) ?? Array.from({ length: 20 }, (_, index) => index + 1);
/** Longer than the operator waits for an answer: its own limit ends the call. */
const PATIENCE_MS = 35_000;
/** Where the results are written to as a page, if anywhere. */
const PAGE = process.env['FAULTS_PAGE'];

function readSeeds(text: string | undefined): number[] | undefined {
  return text?.split(',').map(Number);
}

let faulty: FaultySite;
const reports: PhaseReport[] = [];

before(async () => {
  if (noGolden === false) faulty = await startFaultySite();
});

after(async () => {
  if (PAGE !== undefined) await writeFile(PAGE, buildFaultsPage(reports));
});

for (const seed of SEEDS) {
  test(
    `faults at random moments of installation, update and removal, L01: seed ${seed}`,
    { skip: noGolden },
    async (context) => {
      const told = await runWithFaults(faulty, seed, PATIENCE_MS);
      reports.push(...told);
      for (const report of told) context.diagnostic(describePhase(report));
    },
  );
}
