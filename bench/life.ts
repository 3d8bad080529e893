import { startDumper } from '../sandbox/dumper.ts';
import {
  compareSnapshots,
  noGolden,
  readGoldenSnapshot,
  readGoldenSpec,
  takeSnapshot,
} from '../test/integration/life/snapshot.ts';
import { isWrite, readRequests, type AuditedRequest } from './audit-log.ts';
import { measureDrift } from './drift.ts';
import type { Figure } from './figure.ts';
import { openInstallation, until, type Installation } from './installation.ts';
import { readSpecs, type Specs } from './specs.ts';

const OPERATOR = 'virt-operator/';
/** No pass for so long: what comes next is caused by what comes next. */
const REST_MS = 2000;

/** What one change of the object has cost. */
interface Change {
  seconds: number;
  /** The operator's writes from the change until it rested again. */
  writes: AuditedRequest[];
}

/** Makes a change, waits for its end and then for rest. */
async function measureChange(
  installation: Installation,
  change: () => Promise<number>,
  end: () => Promise<void>,
): Promise<Change> {
  const at = await change();
  await end();
  const seconds = (Date.now() - at) / 1000;
  await installation.untilRest(REST_MS);
  const requests = await readRequests(installation.plane.auditLog, OPERATOR);
  return { seconds, writes: requests.filter((request) => isWrite(request) && request.at >= at) };
}

/** Gives the object another spec, until it is Deployed so. */
function measureEdit(installation: Installation, spec: Specs['first']): Promise<Change> {
  return measureChange(
    installation,
    () => installation.changeKubeVirt(spec),
    () => installation.untilDeployed(),
  );
}

const count = ({ writes }: Change) => writes.filter(({ resource }) => resource !== 'events').length;

/** Starts an operator over a fresh cluster that can dump the strategy of another version, and installs. */
async function install(installation: Installation, spec: Specs['first']): Promise<void> {
  const operator = await installation.startOperator('all');
  installation.plane.setWebhookPorts([operator.webhookPort]);
  await until('the operator leads', () => operator.hasLogged('started leading'));
  await installation.createKubeVirt(spec);
  await installation.untilDeployed();
  await installation.untilRest(REST_MS);
}

/** In how many places the cluster differs from what upstream leaves; nothing where its snapshots are not at hand. */
async function measureSnapshot({ plane }: Installation, golden: string, when: string): Promise<Figure[]> {
  if (noGolden !== false) return [];
  const want = readGoldenSnapshot(golden);
  const got = await takeSnapshot(plane.api, 'kubevirt');
  // The namespace is the chart's; of its labels only those count that KubeVirt is about.
  const namespaceLabels = Object.fromEntries(
    Object.entries(got.namespaceLabels).filter(([label]) => label in want.namespaceLabels),
  );
  const differences = compareSnapshots(want, { ...got, namespaceLabels });
  for (const difference of differences) console.error(`${golden}: ${difference}`);
  return [{ name: `differences from upstream's cluster after ${when}`, value: differences.length, unit: '', must: 0 }];
}

async function measureWithoutEffect(installation: Installation, specs: Specs): Promise<Figure[]> {
  const edit = await measureEdit(installation, specs.withoutEffect);
  return [
    { name: 'edit that alters no component → Deployed', value: edit.seconds, unit: 's', must: 1 },
    { name: 'writes for it', value: count(edit), unit: '', must: 2 },
  ];
}

const TYPES = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'];

/** All instance types and preferences have to be written anew (spec/field-reports.md B75). */
async function measureTypes(installation: Installation, specs: Specs): Promise<Figure[]> {
  const { writes } = await measureEdit(installation, specs.labelled);
  const times = writes.filter(({ resource }) => TYPES.includes(resource)).map(({ at }) => at);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
  return [
    { name: 'instance types and preferences written anew after an edit', value: times.length, unit: '', least: 100 },
    { name: 'from the first of these writes to the last (B75)', value: seconds, unit: 's', must: 2 },
  ];
}

async function measureUpdate(installation: Installation, specs: Specs): Promise<Figure[]> {
  const dumper = startDumper({ plane: installation.plane });
  try {
    const update = await measureEdit(installation, specs.newer);
    return [
      { name: 'update to a new version → Deployed', value: update.seconds, unit: 's', must: 14 },
      { name: 'writes for it', value: count(update), unit: '', must: 290 },
    ];
  } finally {
    await dumper.stop();
  }
}

async function measureRemoval(installation: Installation): Promise<Figure[]> {
  const removal = await measureChange(
    installation,
    () => installation.deleteKubeVirt(),
    () => installation.untilGone(),
  );
  return [
    { name: 'removal → object gone', value: removal.seconds, unit: 's', must: 8 },
    { name: 'writes for it', value: count(removal), unit: '', must: 175 },
  ];
}

async function measureDefault(): Promise<Figure[]> {
  const specs = await readSpecs();
  const installation = await openInstallation();
  try {
    await install(installation, specs.first);
    return [
      ...(await measureSnapshot(installation, 'default', 'a default installation')),
      ...(await measureWithoutEffect(installation, specs)),
      ...(await measureSnapshot(installation, 'default', 'that edit')),
      ...(await measureDrift(installation)),
      ...(await measureTypes(installation, specs)),
      ...(await measureUpdate(installation, specs)),
      ...(await measureSnapshot(installation, 'default-update', 'the update')),
      ...(await measureRemoval(installation)),
    ];
  } finally {
    await installation.stop();
  }
}

async function measureRich(): Promise<Figure[]> {
  if (noGolden !== false) return [];
  const installation = await openInstallation();
  try {
    await install(installation, readGoldenSpec('rich'));
    return await measureSnapshot(installation, 'rich', 'an installation that uses everything');
  } finally {
    await installation.stop();
  }
}

/** One installation through its life; then one that uses everything. */
export async function measureLife(): Promise<Figure[]> {
  if (noGolden !== false) console.error(`${noGolden}: what the cluster looks like is not compared with upstream`);
  return [...(await measureDefault()), ...(await measureRich())];
}
