import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { TEMPORARY_WEBHOOK_PREFIX } from '../../../src/api/names.ts';
import {
  createKubeVirt,
  isWrite,
  readAudit,
  startOperator,
  startSite,
  whenDeployed,
  whenWritten,
  type AuditEntry,
  type Operator,
  type Site,
} from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { describeWrite, whenQuiet } from './harness.ts';
import { sampleLeaders, tenuresOf } from './leaders.ts';
import { firstChange, recordWorkloads } from './workload-log.ts';

const PREVIOUS = { NODE_OPTIONS: `--import=${new URL('previous-build.ts', import.meta.url).href}` };

/** Both sides of a rolling update of ourselves, and how far an installation is when the old pods are told to end. */
const UPDATES: readonly { name: string; roles: readonly string[]; writes: number }[] = [
  { name: 'role all, while CRDs are made', roles: ['all'], writes: 20 },
  { name: 'a pod per role, while workloads start', roles: ['gateway', 'functions', 'worker'], writes: 120 },
];

async function startBuild(site: Site, roles: readonly string[], env?: NodeJS.ProcessEnv): Promise<Operator[]> {
  return Promise.all(roles.map((role) => startOperator(site, role, [], env)));
}

const workerOf = (build: readonly Operator[]) => build.find(({ role }) => role === 'all' || role === 'worker');
const webhookPortsOf = (build: readonly Operator[]) =>
  build.filter(({ role }) => role === 'all' || role === 'functions').map(({ webhookPort }) => webhookPort);

/** The old build leads an installation, the new one comes beside it, and the old one is told to end, as a Deployment does it. */
async function update(context: TestContext, { roles, writes }: (typeof UPDATES)[number]) {
  const site = await startSite(context);
  const old = await startBuild(site, roles, PREVIOUS);
  await workerOf(old)?.said('started leading');
  site.plane.setWebhookPorts(webhookPortsOf(old));
  const now = await startBuild(site, roles);
  await workerOf(now)?.said('waiting: ');
  site.plane.setWebhookPorts(webhookPortsOf([...old, ...now]));
  const leaders = sampleLeaders([workerOf(old), workerOf(now)].map((each) => each?.port ?? 0));
  const workloads = recordWorkloads(site.plane.api);
  context.after(() => Promise.all([leaders.stop(), workloads.stop()]));
  await createKubeVirt(site);
  await whenWritten(site, writes);
  site.plane.setWebhookPorts(webhookPortsOf(now));
  const ends = await Promise.all(old.map((each) => each.end('SIGTERM')));
  await workerOf(now)?.said('started leading');
  await whenDeployed(site);
  await whenQuiet(site);
  await workloads.stop();
  return { site, old, now, ends, workloads, together: await leaders.stop() };
}

/** Writes of objects that were written more than once; the KubeVirt object itself is, and the webhook of the time before virt-api comes and goes. */
function writtenTwice(entries: readonly AuditEntry[]): string[] {
  const writes = entries
    .filter(isWrite)
    .filter(({ objectRef }) => !UNCOUNTED.has(objectRef?.resource ?? ''))
    .filter(({ objectRef }) => objectRef?.name?.startsWith(TEMPORARY_WEBHOOK_PREFIX) !== true);
  const targets = writes.map(({ objectRef }) => `${objectRef?.resource} ${objectRef?.name}`);
  const twice = new Set(targets.filter((target, index) => targets.indexOf(target) !== index));
  return writes.map(describeWrite).filter((write) => twice.has(write.slice(write.indexOf(' ') + 1)));
}
const UNCOUNTED = new Set(['kubevirts', 'events', 'leases']);

const WORKLOADS = ['virt-api', 'virt-controller', 'virt-handler', 'virt-exportproxy'];

for (const row of UPDATES) {
  test(`a rolling update from the previous build in the middle of an installation: ${row.name}`, async (context) => {
    const { site, old, now, ends, workloads, together } = await update(context, row);
    const audit = await readAudit(site);
    const byNew = audit.filter(isWrite).filter(({ userAgent }) => !userAgent.includes('-previous'));
    assert.ok(byNew.length > 10, 'the old build was ended in the middle');
    assert.deepEqual(
      ends.map(({ code }) => code),
      row.roles.map(() => 0),
    );
    assert.deepEqual(together, [], 'moments at which two builds said that they lead');
    const tenures = [...tenuresOf(old), ...tenuresOf(now)].sort((a, b) => a.from - b.from);
    assert.equal(tenures.length, 2, JSON.stringify(tenures));
    assert.ok((tenures[0]?.to ?? Infinity) <= (tenures[1]?.from ?? 0), JSON.stringify(tenures));
    assert.deepEqual(writtenTwice(audit), []);
    const changed = WORKLOADS.filter((name) => firstChange(workloads.of(name)) !== undefined);
    assert.deepEqual(changed, [], 'workloads whose spec was written again');
    await eventually(() => WORKLOADS.every((name) => workloads.of(name).length > 0), Boolean);
  });
}
