import type { PhaseReport } from '../../integration/life/faults.ts';
import { STRIKES } from '../../integration/life/strikes.ts';

const PHASES = ['installation', 'update', 'removal'];

/** The page docs/faults.md: what was done, and how every phase of every seed went. */
export function buildFaultsPage(reports: readonly PhaseReport[]): string {
  return `${INTRODUCTION}
## Strikes by phase

${table(
  ['strike', ...PHASES],
  Object.keys(STRIKES).map((strike) => [strike, ...PHASES.map((phase) => count(reports, strike, phase))]),
)}

## Runs

${table(['seed', 'phase', 'strike', 'outcome', 'seconds'], reports.map(row))}
`;
}

const INTRODUCTION = `# Faults

Each seed installs KubeVirt v1.9.0 on a real API server with three fake nodes, updates it to v1.9.1 and removes it. In each phase something strikes once, at a random
moment, or a fifth of all calls to the API server goes wrong from the begin of the phase to its end. Strikes are dealt so that three seeds have all of them, and nine seeds
have all of them in every phase; moments, and which calls go wrong in which way, follow from the seed.

| strike | what it is |
| --- | --- |
| calls go wrong | 20 % of all calls, watches included: answered 409, 429 or 500; connection broken before or after the server has done it; never answered; done, but answered too late |
| worker killed | SIGKILL, and a new process |
| worker frozen (L01) | stopped for 12 s, longer than its lock lives, and continued |
| API server restarted | SIGKILL, and started again |
| Redis emptied | FLUSHALL |
| network to the API server cut, network to Redis cut | all connections broken, none taken for 0.5 to 4.5 s |
| clock five minutes fast, clock five minutes slow | the operator is replaced by one whose clock is wrong by so much against that of the API server; authority and serving certificates are spoilt, so that they are made by that clock |

A phase has ended as it should when

- after installation and update all objects, pods and the status are those that upstream leaves, recorded generations are those of the objects, and the API server gets answers from the
  webhooks of the operator and of virt-api;
- after removal every object that was not there before the installation is gone, of whatever kind, and nothing else is;
- in no phase an object was created twice.

Run it with

\`\`\`sh
FAULTS_PAGE=docs/faults.md npm run test:long -- test/long/life/faults.test.ts
\`\`\`

The first three seeds belong to \`npm test\` (test/integration/life/faults.test.ts).
`;

function count(reports: readonly PhaseReport[], strike: string, phase: string): string {
  return String(reports.filter((report) => report.phase === phase && report.name === strike).length);
}

function row({ seed, phase, strike, seconds }: PhaseReport): string[] {
  return [String(seed), phase, strike, 'as it should', seconds.toFixed(1)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
