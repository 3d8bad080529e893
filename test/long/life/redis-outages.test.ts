import { describe, it, type TestContext } from 'node:test';

import { deleteKubeVirt } from '../../integration/life/harness.ts';
import { loseRedis, UNDERTAKINGS, type OutageName, type UndertakingName } from '../../integration/life/outages.ts';
import { startFaultySite } from '../../integration/life/strikes.ts';

/** Real times, with the operator's own patience of a minute (spec/field-reports.md L03, L09). */
const OUTAGES: readonly { outage: OutageName; seconds: number }[] = [
  { outage: 'stopped, and empty when it is back', seconds: 5 },
  { outage: 'out of reach, and with its data when it is back', seconds: 60 },
  { outage: 'stopped, and empty when it is back', seconds: 60 },
  { outage: 'emptied', seconds: 0 },
  { outage: 'refusing writes for lack of memory', seconds: 5 },
  { outage: 'refusing writes for lack of memory', seconds: 75 },
  { outage: 'out of reach, and with its data when it is back', seconds: 600 },
];

/** An installation can be begun once; the others begin where it has ended. */
async function run(context: TestContext, undertaking: UndertakingName): Promise<void> {
  const faulty = await startFaultySite(context);
  const operator = await faulty.startOperator();
  await operator.said('started leading');
  if (undertaking !== 'installation') {
    await UNDERTAKINGS.installation.begin(faulty);
    await UNDERTAKINGS.installation.end(faulty, 120_000);
  }
  for (const { outage, seconds } of OUTAGES) {
    const begun = performance.now();
    await loseRedis(faulty, operator, { outage, undertaking, lostMs: seconds * 1000 });
    const took = ((performance.now() - begun) / 1000).toFixed(1);
    context.diagnostic(`Redis ${outage}, ${seconds} s: ended as it should after ${took} s`);
    if (undertaking === 'installation') await deleteKubeVirt(faulty.site);
  }
}

// Each on a site of its own, which waits most of the time.
describe('L03, L09: Redis lost for 5, 60 and 600 s, emptied, refusing writes', { concurrency: true }, () => {
  for (const undertaking of Object.keys(UNDERTAKINGS) as UndertakingName[]) {
    it(`in the middle of: ${undertaking}`, (context) => run(context, undertaking));
  }
});
