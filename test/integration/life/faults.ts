import assert from 'node:assert/strict';

import { createdTwice, createKubeVirt, NAMESPACE, readAudit, readKubeVirt, whenDeployed } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createRandom } from './fault-proxy.ts';
import {
  findWrongGenerations,
  assertNothingLeft,
  markAudit,
  probeAdmission,
  replaceSpec,
  whenGone,
  writesSince,
  type LifeSite,
} from './harness.ts';
import { takeInventory } from './inventory.ts';
import { compareSnapshots, readGoldenSnapshot, readGoldenSpec, takeSnapshot } from './snapshot.ts';
import { dealStrikes, STRIKES, type FaultySite, type StrikeName, type Struck } from './strikes.ts';

/** How one phase of a run went. */
export interface PhaseReport {
  seed: number;
  phase: string;
  /** Name of what struck. */
  name: StrikeName;
  /** What struck, and when or how often. */
  strike: string;
  seconds: number;
}

/** The report in one line. */
export function describePhase({ phase, strike, seconds }: PhaseReport): string {
  return `${phase}: ${strike}; ended as it should after ${seconds.toFixed(1)} s`;
}

interface Phase {
  name: string;
  /** About as many writes as it makes: a strike comes after fewer. */
  writes: number;
  begin: (site: LifeSite) => Promise<unknown>;
  /** Fails when what has to be true at the end does not become so. */
  end: (site: LifeSite, untouched: readonly string[]) => Promise<void>;
}

const PHASES: readonly Phase[] = [
  {
    name: 'installation',
    writes: 300,
    begin: (site) => createKubeVirt(site, readGoldenSpec('default')),
    end: (site) => expectGolden(site, 'default'),
  },
  {
    name: 'update',
    writes: 250,
    begin: (site) => replaceSpec(site, readGoldenSpec('default-update')),
    end: (site) => expectGolden(site, 'default-update'),
  },
  {
    name: 'removal',
    writes: 150,
    begin: ({ plane }) =>
      eventually(
        () => plane.api.call('DELETE', `/apis/kubevirt.io/v1/namespaces/${NAMESPACE}/kubevirts/kubevirt`),
        ({ status }) => status === 200,
        60_000,
      ),
    end: async (site, untouched) => {
      await whenGone(site, LIMIT_MS);
      await assertNothingLeft(site);
      // What hangs on removed objects is collected a little later.
      await settles(async () => difference(await takeInventory(site.plane.api), untouched));
    },
  },
];

const LIMIT_MS = 400_000;
const SETTLE_MS = 60_000;

/** The wanted state: what upstream leaves, object by object, the status true to it, and webhooks that are answered and trusted. */
async function expectGolden(site: LifeSite, golden: string): Promise<void> {
  const { api } = site.plane;
  await whenDeployed(site, LIMIT_MS);
  await settles(async () => compareSnapshots(readGoldenSnapshot(golden), await takeSnapshot(api, NAMESPACE)));
  await settles(async () => findWrongGenerations(site, await readKubeVirt(site)));
  await settles(() => probeAdmission(site));
}

function settles(findFaults: () => Promise<string[]>): Promise<string[]> {
  return eventually(findFaults, (faults) => faults.length === 0, SETTLE_MS);
}

function difference(is: readonly string[], was: readonly string[]): string[] {
  return [
    ...is.filter((each) => !was.includes(each)).map((each) => `left: ${each}`),
    ...was.filter((each) => !is.includes(each)).map((each) => `missing: ${each}`),
  ];
}

interface Run extends Struck {
  seed: number;
  patienceMs: number;
  /** What was there before the first phase. */
  untouched: readonly string[];
}

/**
 * Installs, updates and removes once; in each phase something strikes at a random moment, or a fifth of all calls goes wrong from its begin to its end. Fails
 * when a phase does not end as it should, or an object was created twice. `patienceMs`: how long a call without an answer is kept.
 */
export async function runWithFaults(faulty: FaultySite, seed: number, patienceMs: number): Promise<PhaseReport[]> {
  const untouched = await takeInventory(faulty.site.plane.api);
  const operator = await faulty.startOperator();
  const run: Run = { faulty, operator, seed, random: createRandom(seed), patienceMs, untouched };
  const strikes = dealStrikes(seed, PHASES.length);
  const reports: PhaseReport[] = [];
  try {
    await operator.said('started leading');
    for (const [index, phase] of PHASES.entries()) {
      reports.push(await runPhase(phase, strikes[index] ?? 'worker killed', run));
    }
    return reports;
  } catch (error) {
    const told = [`seed ${seed}`, ...reports.map(describePhase), ...run.operator.lines.slice(-15)];
    throw new Error(told.join('\n'), { cause: error });
  } finally {
    faulty.api.setMischief(undefined);
    await run.operator.end('SIGKILL');
  }
}

async function runPhase(phase: Phase, name: StrikeName, run: Run): Promise<PhaseReport> {
  const { site } = run.faulty;
  const mark = await markAudit(site);
  const begun = performance.now();
  try {
    const strike = await strikeIn(phase, name, run);
    const seconds = (performance.now() - begun) / 1000;
    assert.deepEqual(createdTwice((await readAudit(site)).slice(mark)), [], 'created twice');
    return { seed: run.seed, phase: phase.name, name, strike, seconds };
  } catch (error) {
    throw new Error(`${phase.name}: ${name}`, { cause: error });
  }
}

/** Runs the phase to its end; returns what has struck. */
async function strikeIn(phase: Phase, name: StrikeName, run: Run): Promise<string> {
  const { site, api } = run.faulty;
  const { seed, patienceMs, untouched } = run;
  const strike = STRIKES[name];
  if (strike === undefined) {
    api.setMischief({ rate: 0.2, seed, patienceMs });
    await phase.begin(site);
    await phase.end(site, untouched);
    const counts = Object.entries(api.setMischief(undefined)).map(([fault, count]) => `${count} × ${fault}`);
    return `${name}: ${counts.join(', ')}`;
  }
  const mark = await markAudit(site);
  const after = Math.floor(run.random() * phase.writes);
  await phase.begin(site);
  await untilWritten(site, mark, after);
  await strike(run);
  await phase.end(site, untouched);
  return `${name} after ${after} writes`;
}

/** Two seconds without a write count as the end of a phase: it may need fewer. */
async function untilWritten(site: LifeSite, mark: number, count: number): Promise<void> {
  let seen = -1;
  let since = 0;
  await eventually(
    async () => (await writesSince(site, mark)).length,
    (writes) => {
      if (writes !== seen) since = performance.now();
      seen = writes;
      return writes >= count || (writes > 0 && performance.now() - since > 2000);
    },
    60_000,
  );
}
